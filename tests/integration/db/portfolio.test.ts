// Other plans' use of a person's time.
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Database, openDatabase } from '#db/database.ts';
import { readNameKeys } from '#db/people/identities.ts';
import { createPortfolioReader } from '#db/plans/portfolio.ts';
import { useDatabase } from '../../setup/database.ts';

const database = useDatabase();
let db: Database;

beforeAll(() => {
  db = openDatabase(database.url, { max: 2, applicationName: 'test', onError: () => {} });
});
afterAll(() => db.close());
beforeEach(() => db.query.execute(sql`truncate countersign.plans cascade`));

type Planned = {
  id: string;
  status?: string;
  version?: number;
  planned?: number[];
  run?: string | null;
  person?: string | null;
  from?: string;
  to?: string;
};

const addVersion = (id: string, number: number) =>
  db.query.execute(sql`
    insert into countersign.plan_versions (plan_id, version, digest, title, context, risks,
      approver_policy, tools_required, total, planner_model)
    values (${id}, ${number}, 'd', 't', '{}', '[]', '{"kind":"requester"}', '{}', 0, 'm')`);

async function plan({
  id,
  status = 'executing',
  version = 1,
  planned = [1],
  run = null,
  person = 'ana',
  from = '2026-03-10T09:00:00Z',
  to = '2026-03-10T10:00:00Z',
}: Planned) {
  await db.query.execute(sql`
    insert into countersign.plans (id, status, version, digest, revision, total, title, requester, approver_policy,
      run_id, planner_model, tools_required, guarded_operations)
    values (${id}, ${status}, ${version}, 'd', 1, 0, ${`Plan ${id}`}, 'ana', '{"kind":"requester"}', ${run}, 'm', '{}', '{}')`);
  for (const number of planned) {
    await addVersion(id, number);
    await db.query.execute(sql`
      insert into countersign.planning_artifacts (plan_id, version) values (${id}, ${number})`);
    await db.query.execute(sql`
      insert into countersign.outline_nodes (plan_id, version, node_id, position, title, structure, rhythm, level, content)
      values (${id}, ${number}, 'n', 1, ${`Review ${number}`}, 'task', 'one_off', 2, '{"duration_minutes": 45}')`);
    await db.query.execute(sql`
      insert into countersign.schedule_blocks (plan_id, version, node_id, starts_at, ends_at, fixed, holds, person)
      values (${id}, ${number}, 'n', ${from}, ${to}, false, true, ${person})`);
  }
}

function read(
  more: { people?: string[]; from?: string; to?: string; exceptRun?: string } = {},
  limit?: number,
) {
  return createPortfolioReader(db.query, {
    ...(limit === undefined ? {} : { limit }),
    keysOf: (people) => readNameKeys(db.query, people),
  })({
    people: more.people ?? ['ana'],
    from: new Date(more.from ?? '2026-03-10T00:00:00Z'),
    to: new Date(more.to ?? '2026-03-11T00:00:00Z'),
    exceptRun: more.exceptRun ?? 'run-1',
  });
}

test('a block says whose it is, what it is and when', async () => {
  await plan({ id: 'PLAN-1' });
  expect(await read()).toEqual({
    more: false,
    blocks: [
      {
        plan_id: 'PLAN-1',
        plan_title: 'Plan PLAN-1',
        node_id: 'n',
        node_title: 'Review 1',
        person: 'ana',
        starts_at: new Date('2026-03-10T09:00:00Z'),
        ends_at: new Date('2026-03-10T10:00:00Z'),
        minutes: 45,
      },
    ],
  });
});

test('only plans that may still happen count, and not what came of the same planning run', async () => {
  for (const status of [
    'proposed',
    'approved',
    'executing',
    'completed',
    'rejected',
    'cancelled',
    'failed',
  ])
    await plan({ id: `PLAN-${status}`, status });
  await plan({ id: 'PLAN-own', run: 'run-1' });
  const { blocks } = await read();
  expect(blocks.map(({ plan_id }) => plan_id)).toEqual([
    'PLAN-approved',
    'PLAN-executing',
    'PLAN-proposed',
  ]);
});

test('only the people and the time that were asked for count', async () => {
  await plan({ id: 'PLAN-machine', person: null });
  await plan({ id: 'PLAN-ben', person: 'ben' });
  await plan({ id: 'PLAN-touching', from: '2026-03-09T23:00:00Z', to: '2026-03-10T00:00:00Z' });
  await plan({ id: 'PLAN-reaching', from: '2026-03-09T23:00:00Z', to: '2026-03-10T00:00:01Z' });
  await plan({ id: 'PLAN-after', from: '2026-03-11T00:00:00Z', to: '2026-03-11T01:00:00Z' });
  expect((await read()).blocks.map(({ plan_id }) => plan_id)).toEqual(['PLAN-reaching']);
  expect((await read({ people: [] })).blocks).toEqual([]);
});

test('a person’s time is theirs under each of their names', async () => {
  await db.query.execute(sql`
    insert into countersign.identities (account, person)
    values ('slack:T1:U2', 'ben@example.com'), ('ben@example.com', 'ben@example.com')`);
  await plan({ id: 'PLAN-account', person: 'slack:T1:U2' });
  await plan({ id: 'PLAN-address', person: '@Ben@example.com' });
  await plan({ id: 'PLAN-other', person: 'slack:t1:u2' });
  const { blocks } = await read({ people: ['slack:T1:U2'] });
  expect(blocks.map(({ plan_id, person }) => [plan_id, person])).toEqual([
    ['PLAN-account', 'slack:T1:U2'],
    ['PLAN-address', 'slack:T1:U2'],
  ]);
});

test('of several versions the one that holds is read, also where the plan was patched since, and none of a proposal since', async () => {
  await plan({ id: 'PLAN-revised', version: 2, planned: [1, 2] });
  await plan({ id: 'PLAN-patched', version: 2, planned: [1] });
  await plan({ id: 'PLAN-rewritten', version: 2, planned: [1] });
  for (const id of ['PLAN-patched', 'PLAN-rewritten']) await addVersion(id, 2);
  await db.query.execute(sql`
    insert into countersign.plan_patches (id, plan_id, status, version, digest, base_revision, operations, widening, added, changed, removed, proposed_by)
    values ('PATCH-00000001', 'PLAN-patched', 'applied', 2, 'd', 1, '[]', '{}', 1, 0, 0, 'ana')`);
  expect((await read()).blocks.map(({ plan_id, node_title }) => [plan_id, node_title])).toEqual([
    ['PLAN-patched', 'Review 1'],
    ['PLAN-revised', 'Review 2'],
  ]);
});

test('a page is bounded and says that there is more', async () => {
  for (const id of ['a', 'b', 'c']) await plan({ id });
  expect(await read({}, 2)).toMatchObject({
    more: true,
    blocks: [{ plan_id: 'a' }, { plan_id: 'b' }],
  });
  expect(await read({}, 3)).toMatchObject({ more: false });
});

test('where several organisations share an instance, what plans of another ask of a person is not told', async () => {
  await db.query.execute(sql`truncate countersign.runs cascade`);
  for (const id of ['here', 'there', 'nowhere']) await plan({ id });
  await db.query.execute(sql`
    update countersign.plans set tenant = case id when 'here' then 'slack:T1' else 'slack:T2' end
    where id <> 'nowhere'`);
  await db.query.execute(sql`
    insert into countersign.runs (id, "user", via, tenant, conversation, planning_status, request, modes)
    values ('run-1', 'ana', 'slack', 'slack:T1', 'conv-run', 'planning', 'r', '{}')`);
  const window = { from: new Date('2026-03-10T00:00:00Z'), to: new Date('2026-03-11T00:00:00Z') };
  const query = { people: ['ana'], ...window, exceptRun: 'run-1' };
  const apart = createPortfolioReader(db.query, { apart: true });
  expect((await apart(query)).blocks.map(({ plan_id }) => plan_id)).toEqual(['here']);
  const others = createPortfolioReader(db.query);
  expect((await others(query)).blocks).toHaveLength(3);
});
