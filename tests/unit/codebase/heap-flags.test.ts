import { expect, test } from 'vitest';
import { chooseFlags } from '#app/heap-flags.ts';

const plain = {
  platform: 'linux' as const,
  execPath: process.execPath,
  execArgv: ['--enable-source-maps'],
  env: {},
  execve: () => {
    throw new Error('nothing is begun here');
  },
};

test('who answers people and who works has flags, and no other verb', () => {
  expect(chooseFlags('gateway', plain)).toContain('--no-memory-reducer');
  expect(chooseFlags('start', plain)).toEqual(chooseFlags('gateway', plain));
  expect(chooseFlags('worker', plain)).not.toEqual(chooseFlags('gateway', plain));
  for (const verb of ['ask', 'bench', 'toString', '', undefined])
    expect(chooseFlags(verb, plain)).toBeNull();
});

test.each(['gateway', 'start', 'worker'])('%s begins anew once', (verb) => {
  const flags = chooseFlags(verb, plain) ?? [];
  expect(flags.length).toBeGreaterThan(0);
  const again = { ...plain, execArgv: [...flags, ...plain.execArgv] };
  expect(chooseFlags(verb, again)).toBeNull();
});

test.each([
  ['a flag was given', { execArgv: ['--max-semi-space-size=32'] }],
  ['a flag was given in the other spelling', { execArgv: ['--max_semi_space_size=32'] }],
  ['the environment has one', { env: { NODE_OPTIONS: '--x --max_semi_space_size=32' } }],
  ['the system has no such call', { execve: undefined }],
  ['the system is Windows', { platform: 'win32' as const }],
  ['its parent has a channel to it', { channel: {} }],
  ['nobody knows where Node is', { execPath: 'node' }],
  ['Node is gone', { execPath: '/nowhere/node' }],
])('stays as it is where %s', (_, change) => {
  const { execve, ...rest } = { ...plain, ...change };
  expect(chooseFlags('gateway', execve === undefined ? rest : { ...rest, execve })).toBeNull();
});
