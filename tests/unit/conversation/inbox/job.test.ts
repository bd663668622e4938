// The job of the inbox in a process that does not serve a platform.
import { expect, test } from 'vitest';
import type { InboxContext } from '#conversation/inbox/inbox-context.ts';
import { inboxJobs } from '#jobs/inbox.ts';

function jobOf(handlers: InboxContext['handlers'], said: string[] = []) {
  // Nothing of the database may be asked for: what is not there cannot be.
  return inboxJobs({
    handlers,
    warn: (message: string) => void said.push(message),
  } as unknown as InboxContext);
}

test('events of a platform without a handler are left alone, and that is said once', async () => {
  const said: string[] = [];
  const [job] = jobOf({ slack: async () => {} }, said);
  const { signal } = new AbortController();
  for (let i = 0; i < 2; i++)
    await job?.handle({ platform: 'teams', tenant: 'T1', thread: 'C1' }, signal);
  expect(said).toEqual([
    'Events of Teams wait: this worker does not serve it. Start one with its settings.',
  ]);
});

test('slips are left to others where no platform is served', () => {
  expect(jobOf({})).toEqual([]);
  expect(jobOf({ teams: async () => {} })).toHaveLength(1);
});
