import { describe, expect, it } from 'vitest';
import { loadConfig } from '#app/config.ts';

const load = (variables: Record<string, string>) => loadConfig(variables, '/nowhere');

describe('HOST', () => {
  it.each(['0.0.0.0', '::', '192.168.1.5', 'bot.internal', '[::]'])(
    '%s needs a token, since others than this machine reach it',
    (HOST) => {
      expect(() => load({ HOST })).toThrow(
        /^HOST: others than this machine reach .*Set COUNTERSIGN_API_TOKEN, or set HOST to 127\.0\.0\.1\./,
      );
      expect(load({ HOST, COUNTERSIGN_API_TOKEN: 'a-token-of-sixteen' }).env.HOST).toBe(HOST);
    },
  );

  it.each(['127.0.0.1', 'localhost', '::1', '127.0.0.2', 'LocalHost'])('%s needs none', (HOST) => {
    expect(load({ HOST }).env.HOST).toBe(HOST);
  });
});

it.each([
  ['DATABASE_URL', 'mysql://localhost/x'],
  ['COUNTERSIGN_API_TOKEN', 'short'],
  ['COUNTERSIGN_TIMEZONE', 'Europe/Nowhere'],
  ['COUNTERSIGN_CONFIG', '/nowhere/countersign.json'],
])('%s=%s is refused by its name', (name, value) => {
  expect(() => load({ [name]: value })).toThrow(new RegExp(`^${name}: .+`));
});
