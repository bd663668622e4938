// The job of the inbox in a process that does not serve a platform.
import { expect, test } from 'vitest';
import type { InboxContext } from '#conversation/inbox/inbox-context.ts';
import { inboxJob } from '#jobs/inbox.ts';

test('events of a platform without a handler are left alone, and that is said once', async () => {
  const said: string[] = [];
  // Nothing of the database may be asked for: what is not there cannot be.
  const context = {
    handlers: {},
    warn: (message: string) => void said.push(message),
  } as unknown as InboxContext;
  const { handle } = inboxJob(context);
  const { signal } = new AbortController();
  for (const platform of ['slack', 'slack', 'teams', 'slack'] as const)
    await handle({ platform, tenant: 'T1', thread: 'C1' }, signal);
  expect(said).toEqual([
    'Events of Slack wait: this worker does not serve it. Start one with its settings.',
    'Events of Teams wait: this worker does not serve it. Start one with its settings.',
  ]);
});
