// Inbox reads grow with open plans, not with ended ones.
import { sql } from 'drizzle-orm';
import { beforeAll, describe, expect, test } from 'vitest';
import { fillPlans, personOf } from '#bench/fill-plans.ts';
import { readInbox } from '#conversation/inbox.ts';
import { createLivePlans } from '#conversation/live-plans.ts';
import { readWithin } from '#conversation/plans-within.ts';
import type { Database } from '#db/database.ts';
import { endedCounted, readLivePlans } from '#db/plans/groups.ts';
import type { InboxGroup, InboxQuery } from '#domain/plan/inbox.ts';
import { explainReads } from '../../fixtures/explained-database.ts';
import { useInstance } from '../../setup/use-instance.ts';
import { waitFor } from '../../wait.ts';

const ended = 20_000;
const live = 60;
const reader = personOf(3);
const instance = useInstance({ work: false });
beforeAll(async () => {
  await fillPlans(instance.db, { people: 50, ended, live });
  await instance.db.query.execute(sql`
    update countersign.plans set tenant = case when id < 'PLAN-00002710' then 'slack:T1' else 'slack:T2' end
    where right(id, 1) < 'c'`);
  await instance.db.pool.query('vacuum (analyze) countersign.plans');
}, 120_000);
const scope = { tenant: 'slack:T1', reader };
const context = (db: Database) => ({ db, approvers: [reader], guardedApprovers: {} });

type Read = (db: Database) => Promise<unknown>;
const read = (db: Database, query: Partial<InboxQuery> = {}, live = createLivePlans(db)) =>
  readInbox(context(db), live, { user: reader, limit: 25, ...query });
const ask = (query: Partial<InboxQuery> = {}): Read => {
  return (db) => read(db, query);
};
const within: Read = async (db) => {
  const query = { user: reader, limit: 25 };
  return readInbox(context(db), createLivePlans(db), query, await readWithin(context(db), scope));
};
const behind =
  (group: InboxGroup): Read =>
  async (db) => {
    const { groups } = await read(instance.db, { group });
    await read(db, { group, cursor: groups[0]?.next_cursor ?? '' });
  };

describe(`with ${ended} ended plans`, () => {
  test.each<[string, Read, number]>([
    ['the whole inbox', ask(), 2000],
    ['what needs the reader', ask({ group: 'needs_you' }), 1200],
    ['one group', ask({ group: 'done' }), 2000],
    ['the next page of done plans', behind('done'), 2000],
    ['the next page of failed plans', behind('failed'), 2000],
    ['the inbox of one organisation', within, 2000],
  ])('%s is read by index', async (_, work, blocks) => {
    const found = await explainReads(instance.db, work);
    expect(found.scanned).not.toContain('plans');
    expect(found.scanned).not.toContain('plan_versions');
    expect(found.temporary).toBe(0);
    expect(found.blocks).toBeLessThan(blocks);
  });

  test('ended plans are counted up to a bound, live ones exactly', async () => {
    const { groups } = await read(instance.db, { limit: 1 });
    const counts = Object.fromEntries(groups.map(({ group, ...page }) => [group, page]));
    expect(counts.done).toMatchObject({ total: endedCounted, counted: false });
    expect(counts.failed?.counted).toBe(false);
    const of = (name: InboxGroup) => counts[name]?.total ?? 0;
    expect(of('needs_you') + of('running') + of('others') + of('failed') - endedCounted).toBe(live);
  });

  test('pages follow one another without a gap, past the bound', async () => {
    const seen: string[] = [];
    for (let cursor: string | undefined; seen.length < endedCounted + 500; ) {
      const query = { limit: 100, group: 'done' as const };
      const { groups } = await read(instance.db, {
        ...query,
        ...(cursor === undefined ? {} : { cursor }),
      });
      seen.push(...(groups[0]?.plans.map(({ id }) => id) ?? []));
      cursor = groups[0]?.next_cursor ?? '';
    }
    const { rows } = await instance.db.query.execute<{ id: string }>(sql`
      select id from countersign.plans where status in ('completed', 'rejected', 'cancelled')
      order by updated_at desc, id desc limit ${seen.length}`);
    expect(seen).toEqual(rows.map(({ id }) => id));
  });
});

describe('with many live plans', () => {
  const more = 600;
  beforeAll(async () => {
    await fillPlans(instance.db, { people: 300, ended: 0, live: more }, ended + live);
    // Every third lets anyone in its conversation approve; two people wrote there.
    await instance.db.query.execute(sql`
      with asked as (
        update countersign.plans set approver_policy = '{"kind":"anyone"}', conversation = 'c' || right(id, 2)
        where ended_as is null and right(id, 1) in ('1', '4', '7', 'a', 'd') returning conversation
      )
      insert into countersign.messages (conversation, author, name, text)
      select conversation, 'person', name, 'hello'
      from (select distinct conversation from asked) c, unnest('{one,two}'::text[]) as name`);
  });

  test.each([
    ['of somebody whom none names', 'somebody@corp.example', 10],
    ['of a requester', personOf(7), 25],
    ['of somebody who has written elsewhere', 'three', 10],
  ])('the inbox %s is answered the few plans that may wait for them', async (_, user, rows) => {
    const live = createLivePlans(instance.db);
    const found = await explainReads(instance.db, (db) =>
      read(db, { user, limit: 1, group: 'needs_you' }, live),
    );
    expect(found.rows).toBeLessThan(rows);
    expect(found.statements).toBeLessThanOrEqual(7);
  });

  test('a further read finds by index the plan that has changed', async () => {
    const { plans, ...first } = await readLivePlans(instance.db.query, null);
    expect(plans).toHaveLength(live + more);
    const [one] = plans;
    // Open transactions in other databases hold the horizon back.
    const known = await waitFor('the horizon to have passed the plans', async () => {
      const { plans: again, ...next } = await readLivePlans(instance.db.query, first);
      Object.assign(first, next);
      return again.length === 0 ? next : null;
    });
    await instance.db.query.execute(
      sql`update countersign.plans set updated_at = now() where id = ${one?.id}`,
    );
    const found = await explainReads(instance.db, (db) => readLivePlans(db.query, known));
    expect(found).toMatchObject({ statements: 1, rows: 1, scanned: [], temporary: 0 });
    expect(found.blocks).toBeLessThan(live + more);
  });

  test('somebody who has written where anyone counts finds those plans', async () => {
    const { groups } = await read(instance.db, { user: 'One', limit: 1, group: 'needs_you' });
    expect(groups[0]?.total).toBeGreaterThan(50);
  });
});
