// Turns that are sent together: they come to the same as ordinary ones, or they take nothing.
import { sql } from 'drizzle-orm';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { PlanDraft } from '#contracts/plan.ts';
import { decideStart } from '#executor/claim.ts';
import { createPlanWorker } from '#executor/crew.ts';
import { recover } from '#executor/recover.ts';
import { takeTurn } from '#executor/turn.ts';
import { takeTurnAtOnce } from '#executor/turn-at-once.ts';
import type { Database } from '#store/database.ts';
import { inlineOutputBytes } from '#store/outputs.ts';
import { lockPlan, readPlanRow } from '#store/plans.ts';
import { useDatabase } from '#tests/setup/database.ts';
import { ana, noop, openTestInstance, type TestInstance } from '#tests/setup/instance.ts';
import { checkPlan } from '#tests/setup/invariants.ts';
import { waitFor } from '#tests/wait.ts';
import {
  claimReady,
  expireLeases,
  makeExecutor,
  outcomeOf,
  startBy,
  statusesOf,
} from '../plans/bench.ts';

const database = useDatabase();
let instance: TestInstance;
let executor: ReturnType<typeof makeExecutor>;

beforeAll(async () => {
  instance = await openTestInstance(database.url, { work: false });
  executor = makeExecutor(instance);
});
afterAll(async () => {
  executor.leases.stop();
  await instance.close();
});

/** Starts the plan and claims all that is ready. */
async function begin(steps: PlanDraft['steps']) {
  const { id, version } = await startBy(executor, instance, { title: 'At once', steps });
  const turn = await claimReady(executor, id, 100);
  const succeed = () => turn.steps.map((step) => outcomeOf(step, 'succeeded'));
  return { id, version, ...turn, succeed };
}

const chain = [noop('a'), noop('b', 'a'), noop('c', 'b')];

/** What stands in the database of a plan, without names, times and what differs from plan to plan. */
async function readTold(id: string) {
  const { changes } = await instance.service.diff(id, 0, 1000);
  const audit = await instance.service.audit(id, { limit: 100 });
  const { rows } = await instance.db.query.execute(sql`
    select position, status, attempt, tries, unmet, lease_owner, lease_until is null as free, output
    from countersign.step_states where plan_id = ${id} order by position`);
  // What happens in one statement has no order: each is told, and once.
  return {
    revisions: changes.map(({ revision }) => revision),
    changes: changes.map(({ step_id, kind }) => `${kind} ${step_id}`).toSorted(),
    audit: audit
      .map(({ action, version, data }) => JSON.stringify({ action, version, data }))
      .toSorted(),
    rows,
  };
}

describe('a turn that is sent at once', () => {
  test('comes to the same as the ordinary one', async () => {
    const graph = fc
      .array(fc.array(fc.integer({ min: 1, max: 4 }), { maxLength: 2 }), {
        minLength: 2,
        maxLength: 9,
      })
      .map((steps) =>
        steps.map((backs, at) =>
          noop(
            `s${at}`,
            ...new Set(backs.filter((back) => back <= at).map((back) => `s${at - back}`)),
          ),
        ),
      );
    const told = fc.asyncProperty(
      graph,
      fc.integer({ min: 1, max: 5 }),
      fc.integer({ min: 0, max: 511 }),
      async (steps, room, ended) => {
        const [one, two] = [await begin(steps), await begin(steps)];
        fc.pre(one.chained);
        const some = (plan: typeof one) => {
          const outcomes = plan.succeed().filter((_, i) => (ended >> i) % 2 === 1);
          return outcomes.length === 0 ? plan.succeed().slice(0, 1) : outcomes;
        };
        const sent = await takeTurnAtOnce(executor, one.id, some(one), room, one.book);
        if (sent === null) throw new Error('a plain plan was refused');
        // What could not start is claimed by the next turn, and by the ordinary one itself.
        const next = sent.more ? room - sent.steps.length : 0;
        const follow = await takeTurn(executor, one.id, [], next, sent.book);
        const turn = await takeTurn(executor, two.id, some(two), room, two.book, false);
        expect([...sent.steps, ...follow.steps]).toEqual(turn.steps);
        expect(sent.rest).toEqual([]);
        expect(follow.chained).toBe(turn.chained);
        expect(await readTold(one.id)).toEqual(await readTold(two.id));
        await checkPlan(instance.db.query, one.id);
      },
    );
    await fc.assert(told, { numRuns: 25 });
  });

  test('is taken exactly where steps may start as they are freed and the plan goes on', async () => {
    const { id, version, book, succeed } = await begin(chain);
    const real = await readPlanRow(instance.db.query, id);
    const wrong = {
      status: fc.constantFrom('executing' as const, 'executing' as const, 'stalled' as const),
      paused_at: fc.constantFrom(null, null, new Date()),
      digest: fc.constantFrom(real.digest, real.digest, '0'.repeat(64)),
      approved_digest: fc.constantFrom(real.digest, real.digest, null),
      ready: fc.constantFrom(0, 0, 1),
      pools: fc.constantFrom<string[]>([], [], ['cpu']),
      has_start_edges: fc.constantFrom(false, false, true),
      open_until: fc.constantFrom(null, null, new Date('2999-01-01')),
      version: fc.constantFrom(version, version, version + 1),
      pending: fc.constantFrom(2, 2, 0),
    };
    const plans = fc.asyncProperty(fc.record(wrong, { requiredKeys: [] }), async (state) => {
      const undone = new Error('rolled back');
      const set = (Object.keys(state) as (keyof typeof state)[]).map((column) => {
        const value = state[column] ?? null;
        const text =
          value === null
            ? sql`null`
            : value instanceof Date
              ? sql`${value.toISOString()}::timestamptz`
              : Array.isArray(value)
                ? sql`${sql.param(value)}::text[]`
                : sql`${value}`;
        return sql`${sql.identifier(column)} = ${text}`;
      });
      await instance.db
        .transaction(async (tx) => {
          if (set.length > 0)
            await tx.execute(
              sql`update countersign.plans set ${sql.join(set, sql`, `)} where id = ${id}`,
            );
          const plan = await readPlanRow(tx, id);
          const may =
            decideStart(plan, book, succeed(), 5) !== null &&
            plan.pending > 0 &&
            plan.version === version;
          const within: Database = {
            ...instance.db,
            async atOnce(statements) {
              const rows = [];
              for (const { statement, values } of statements)
                rows.push(await tx.run(statement, values));
              return rows as never;
            },
          };
          const turn = await takeTurnAtOnce({ ...executor, db: within }, id, succeed(), 5, book);
          expect(turn !== null).toBe(may);
          throw undone;
        })
        .catch((error: unknown) => {
          if (error !== undone) throw error;
        });
    });
    await fc.assert(plans, { numRuns: 150 });
  });

  test.each(['failed', 'ready', 'waiting', 'unknown', 'cancelled'] as const)(
    'is not for a step that is %s',
    async (status) => {
      const { id, steps, book } = await begin(chain);
      const outcomes = steps.map((step) => outcomeOf(step, status));
      expect(await takeTurnAtOnce(executor, id, outcomes, 5, book)).toBeNull();
      expect(await statusesOf(instance, id)).toMatchObject({ a: 'running' });
    },
  );

  test('is not for what is too large for a row, or when nothing may start', async () => {
    const { id, steps, book, succeed } = await begin(chain);
    const output = (length: number) =>
      steps.map((step) => outcomeOf(step, 'succeeded', { output: 'x'.repeat(length) }));
    // Two more are its quotes.
    const large = output(inlineOutputBytes - 1);
    expect(await takeTurnAtOnce(executor, id, large, 5, book)).toBeNull();
    expect(await takeTurnAtOnce(executor, id, succeed(), 0, book)).toBeNull();
    expect(await takeTurnAtOnce(executor, id, [], 5, book)).toBeNull();
    expect(await statusesOf(instance, id)).toMatchObject({ a: 'running' });
    const turn = await takeTurnAtOnce(executor, id, output(inlineOutputBytes - 2), 5, book);
    expect(turn?.steps).toMatchObject([{ step_id: 'b' }]);
  });

  test('is not for lanes of another offer', async () => {
    const { id, book, succeed } = await begin(chain);
    const backend = { ...executor.backend, operations: () => ['control_noop'] };
    expect(await takeTurnAtOnce({ ...executor, backend }, id, succeed(), 5, book)).toBeNull();
  });

  test('waits for whoever holds the plan, and sees what they changed', async () => {
    const { id, version, book, succeed } = await begin(chain);
    const waiting = async () => {
      const { rows } = await instance.db.query.execute(sql`
        select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`);
      return rows.length > 0;
    };
    let turn: ReturnType<typeof takeTurnAtOnce> | undefined;
    await instance.db.transaction(async (tx) => {
      await lockPlan(tx, id);
      await tx.execute(
        sql`update countersign.plans set paused_at = clock_timestamp() where id = ${id}`,
      );
      turn = takeTurnAtOnce(executor, id, succeed(), 5, book);
      await waitFor('the turn to wait for the plan', waiting);
      expect(await statusesOf(instance, id)).toMatchObject({ a: 'running', b: 'pending' });
    });
    expect(await turn).toBeNull();
    expect(await statusesOf(instance, id)).toMatchObject({ a: 'running', b: 'pending' });
    await instance.service.resume(id, { version }, ana);
    expect(await takeTurnAtOnce(executor, id, succeed(), 5, book)).not.toBeNull();
  });

  test('leaves outcomes whose lease was lost to the ordinary one, which records them', async () => {
    const { id, steps, book } = await begin([noop('a'), noop('x'), noop('b', 'a', 'x')]);
    const outcomes = steps.map((step) =>
      outcomeOf({ ...step, attempt: step.step_id === 'x' ? 7 : 1 }, 'succeeded'),
    );
    const turn = await takeTurnAtOnce(executor, id, outcomes, 5, book);
    const late = outcomes.filter(({ attempt }) => attempt === 7);
    expect(turn).toMatchObject({ rest: late, chained: false });
    await takeTurn(executor, id, late, 5, book);
    const audit = await instance.service.audit(id, { limit: 100 });
    const refused = audit.filter(({ action }) => action === 'settle_refused');
    expect(refused.map(({ data }) => data)).toMatchObject([{ attempt: 7, status: 'succeeded' }]);
    expect(await statusesOf(instance, id)).toEqual({ a: 'succeeded', x: 'running', b: 'pending' });
  });
});

/** Counts what is sent at once, and what of it takes something. `lose`: the answer of the first of them never comes. */
function watch({ lose = false } = {}) {
  const counts = { sent: 0, lost: 0 };
  const atOnce: Database['atOnce'] = async (statements) => {
    counts.sent++;
    const rows = await instance.db.atOnce(statements);
    if (lose && counts.lost === 0) {
      counts.lost++;
      throw Object.assign(new Error('Connection terminated unexpectedly'), { code: 'ECONNRESET' });
    }
    return rows as never;
  };
  return { counts, db: { ...instance.db, atOnce } };
}

describe('a worker', () => {
  // Of what writes nothing is called ahead: each turn settles one step.
  const long = Array.from({ length: 12 }, (_, i) => ({
    ...noop(`s${i}`, ...(i === 0 ? [] : [`s${i - 1}`])),
    tool: 'workspace',
    operation: 'write',
    args: { path: `long/${i}.txt`, content: 'x' },
  }));

  test('takes the turns of a chain at once, but for its begin and its end', async () => {
    const { counts, db } = watch();
    const quick = makeExecutor(instance, { db });
    const { id } = await startBy(quick, instance, { title: 'Chain', steps: long });
    await createPlanWorker(quick).work(id);
    quick.leases.stop();
    expect((await instance.service.getPlan(id)).status).toBe('completed');
    // Now and then a turn tells people of progress: that is an ordinary one.
    expect(counts.sent).toBeGreaterThan(5);
    expect(counts.sent).toBeLessThan(12);
    await checkPlan(instance.db.query, id);
  });

  test('goes on after an answer that was lost, with nothing refused and nothing called twice', async () => {
    const { counts, db } = watch({ lose: true });
    const unlucky = makeExecutor(instance, { db });
    const { id } = await startBy(unlucky, instance, { title: 'Lost', steps: long });
    await createPlanWorker(unlucky).work(id);
    // What started in the turn whose answer was lost was not called: it runs again when its lease has run out.
    expect(counts.lost).toBe(1);
    await expireLeases(instance, id);
    await recover(unlucky);
    await createPlanWorker(unlucky).work(id);
    unlucky.leases.stop();
    expect((await instance.service.getPlan(id)).status).toBe('completed');
    const audit = await instance.service.audit(id, { limit: 100 });
    expect(audit.map(({ action }) => action)).not.toContain('settle_refused');
    await checkPlan(instance.db.query, id);
  });

  test('settles by an ordinary turn what one that was sent at once did not take', async () => {
    const executor = makeExecutor(instance);
    let lost = false;
    const atOnce: Database['atOnce'] = async (statements) => {
      if (!lost) {
        lost = true;
        // Another owner has one of the steps by now.
        await instance.db.query.execute(sql`
          update countersign.step_states set attempt = attempt + 1
          where plan_id = ${id} and step_id = 'x'`);
      }
      return await instance.db.atOnce(statements);
    };
    const robbed = { ...executor, db: { ...instance.db, atOnce } };
    const { id } = await startBy(robbed, instance, {
      title: 'Robbed',
      steps: [noop('a'), noop('x'), noop('b', 'a'), noop('y', 'x'), noop('c', 'b')],
    });
    await createPlanWorker(robbed).work(id);
    executor.leases.stop();
    expect(lost).toBe(true);
    expect(executor.leases.held()).toBe(0);
    expect(await statusesOf(instance, id)).toMatchObject({
      a: 'succeeded',
      x: 'running',
      c: 'succeeded',
    });
    const audit = await instance.service.audit(id, { limit: 100 });
    const refused = audit.filter(({ action }) => action === 'settle_refused');
    expect(refused).toHaveLength(1);
  });
});
