// Threads that share a statement: each fares as it would alone, whatever becomes of its neighbours.
import { sql } from 'drizzle-orm';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createThreadDesk, sharedSession } from '#conversation/inbox/thread-desk.ts';
import { type Database, openDatabase, type Queryable, type Statement } from '#store/database.ts';
import { enterThread, type Lease, settleAndTake, type Taken } from '#store/sql/inbox-thread.ts';
import { enterThreads, settleAndTakeEach } from '#store/sql/inbox-threads.ts';
import { makeEvent } from '#tests/fixtures/inbox-events.ts';
import { useDatabase } from '#tests/setup/database.ts';
import { openTestHouse, type TestHouse } from '#tests/setup/house.ts';
import { clearInbox, readInbox, textOf } from './bench.ts';

const database = useDatabase();
let house: TestHouse;
let shared: Database;
beforeAll(async () => {
  house = await openTestHouse(database.url, { work: false });
  shared = openDatabase(database.url, {
    max: 2,
    applicationName: 'shared',
    session: sharedSession,
    onError: () => {},
  });
});
afterAll(async () => {
  await shared.close();
  await house.close();
});
beforeEach(() => clearInbox(house));

const seconds = 10;
const leaseOf = (thread: string, holder = 'mine', tenant = 'T1'): Lease => ({
  platform: 'slack',
  tenant,
  thread,
  holder,
});
const makeDesk = (on: Pick<Queryable, 'run'> = shared.query) =>
  createThreadDesk(house.db.query, on, seconds);
const receive = (name: string, thread: string, tenant = 'T1') =>
  house.receive(makeEvent(name, { thread, tenant, keys: [`${tenant} ${name}`] }));

/** Of what was taken, what does not depend on when and under which number. */
const gistOf = ({ held, event }: Taken) => ({
  held,
  event: event && { text: textOf(event), attempt: event.attempt, failures: event.failures },
});

async function readLeases(tenant: string) {
  const { rows } = await house.db.query.execute<{ thread: string; holder: string }>(sql`
    select thread, holder from countersign.inbox_leases
    where tenant = ${tenant} and lease_until > clock_timestamp() order by thread`);
  return rows;
}

const stateOf = fc.record({
  /** Open events of the thread. */
  open: fc.integer({ min: 0, max: 3 }),
  firstDue: fc.boolean(),
  lease: fc.constantFrom('none', 'mine', 'theirs', 'run out'),
});

/** Puts a thread into a state. @returns the number of its first event */
async function setUp(
  tenant: string,
  name: string,
  { open, firstDue, lease }: { open: number; firstDue: boolean; lease: string },
): Promise<number> {
  const ids: number[] = [];
  for (let at = 0; at < open; at++) ids.push((await receive(`${name} ${at}`, name, tenant)).id);
  const [first = 0] = ids;
  if (!firstDue)
    await house.db.query.execute(
      sql`update countersign.inbox set due_at = clock_timestamp() + interval '1 hour' where id = ${first}`,
    );
  if (lease !== 'none')
    await house.db.query.execute(sql`
      insert into countersign.inbox_leases (platform, tenant, thread, holder, lease_until)
      values ('slack', ${tenant}, ${name}, ${lease === 'theirs' ? 'theirs' : 'mine'},
        clock_timestamp() + make_interval(secs => ${lease === 'run out' ? -1 : 60}))`);
  return first;
}

const named = (states: { open: number; firstDue: boolean; lease: string }[]) =>
  states.map((state, i) => ({ name: `C${i}`, state }));
const fewStates = fc.array(stateOf, { minLength: 1, maxLength: 5 });

test('threads that are entered together fare as each would alone', async () => {
  await fc.assert(
    fc.asyncProperty(fewStates, async (states) => {
      await clearInbox(house);
      const threads = named(states);
      for (const { name, state } of threads)
        for (const tenant of ['T1', 'T2']) await setUp(tenant, name, state);
      const leases = threads.map(({ name }) => leaseOf(name, 'new'));
      const together = await enterThreads(shared.query, leases, seconds);
      const alone: Taken[] = [];
      for (const lease of leases)
        alone.push(await enterThread(house.db.query, { ...lease, tenant: 'T2' }, seconds));
      expect(together.map(gistOf)).toEqual(alone.map(gistOf));
      expect(await readLeases('T1')).toEqual(await readLeases('T2'));
    }),
    { numRuns: 30 },
  );
}, 60_000);

test('events that are settled together fare as each would alone', async () => {
  const settled = fc.record({ state: stateOf, attempt: fc.integer({ min: 0, max: 1 }) });
  await fc.assert(
    fc.asyncProperty(fc.array(settled, { minLength: 1, maxLength: 5 }), async (all) => {
      await clearInbox(house);
      const threads = named(all.map(({ state }) => state));
      const ids: Record<string, number[]> = { T1: [], T2: [] };
      for (const tenant of ['T1', 'T2'])
        for (const { name, state } of threads) ids[tenant]?.push(await setUp(tenant, name, state));
      const settlingsOf = (tenant: string) =>
        threads.map(({ name }, i) => ({
          lease: leaseOf(name, 'mine', tenant),
          event: { id: ids[tenant]?.[i] ?? 0, attempt: all[i]?.attempt ?? 0 },
          reply: i % 2 === 0 ? null : { of: name },
        }));
      const together = await settleAndTakeEach(shared.query, settlingsOf('T1'), seconds);
      const alone: typeof together = [];
      for (const { lease, event, reply } of settlingsOf('T2')) {
        const options = { leaseSeconds: seconds, reply };
        alone.push(await settleAndTake(house.db.query, lease, event, options));
      }
      const gists = (some: typeof together) =>
        some.map(({ settled, next }) => ({ settled, next: gistOf(next) }));
      expect(gists(together)).toEqual(gists(alone));
      expect(await readLeases('T1')).toEqual(await readLeases('T2'));
      const { rows } = await house.db.query.execute<{ same: boolean }>(sql`
        select a.reply is not distinct from b.reply and (a.handled_at is null) = (b.handled_at is null) as same
        from countersign.inbox a join countersign.inbox b on a.thread = b.thread and a.body = b.body
        where a.tenant = 'T1' and b.tenant = 'T2'`);
      expect(rows.every(({ same }) => same)).toBe(true);
    }),
    { numRuns: 30 },
  );
}, 60_000);

test('a thread that somebody keeps waiting holds up none that were to be entered with it', async () => {
  for (const name of ['C1', 'C2', 'C3']) await receive(name, name);
  const desk = makeDesk();
  const { kept } = await house.db.transaction(async (tx) => {
    await enterThread(tx, leaseOf('C2', 'theirs'), seconds);
    const waits = desk.enter(leaseOf('C2'));
    const others = await Promise.all([desk.enter(leaseOf('C1')), desk.enter(leaseOf('C3'))]);
    expect(others.map(({ event }) => event && textOf(event))).toEqual(['C1', 'C3']);
    // Nor those that are entered after it.
    await receive('C4', 'C4');
    expect((await desk.enter(leaseOf('C4'))).held).toBe(true);
    return { kept: waits };
  });
  expect(await kept).toEqual({ held: false, event: null });
});

test('an event that cannot be settled keeps none from it that were to be settled with it', async () => {
  for (const name of ['C1', 'C2', 'C3']) await receive(name, name);
  const desk = makeDesk();
  const names = ['C1', 'C2', 'C3'];
  const settlings = await Promise.all(
    names.map(async (name) => {
      const { event } = await desk.enter(leaseOf(name));
      if (event === null) throw new Error(`${name} was not taken`);
      // No jsonb holds this character.
      return { lease: leaseOf(name), event, reply: name === 'C2' ? '\u0000' : null };
    }),
  );
  const results = await Promise.allSettled(settlings.map((one) => desk.settleAndTake(one)));
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  const states = (await readInbox(house)).map(({ state }) => state);
  expect(states).toEqual(['handled', 'open', 'handled']);
});

test('of many who enter the same threads at one moment, in whatever order, one holds each', async () => {
  const names = Array.from({ length: 12 }, (_, i) => `C${i}`);
  for (const name of names) await receive(name, name);
  const desks = Array.from({ length: 4 }, () => makeDesk());
  const entered = await Promise.all(
    desks.flatMap((desk, i) =>
      (i % 2 === 0 ? names : names.toReversed()).map(async (name) => {
        const { event } = await desk.enter(leaseOf(name, `holder ${i}`));
        return event === null ? [] : [textOf(event)];
      }),
    ),
  );
  expect(entered.flat().sort()).toEqual([...names].sort());
  const rows = await readInbox(house);
  expect(rows.every(({ attempt }) => attempt === 1)).toBe(true);
});

test('those who ask at one moment share a statement, which reads nothing of other threads', async () => {
  for (const name of ['C1', 'C2']) await receive(name, name);
  const asked: [Statement, Record<string, unknown>][] = [];
  const run: Queryable['run'] = (statement: Statement, values) => {
    asked.push([statement, values]);
    return shared.query.run(statement, values);
  };
  const desk = makeDesk({ run });
  const leases = [leaseOf('C1'), leaseOf('C2')];
  const taken = await Promise.all(leases.map((lease) => desk.enter(lease)));
  await Promise.all(
    leases.map((lease, i) => {
      const event = taken[i]?.event;
      if (event == null) throw new Error('nothing was taken');
      return desk.settleAndTake({ lease, event, reply: null });
    }),
  );
  expect(asked.map(([{ name }]) => name)).toEqual(['enter_threads', 'settle_and_take_each']);
  const lines = await shared.transaction(async (tx) => {
    const all: string[] = [];
    for (const [{ name, text, params }, values] of asked) {
      const explaining = { name: `explain_${name}`, text: `explain ${text}`, params };
      const rows = await tx.run<{ 'QUERY PLAN': string }>(explaining, values);
      all.push(...rows.map((row) => row['QUERY PLAN']));
    }
    return all;
  });
  const indexed = lines.flatMap((line, at) =>
    /using inbox_(open|leases_\S+)/.test(line) ? [lines[at + 1] ?? ''] : [],
  );
  expect(indexed).not.toEqual([]);
  for (const condition of indexed) expect(condition).toContain('(thread = ');
  expect(lines.filter((line) => /Seq Scan on inbox/.test(line))).toEqual([]);
});
