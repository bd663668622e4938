// What somebody sets on their Home tab is kept while they may mean it; later they are told, and see what is kept.
import { expect, test } from 'vitest';
import { setFromHome } from '#adapters/slack/lists/home.ts';
import type { SlackContext } from '#adapters/slack/slack-context.ts';
import { readSignal } from '#adapters/slack/transport/read-signal.ts';

const now = new Date('2026-03-02T09:30:00Z');
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

async function setAfter(ms: number) {
  const done: string[] = [];
  // Only what a setting touches.
  const context = {
    people: { find: async () => ({ id: 'ana' }) },
    service: { setPolicy: async () => void done.push('kept') },
    openHome: async () => void done.push('shown'),
    clientOf: async () => ({
      chat: {
        postMessage: async ({ channel }: { channel: string }) => void done.push(`told ${channel}`),
      },
    }),
    warn() {},
  } as unknown as SlackContext;
  const signal = readSignal(body);
  if (signal?.kind !== 'press') throw new Error('It is no press.');
  expect(await setFromHome(context, signal, { at: new Date(now.getTime() - ms), now })).toBe(true);
  return done;
}

test('a setting counts for half an hour; one that is older changes nothing, and whoever made it is told', async () => {
  expect(await setAfter(30 * 60_000)).toEqual(['kept', 'shown']);
  expect(await setAfter(30 * 60_000 + 1)).toEqual(['told U1', 'shown']);
});
