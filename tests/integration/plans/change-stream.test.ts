// Bulk changes are stored together, read one by one.
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Change } from '#domain/plan/views.ts';
import { useDatabase } from '../../setup/database.ts';
import { noop, openTestInstance, reach, runPlan, type TestInstance } from '../../setup/instance.ts';

// More than fit in two rows.
const steps = 1203;

const database = useDatabase();
let instance: TestInstance;
let id: string;
let all: Change[];

beforeAll(async () => {
  instance = await openTestInstance(database.url);
  const names = Array.from({ length: steps }, (_, at) => noop(`s${at + 1}`));
  id = (await runPlan(instance, names)).id;
  await reach(instance, id, 'completed');
  all = (await instance.service.diff(id, 0, 10_000)).changes;
});
afterAll(() => instance.close());

async function readInPages(limit: number, compact: boolean, since = 0): Promise<Change[]> {
  const changes: Change[] = [];
  for (let from = since; ; ) {
    const page = await instance.service.diff(id, from, limit, compact);
    expect(page.changes.length).toBeLessThanOrEqual(limit);
    changes.push(...page.changes);
    if (!page.more) return changes;
    expect(page.to).toBeGreaterThan(from);
    from = page.to;
  }
}

test('a change has a revision of its own, and those of a step are in the order of its course', async () => {
  const { revision } = await instance.service.overview(id);
  expect(all.map((change) => change.revision)).toEqual(
    Array.from({ length: revision }, (_, at) => at + 1),
  );
  const course = new Map<string, string[]>();
  for (const { step_id, status } of all) {
    if (step_id !== null) course.set(step_id, [...(course.get(step_id) ?? []), String(status)]);
  }
  expect(course.size).toBe(steps);
  expect(new Set([...course.values()].map((statuses) => statuses.join(' ')))).toEqual(
    new Set(['ready running succeeded']),
  );
  const { rows } = await instance.db.query.execute<{ rows: number; longest: number }>(sql`
    select count(*)::int as rows, max(n) as longest from countersign.plan_events
    where plan_id = ${id} and status = 'ready'`);
  expect(rows).toEqual([{ rows: Math.ceil(steps / 500), longest: 500 }]);
});

test.each([7, 100, 499, 500, 501, 5000])('pages of %i are the whole stream', async (limit) => {
  expect(await readInPages(limit, false)).toEqual(all);
});

test.each([1, 250, 501, 1203, 2000])('a reader goes on from revision %i', async (since) => {
  expect(await readInPages(333, false, since)).toEqual(all.slice(since));
});

test('a compact reader learns the last of each step', async () => {
  const last = (changes: Change[]) =>
    Object.fromEntries(changes.map(({ step_id, status }) => [step_id ?? 'plan', status]));
  const compact = await readInPages(100, true);
  expect(last(compact)).toEqual(last(all));
  expect(compact.length).toBeLessThan(all.length);
});

test('the latest changes are shown newest first', async () => {
  const { recent_events } = await instance.service.overview(id);
  expect(recent_events).toEqual(all.toReversed().slice(0, recent_events.length));
  expect(recent_events).toHaveLength(20);
});
