// The events that acknowledging is measured with: as many duplicates and retries as they say, and all within reach of a retry.
import { isValidSlackRequest } from '@slack/bolt';
import { expect, test } from 'vitest';
import { drawSendings, sign, signingSecret } from '#bench/slack-events.ts';

const sendings = drawSendings(6000, '000001');

test('a tenth of the sendings is a message that came already, and a twentieth the same request once more', () => {
  const retries = sendings.filter(({ retry }) => retry > 0);
  const messages = new Set(sendings.map(({ message }) => message));
  expect(retries.length / sendings.length).toBeCloseTo(0.05, 2);
  expect((sendings.length - retries.length - messages.size) / sendings.length).toBeCloseTo(0.1, 2);
});

test('what comes again is the same message under another id, and what is tried again is the same to the byte', () => {
  for (const [message, some] of Map.groupBy(sendings, (one) => one.message)) {
    const parsed = some.map(({ body }) => JSON.parse(body));
    expect(new Set(parsed.map(({ event }) => event.ts)).size).toBe(1);
    for (const { retry, body } of some) {
      if (retry > 0) expect(some.some((one) => one.retry === 0 && one.body === body)).toBe(true);
    }
    expect(some.length).toBeGreaterThan(0);
    expect(message).toBeGreaterThanOrEqual(0);
  }
});

test('messages of another run are others', () => {
  const ids = (run: string): string[] =>
    drawSendings(100, run).map(({ body }) => JSON.parse(body).event_id);
  const known = new Set(ids('000001'));
  expect(ids('000002').filter((id) => known.has(id))).toEqual([]);
});

test('are signed as Slack does', () => {
  const now = new Date('2026-05-04T09:30:00Z');
  const [sending] = sendings;
  if (sending === undefined) throw new Error('nothing was drawn');
  const { body, headers } = sign(sending, now);
  const valid = (text: string) =>
    isValidSlackRequest({
      signingSecret,
      body: text,
      headers: {
        'x-slack-signature': headers['x-slack-signature'] ?? '',
        'x-slack-request-timestamp': Number(headers['x-slack-request-timestamp']),
      },
      nowMilliseconds: now.getTime(),
    });
  expect(valid(body)).toBe(true);
  expect(valid(`${body} `)).toBe(false);
});
