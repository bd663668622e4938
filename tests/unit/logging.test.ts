// Secrets never get into the log, at any depth of what is logged.
import pino from 'pino';
import { expect, test } from 'vitest';
import { logOptions } from '#app/logging.ts';

function log(fields: object): Record<string, unknown> {
  const lines: string[] = [];
  pino(logOptions('info'), { write: (text: string) => lines.push(text) }).info(fields, 'said');
  return JSON.parse(lines.join(''));
}

const names = [
  'authorization',
  'token',
  'apiKey',
  'api_key',
  'password',
  'botToken',
  'appToken',
  'signingSecret',
  'clientSecret',
  'stateSecret',
  'encryptionKey',
];

test.each(names)('%s is not told', (name) => {
  const fields = { [name]: 'hush', one: { [name]: 'hush' }, two: { deep: { [name]: 'hush' } } };
  expect(log(fields)).toMatchObject({
    [name]: '[secret]',
    one: { [name]: '[secret]' },
    two: { deep: { [name]: '[secret]' } },
  });
});

test('what is no secret is told, and of an error nothing that hangs on it', () => {
  const error = Object.assign(new Error('lost'), { client: { password: 'hush' } });
  const line = log({ plan: 'PLAN-00000001', err: error });
  expect(line).toMatchObject({ msg: 'said', plan: 'PLAN-00000001', err: { message: 'lost' } });
  expect(JSON.stringify(line)).not.toContain('hush');
});
