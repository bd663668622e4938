// Any model's calls are read in bounded time; valid ones stay unchanged.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readCalls } from '#models/read-calls.ts';

const tools = [
  { name: 'workspace_read', description: '', parameters: { type: 'object', properties: {} } },
];
const read = (args: unknown, name = 'workspace_read') =>
  readCalls([{ id: 'c', name, arguments: args }], tools, 0);

test('an object in JSON stays as it is, byte for byte', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.nat(4), (value, indent) => {
      const text = JSON.stringify(value, null, indent);
      expect(read(text)[0]?.arguments).toBe(text);
      expect(read(JSON.stringify(text))[0]?.arguments).toBe(text);
    }),
  );
});

test('anything else is a call with a text, of one tool or of none', () => {
  const marks = fc.constantFrom(
    '{',
    '}',
    '[',
    ']',
    '"',
    "'",
    ',',
    ':',
    '\\',
    '`',
    '\n',
    '1',
    'True',
  );
  const nearly = fc.array(marks, { maxLength: 60 }).map((all) => all.join(''));
  fc.assert(
    fc.property(fc.oneof(fc.anything(), fc.string(), nearly), fc.string(), (args, name) => {
      for (const call of read(args, name)) expect(call.id).not.toBe('');
    }),
  );
});

test.each([
  ['{'.repeat(1_000_000)],
  ["'".repeat(1_000_000)],
  [`{${',\n'.repeat(500_000)}`],
  ['{}'.repeat(500_000)],
  ['\\'.repeat(1_000_000)],
  ['a '.repeat(500_000)],
])('a million marks take no second: %#', (text) => {
  const began = performance.now();
  read(text);
  read('{}', text);
  expect(performance.now() - began).toBeLessThan(1000);
});
