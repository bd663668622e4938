// A process's cached live plans match the database at each read.
import { sql } from 'drizzle-orm';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { createLivePlans } from '#conversation/live-plans.ts';
import type { Database } from '#db/database.ts';
import { person } from '#domain/people/actor.ts';
import type { Plan } from '#domain/plan/plan.ts';
import { countStatements } from '../../fixtures/counted-database.ts';
import { draftStep } from '../../fixtures/steps.ts';
import { noop } from '../../setup/instance.ts';
import { useInstance } from '../../setup/use-instance.ts';
import { waitFor } from '../../wait.ts';

const ana = person('ana@corp.example', 'slack');
const ben = person('ben@corp.example', 'slack');
const instance = useInstance({ work: false });
let kept: ReturnType<typeof createLivePlans>;
beforeAll(() => {
  kept = createLivePlans(instance.db);
});
beforeEach(() => instance.db.query.execute(sql`truncate countersign.plans cascade`));

const ask = { ...draftStep('h', 'Read it', 'human_task'), args: { question: 'Is it right?' } };
const propose = (approvers: object = { kind: 'requester' }): Promise<Plan> =>
  instance.service.propose(
    { title: 'One', approvers, steps: [noop('a'), ask] } as never,
    { user: ana.id },
    ana,
  );
const write = (statement: ReturnType<typeof sql>) => instance.db.query.execute(statement);
const decisionOf = ({ version, digest }: Plan) => ({ version, digest });
const raise = ({ id }: Plan) =>
  instance.service.raiseFinding(
    id,
    { severity: 'ERROR', category: 'reported', message: 'Wrong.', evidence: [], step_id: 'a' },
    ana,
  );
const idsOf = async (read = kept) => (await read()).map(({ id }) => id);

const changes: Record<string, (plan: Plan) => Promise<unknown>> = {
  'is approved': (plan) => instance.service.approve(plan.id, decisionOf(plan), ana),
  'is approved by one of two': async () => {
    const two = await propose({ kind: 'n_of', n: 2, people: [ana.id, ben.id] });
    await kept();
    return instance.service.approve(two.id, decisionOf(two), ben);
  },
  'is cancelled': ({ id, version }) => instance.service.cancel(id, { version }, ana),
  'gets a problem': raise,
  'has a problem no longer': async (plan) => {
    const { id } = await raise(plan);
    await kept();
    return instance.service.settleFinding(plan.id, id, 'dismiss', ana);
  },
  'ended and gets a problem': async (plan) => {
    await write(sql`update countersign.plans set status = 'failed' where id = ${plan.id}`);
    await kept();
    return raise(plan);
  },
  'is changed': ({ id, revision }) =>
    instance.service.patch(
      id,
      { base_revision: revision, operations: [{ op: 'add_step', step: noop('b') }] } as never,
      ana,
    ),
  'is revised': (plan) =>
    instance.service.proposeChanges(plan.id, { ...decisionOf(plan), feedback: 'Again.' }, ana),
  'waits for a person': async ({ id }) => {
    await write(sql`
      update countersign.step_states set status = 'waiting', output = '{"assignee": "ben"}', started_at = now()
      where plan_id = ${id} and step_id = 'h'`);
    await write(
      sql`update countersign.plans set status = 'executing', waiting = waiting + 1 where id = ${id}`,
    );
  },
  'is deleted': ({ id }) => write(sql`delete from countersign.plans where id = ${id}`),
  'ends as another begins': async ({ id, version }) => {
    await instance.service.cancel(id, { version }, ana);
    await propose();
  },
};

test.each(Object.entries(changes))('a plan that %s is read as it is', async (_, change) => {
  await propose();
  const plan = await propose();
  expect(await idsOf()).toHaveLength(2);
  await change(plan);
  expect(await kept()).toEqual(await createLivePlans(instance.db)());
});

test('a change is seen although it began long before it was committed', async () => {
  const { id } = await propose();
  const { promise: mayCommit, resolve: commit } = Promise.withResolvers<void>();
  const { promise: written, resolve: noteWritten } = Promise.withResolvers<void>();
  const slow = instance.db.transaction(async (tx) => {
    await tx.execute(sql`update countersign.plans set status = 'needs_review' where id = ${id}`);
    noteWritten();
    await mayCommit;
  });
  await written;
  for (let times = 0; times < 3; times += 1) {
    await propose();
    expect((await kept()).find((plan) => plan.id === id)?.status).toBe('proposed');
  }
  commit();
  await slow;
  expect((await kept()).find((plan) => plan.id === id)?.status).toBe('needs_review');
});

// Once `another`, answers as if a failover lost the latest changes.
function failOver(db: Database): { db: Database; take(): void } {
  let server = 'first';
  const run: Database['query']['run'] = async (statement, values) =>
    (await db.query.run(statement, values)).map((row) => ({
      ...row,
      ...{ server, horizon: server === 'first' ? '1000000000' : row.horizon },
    })) as never;
  return {
    db: { ...db, query: Object.assign(Object.create(db.query), { run }) },
    take: () => {
      server = 'another';
    },
  };
}

test('another server is read from the beginning', async () => {
  const { id, version } = await propose();
  const { db, take } = failOver(instance.db);
  const read = createLivePlans(db);
  expect(await idsOf(read)).toEqual([id]);
  await write(sql`update countersign.plans set title = 'Two', version = 7 where id = ${id}`);
  expect(await read()).toMatchObject([{ version }]);
  take();
  expect(await read()).toMatchObject([{ version: 7 }]);
});

test('more plans than may be kept are read each time', async () => {
  const read = createLivePlans(instance.db, 1);
  const made = [await propose(), await propose()];
  expect(await idsOf(read)).toEqual(made.map(({ id }) => id).toReversed());
  await instance.service.cancel(made[0]?.id ?? '', { version: 1 }, ana);
  expect(await idsOf(read)).toEqual([made[1]?.id]);
});

test('many readers at once share two reads, none older than its question', async () => {
  await propose();
  const counted = countStatements(instance.db);
  const read = createLivePlans(counted.db);
  const first = read();
  const { id } = await propose();
  const later = await Promise.all(Array.from({ length: 20 }, () => idsOf(read)));
  expect(later.every((ids) => ids.includes(id))).toBe(true);
  expect(await first).not.toHaveLength(0);
  expect(counted.statements()).toBe(2);
});

test('a plan is read once for each change, with or without an open problem', async () => {
  await raise(await propose());
  await propose();
  const seen: string[] = [];
  const run: Database['query']['run'] = async (statement, values) => {
    const rows = await instance.db.query.run<{ id: string | null }>(statement, values);
    seen.push(...rows.flatMap(({ id }) => id ?? []));
    return rows as never;
  };
  const read = createLivePlans({ query: Object.assign(Object.create(instance.db.query), { run }) });
  expect(await read()).toHaveLength(2);
  expect(seen).toHaveLength(2);
  // Open transactions elsewhere hold the horizon back.
  await waitFor('a read of no plan', async () => {
    seen.length = 0;
    return (await read()).length === 2 && seen.length === 0;
  });
});

test('after a failed read the next one reads everything', async () => {
  const { id } = await propose();
  let fails = false;
  const run: Database['query']['run'] = (statement, values) =>
    fails ? Promise.reject(new Error('lost')) : instance.db.query.run(statement, values);
  const query = Object.assign(Object.create(instance.db.query), { run });
  const read = createLivePlans({ query });
  await read();
  fails = true;
  await expect(read()).rejects.toThrow('lost');
  fails = false;
  expect(await idsOf(read)).toEqual([id]);
});
