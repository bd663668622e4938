import { expect, test } from 'vitest';
import { explainFailure, explainFileError } from '#db/embedded/files.ts';
import { errorMessage } from '#domain/errors.ts';

const cases: [string, string, RegExp][] = [
  [
    'a full disk',
    'initdb: error: could not write to file "base": No space left on device',
    /The disk is full\. Make room and start again/,
  ],
  [
    'libraries that are not in place',
    'postgres: error while loading shared libraries: libicuuc.so.60: cannot open shared object file',
    /Run "npm ci" with install scripts allowed/,
  ],
  [
    'data of another major version',
    'FATAL:  database files are incompatible with server',
    /another major version of PostgreSQL/,
  ],
  [
    'a folder it may not use',
    'FATAL:  could not open file: Permission denied',
    /Set COUNTERSIGN_HOME to a folder it can reach/,
  ],
  ['anything else', 'PANIC:  the unheard-of', /Set COUNTERSIGN_HOME to a new folder/],
];

test.each(cases)('%s is explained with what to do and what was said', (_name, output, advice) => {
  const error = explainFailure('did not start', output);
  expect(error.code).toBe('database_unavailable');
  expect(error.message).toMatch(advice);
  expect(error.message).toContain(output);
});

test('of a long output only the end is shown', () => {
  const output = Array.from({ length: 100 }, (_, n) => `line ${n}`).join('\n');
  expect(explainFailure('did not start', output).message.split('\n')).toHaveLength(13);
});

test('a folder that belongs to somebody else is named', () => {
  const refused = Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES' });
  expect(errorMessage(explainFileError(refused, '/srv/db'))).toMatch(
    /\/srv\/db cannot be used .*as the user it belongs to/,
  );
});

test('an error that has nothing to do with files stays what it is', () => {
  const bug = new TypeError('x is not a function');
  expect(explainFileError(bug, '/srv/db')).toBe(bug);
});
