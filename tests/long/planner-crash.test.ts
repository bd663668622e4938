// kill -9 after each transition of a planning run, then another process: it continues from there, the plan is proposed once, and
// no reply of a model that was stored is paid for again.
import { sql } from 'drizzle-orm';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { type Database, openDatabase } from '#db/database.ts';
import type { RunView } from '#domain/planning/run.ts';
import { drawOutline, node, selectPattern, stageIn, task } from '../fixtures/model-calls.ts';
import { settled } from '../fixtures/model-instance.ts';
import { type OpenAiDouble, start } from '../fixtures/openai-double.ts';
import { type FreshDatabase, freshDatabase } from '../setup/database.ts';
import { openTestInstance } from '../setup/instance.ts';
import { usePrograms } from '../setup/process.ts';
import { waitFor } from '../wait.ts';

const programs = usePrograms();
vi.setConfig({ maxConcurrency: 3 });

const closers: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const close of closers) await close();
});

/** Three paid calls: the pattern; an outline of which the model is not sure; one of which it is. */
function startModel(): Promise<OpenAiDouble> {
  let drawn = 0;
  return start({
    script: (body) => {
      if (stageIn(body) === 'context') return selectPattern('milestone_project');
      drawn += 1;
      const outline = [
        node('goal', 'goal'),
        node('first', 'phase'),
        task('one', { parent: 'first' }),
        node('second', 'phase', { after: ['first'] }),
        task('two', { parent: 'second' }),
      ];
      return drawOutline(outline, { confidence: drawn === 1 ? 0.1 : 0.9 });
    },
  });
}

type Scene = { database: FreshDatabase; model: OpenAiDouble; runId: string; db: Database };

/** Asks a program that dies at `point`, and waits until it has. */
async function crashAt(point: string, policy: object): Promise<Scene> {
  const database = await freshDatabase();
  const model = await startModel();
  closers.push(model.close);
  const server = await programs.serve({
    home: await programs.home(),
    database: database.url,
    env: { OPENAI_BASE_URL: model.url, COUNTERSIGN_CRASH_AT: `planner_${point}` },
  });
  const { body } = await server.api.post<{ run_id: string }>('/api/run', {
    text: 'Write one.txt, then two.txt',
    user: 'ana',
    conversation: 'crash',
    interaction_policy: { probing_depth: 0, ...policy },
  });
  expect(await server.exited).toEqual({ code: null, signal: 'SIGKILL' });
  const db = openDatabase(database.url, { max: 2, applicationName: 'test', onError: () => {} });
  return { database, model, runId: body.run_id, db };
}

/** The queue's own recovery after half a minute of silence. */
async function missHeartbeat(db: Database): Promise<void> {
  await waitFor('the job of the dead planner', async () => {
    const { rows } = await db.query.execute(sql`
      update pgboss.job set state = 'retry', start_after = now(), started_on = null
      where name = 'plan' and state = 'active' returning id`);
    return rows.length === 1;
  });
}

async function resume({ database, model, runId, db }: Scene): Promise<RunView> {
  await missHeartbeat(db);
  const instance = await openTestInstance(database.url, { env: { OPENAI_BASE_URL: model.url } });
  try {
    return await settled(instance, runId);
  } finally {
    await instance.close();
  }
}

type Books = { plans: number; calls: number; open: number; proposals: number };

async function readBooks({ db, runId }: Scene): Promise<Books> {
  const { rows } = await db.query.execute<Books>(sql`
    select
      (select count(*)::int from countersign.plans) as plans,
      (select count(*)::int from countersign.model_calls where run_id = ${runId}) as calls,
      (select count(*)::int from countersign.model_calls where cost_usd is null) as open,
      (select count(*)::int from countersign.messages where author = 'bot' and plan_id is not null) as proposals`);
  const [books] = rows;
  if (books === undefined) throw new Error('the books are empty');
  return books;
}

async function readSteps(db: Database): Promise<string[]> {
  const { rows } = await db.query.execute<{ target: string }>(
    sql`select target from countersign.plan_steps order by position`,
  );
  return rows.map(({ target }) => target);
}

/** Where it dies, and how many calls were paid by then; in all there are three. */
const places: { at: string; paid: number }[] = [
  { at: 'before_DRAFT_OUTLINE', paid: 1 },
  { at: 'after_DRAFT_OUTLINE', paid: 1 },
  { at: 'before_VALIDATE_OUTLINE', paid: 2 },
  { at: 'after_VALIDATE_OUTLINE', paid: 2 },
  { at: 'after_DRAFT_ROADMAP', paid: 3 },
  { at: 'after_VALIDATE_ROADMAP', paid: 3 },
  { at: 'after_DRAFT_SCHEDULE', paid: 3 },
  { at: 'after_VALIDATE_SCHEDULE', paid: 3 },
  { at: 'after_SEEK_APPROVAL', paid: 3 },
  { at: 'after_NEEDS_CLARIFICATION', paid: 3 },
];

describe.concurrent('a planner that is killed', () => {
  it.for(places)('$at is replaced by one that goes on from there', async ({ at, paid }) => {
    const scene = await crashAt(at, {});
    expect(scene.model.requests).toHaveLength(paid);
    const run = await resume(scene);
    expect(run).toMatchObject({ planning_status: 'needs_clarification' });
    expect(scene.model.requests).toHaveLength(3);
    expect(await readBooks(scene)).toEqual({ plans: 1, calls: 3, open: 0, proposals: 1 });
    expect(run.cost_usd).toBeCloseTo(3 * 0.0004, 9);
    expect(await readSteps(scene.db)).toEqual(['one.txt', 'two.txt']);
    await scene.db.close();
    await scene.database.close();
  });
});
