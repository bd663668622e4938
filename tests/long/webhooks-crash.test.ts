// kill -9 between a webhook's call and its record.
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openReceiver, type Receiver } from '../fixtures/webhook-receiver.ts';
import { useDatabase } from '../setup/database.ts';
import { ana, noop, openTestInstance } from '../setup/instance.ts';
import { useFixture } from '../setup/process.ts';
import { waitFor } from '../wait.ts';

const database = useDatabase();
const startWorker = useFixture('webhook-process.ts');
let receiver: Receiver;
beforeAll(async () => {
  receiver = await openReceiver();
});
afterAll(() => receiver.close());

test('an event whose sender was killed after the call comes again under the same id', async () => {
  const env = { DATABASE_URL: database.url };
  const doomed = startWorker(
    { ...env, COUNTERSIGN_CRASH_AT: 'webhook_sent' },
    receiver.url,
    receiver.secret,
  );
  const gateway = await openTestInstance(database.url, { work: false });
  await waitFor(
    'the endpoint',
    async () =>
      (await gateway.db.query.execute(sql`select 1 from countersign.webhook_endpoints`)).rows
        .length === 1,
    { timeoutMs: 60_000 },
  );
  const plan = await gateway.service.propose(
    { title: 'A plan', steps: [noop('a')] },
    { user: 'ana' },
    ana,
  );
  expect((await doomed.exited).signal).toBe('SIGKILL');
  expect(receiver.received).toHaveLength(1);
  startWorker(env, receiver.url, receiver.secret);
  await waitFor('the event again', () => receiver.received.length === 2, { timeoutMs: 90_000 });
  const [once, again] = receiver.received;
  expect(again?.id).toBe(once?.id);
  expect(again?.data.plan?.id).toBe(plan.id);
  const tries = await waitFor('the record', async () => {
    const { rows } = await gateway.db.query.execute<{ tries: number }>(
      sql`select tries from countersign.webhook_deliveries where state = 'delivered'`,
    );
    return rows[0]?.tries;
  });
  // A crash counts as a failure with a delay, so it can't loop.
  expect(tries).toBe(2);
  await gateway.close();
});
