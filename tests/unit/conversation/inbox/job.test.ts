import { expect, test } from 'vitest';
import type { InboxContext } from '#chat/inbox/inbox-context.ts';
import type { DeliveryContext } from '#chat/outbox/delivery-context.ts';
import { type JobName, type JobPayload, queueOf } from '#domain/jobs.ts';
import { deliverJobs, inboxJobs } from '#jobs/jobs.ts';
import { queuesFor } from '#jobs/queues.ts';

const handler = async () => {};
const port = { post: handler, update: handler, whisper: handler };

const namesOf = (jobs: { queue: { name: string } }[]) => jobs.map(({ queue }) => queue.name);
// Without a database, any query would fail.
const inbox = (handlers: object) => namesOf(inboxJobs({ handlers } as InboxContext));
const deliver = (ports: object) => namesOf(deliverJobs({ ports } as DeliveryContext));

test.each([
  [[], []],
  [['slack'], ['inbox-slack']],
  [['teams'], ['inbox-teams']],
  [
    ['slack', 'teams'],
    ['inbox-slack', 'inbox-teams'],
  ],
])('a process that serves %j takes wakeups from %j', (platforms, expected) => {
  expect(inbox(Object.fromEntries(platforms.map((name) => [name, handler])))).toEqual(expected);
});

test('a process that can write to one platform takes what is to be shown there only', () => {
  expect(deliver({})).toEqual([]);
  expect(deliver({ teams: port })).toEqual(['deliver-teams']);
});

test.each<[JobName, JobPayload<JobName>, string]>([
  ['inbox', { platform: 'slack', tenant: 'T', thread: 'C' }, 'inbox-slack'],
  ['inbox', { platform: 'teams', tenant: 'T', thread: 'C' }, 'inbox-teams'],
  ['deliver', { conversation: `slack-${'0'.repeat(32)}` }, 'deliver-slack'],
  ['deliver', { conversation: `teams-${'0'.repeat(32)}` }, 'deliver-teams'],
  ['step', { plan_id: 'PLAN-1' }, 'step'],
])('a job %s with %j goes to the queue %s, which exists', (name, payload, queue) => {
  expect(queueOf(name, payload)).toBe(queue);
  expect(namesOf(queuesFor(['slack', 'teams']).map((one) => ({ queue: one })))).toContain(queue);
});
