// Filters events if several workspaces may add the app.
import { expect, test } from 'vitest';
import { guardWorkspaces } from '#adapters/slack/install/guard-workspaces.ts';
import { requireAllowed } from '#adapters/slack/install/tokens.ts';
import { CountersignError } from '#domain/errors.ts';

const body = { team_id: 'T1', enterprise_id: 'E1', event: { type: 'message' } };

async function handleFirst(allowed: string[]): Promise<string[]> {
  const handled: string[] = [];
  let joined = false;
  const unasked = () => Promise.reject(new Error('This is not asked.'));
  const handle = guardWorkspaces(
    async ({ tenant }) => {
      handled.push(tenant);
    },
    {
      installations: {
        find: unasked,
        read: unasked,
        remove: unasked,
        join: async () => {
          joined = true;
          return true;
        },
      },
      tokens: {
        async of(team) {
          if (!joined) throw new CountersignError('not_allowed', `Not installed in ${team}.`);
          requireAllowed({ owner: 'E1', name: 'Globex Inc.' }, allowed);
          return 'xoxb-1';
        },
      },
      isAlive: unasked,
      warn: () => {},
    },
  );
  const event = {
    id: 1,
    platform: 'slack' as const,
    tenant: 'T1',
    thread: 'C1',
    kind: 'event',
    body: Buffer.from(JSON.stringify(body)),
    received_at: new Date(0),
  };
  const one = {
    attempt: 1,
    signal: AbortSignal.abort(),
    markHandled: async () => {},
    age: () => 0,
    reply: () => {},
    forget: () => {},
  };
  await handle(event, one);
  return handled;
}

test('a workspace that comes with its organisation is handled', async () => {
  expect(await handleFirst(['E1'])).toEqual(['T1']);
});

test('a workspace whose organisation may not use this Countersign is not let in by that', async () => {
  await expect(handleFirst(['E2'])).rejects.toThrow(/Globex Inc\. \(E1\) in Slack may not use/);
});
