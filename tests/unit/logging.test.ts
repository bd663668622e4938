import pino from 'pino';
import { expect, test } from 'vitest';
import { formatForTerminal, logOptions } from '#app/logging.ts';

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

test('a terminal gets one readable line an entry, without control characters', () => {
  const esc = String.fromCharCode(27);
  const err = { message: `no${esc}[31m` };
  const shown = formatForTerminal(JSON.stringify({ level: 40, time: 0, msg: 'Lost', err }));
  expect(shown).toMatch(/^\d\d:\d\d:\d\d warn {2}Lost \(no.+\)\n$/);
  expect(shown).not.toContain(esc);
});
