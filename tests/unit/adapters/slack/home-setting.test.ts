import { expect, test } from 'vitest';
import { setFromHome } from '#adapters/slack/lists/home.ts';
import { readSignal } from '#adapters/slack/signals/read-signal.ts';
import type { SlackContext } from '#adapters/slack/slack-context.ts';
import { CountersignError } from '#domain/errors.ts';
import type { PolicyChange } from '#domain/service.ts';

const at = new Date('2026-03-02T09:30:00Z');
const body = Buffer.from(
  JSON.stringify({
    type: 'block_actions',
    team: { id: 'T1' },
    user: { id: 'U1' },
    container: { type: 'view', view_id: 'V1' },
    trigger_id: 't',
    view: {
      id: 'V1',
      hash: 'h',
      type: 'home',
      private_metadata: '',
      callback_id: '',
      state: { values: {} },
    },
    actions: [
      {
        action_id: 'countersign:policy:tone',
        block_id: 'b',
        action_ts: '1772443800.0',
        type: 'static_select',
        selected_option: { value: 'friendly' },
      },
    ],
  }),
);

async function setWith(keep: (change: PolicyChange) => Promise<void>) {
  const done: string[] = [];
  const context = {
    people: { find: async () => ({ id: 'ana' }) },
    service: { setPolicy: (_user: string, change: PolicyChange) => keep(change) },
    openHome: async () => void done.push('shown'),
    clientOf: async () => ({
      chat: {
        postMessage: async ({ channel, text }: { channel: string; text: string }) =>
          void done.push(`told ${channel}: ${text}`),
      },
    }),
    warn() {},
  } as unknown as SlackContext;
  const signal = readSignal(body);
  if (signal?.kind !== 'press') throw new Error('It is no press.');
  expect(await setFromHome(context, signal, at)).toBe(true);
  return done;
}

test('a setting is kept with the moment at which it was made', async () => {
  const kept: PolicyChange[] = [];
  expect(await setWith(async (change) => void kept.push(change))).toEqual(['shown']);
  expect(kept).toEqual([{ policy: { tone: 'friendly' }, keep: true, pressed: { at } }]);
});

test('whoever made a setting that is refused is told why, and sees what is kept', async () => {
  const done = await setWith(async () => {
    throw new CountersignError('stale_version', 'Set it again.');
  });
  expect(done).toEqual(['told U1: Set it again.', 'shown']);
});
