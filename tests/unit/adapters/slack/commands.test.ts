// Commands are answered at an address that ends after half an hour.
import { expect, test, vi } from 'vitest';
import { createHandler } from '#adapters/slack/open-slack.ts';
import { nameSignal } from '#adapters/slack/signals/name-signal.ts';
import { readSignal } from '#adapters/slack/signals/read-signal.ts';
import type { SlackContext } from '#adapters/slack/slack-context.ts';

const body = Buffer.from(
  new URLSearchParams({
    command: '/plans',
    team_id: 'T1',
    channel_id: 'C1',
    user_id: 'U1',
    trigger_id: 't',
    response_url: 'https://hooks.slack.com/commands/1',
  }).toString(),
);
const now = new Date('2026-03-02T09:30:00Z');

test('a command waits in a thread of its own', () => {
  const signal = readSignal(body);
  expect(signal && nameSignal(signal, body, now).thread).toBe('command:U1');
});

test.each([
  [30 * 60_000, 1],
  [30 * 60_000 + 1, 0],
])('a command that is %i ms old is looked at %i times', async (age, times) => {
  const find = vi.fn(() => Promise.reject(new Error('Nobody is known here.')));
  const context = { people: { find }, clock: { now: () => now } } as unknown as SlackContext;
  const handle = createHandler(context);
  const event = { id: 1, body, received_at: new Date(now.getTime() - age) };
  await handle(event as Parameters<typeof handle>[0], {} as Parameters<typeof handle>[1]).catch(
    () => {},
  );
  expect(find).toHaveBeenCalledTimes(times);
});
