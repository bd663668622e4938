// kill -9 while a plan is made in two layers, then another process: every part is planned, the plan is proposed once, and no reply of
// a model that was stored is paid for again.
import { sql } from 'drizzle-orm';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { type Database, openDatabase } from '#db/database.ts';
import { settled } from '../fixtures/model-instance.ts';
import { type OpenAiDouble, start } from '../fixtures/openai-double.ts';
import { partIn, planFiles, scaffold } from '../fixtures/parts.ts';
import { type FreshDatabase, freshDatabase } from '../setup/database.ts';
import { openTestInstance } from '../setup/instance.ts';
import { usePrograms } from '../setup/process.ts';

const programs = usePrograms();
vi.setConfig({ maxConcurrency: 3 });

const closers: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const close of closers) await close();
});

const ids = (count: number) => Array.from({ length: count }, (_, at) => `p${at + 1}`);

/** How often the double was asked for each part, and for the whole. */
function countAsked({ requests }: OpenAiDouble): Map<string, number> {
  const asked = new Map<string, number>();
  for (const body of requests) {
    const part = partIn(body) ?? 'whole';
    asked.set(part, (asked.get(part) ?? 0) + 1);
  }
  return asked;
}

type Scene = { database: FreshDatabase; model: OpenAiDouble; runId: string; db: Database };

/** Asks a program for a plan of that many parts; it dies at `point`. */
async function crashAt(point: string, parts: number): Promise<Scene> {
  const database = await freshDatabase();
  const model = await start({
    script: (body) => {
      const part = partIn(body);
      return part === null
        ? scaffold(ids(parts).map((id) => ({ id })))
        : planFiles([{ id: '1', path: `${part}.txt` }]);
    },
  });
  closers.push(model.close);
  const server = await programs.serve({
    home: await programs.home(),
    database: database.url,
    env: { OPENAI_BASE_URL: model.url, COUNTERSIGN_CRASH_AT: point },
  });
  const { body } = await server.api.post<{ run_id: string }>('/api/run', {
    text: 'Write all parts',
    user: 'ana',
    conversation: 'crash',
    planning_mode: 'extensive',
  });
  expect(await server.exited).toEqual({ code: null, signal: 'SIGKILL' });
  const db = openDatabase(database.url, { max: 2, applicationName: 'test', onError: () => {} });
  return { database, model, runId: body.run_id, db };
}

/** The queue's own recovery after half a minute of silence. */
async function missHeartbeat(db: Database): Promise<void> {
  await db.query.execute(sql`
    update pgboss.job set state = 'retry', start_after = now(), started_on = null
    where name in ('plan', 'expand') and state = 'active'`);
  await db.query.execute(sql`
    update countersign.runs set updated_at = now() - interval '1 hour' where planning_status = 'running'`);
  await db.query.execute(sql`
    update countersign.planning_parts set lease_until = now() where status = 'planning'`);
}

async function plannedParts(db: Database): Promise<string[]> {
  const { rows } = await db.query.execute<{ id: string }>(sql`
    select scaffold ->> 'id' as id from countersign.planning_parts where status = 'planned' order by 1`);
  return rows.map(({ id }) => id);
}

async function resume({ database, model, runId, db }: Scene) {
  await missHeartbeat(db);
  const instance = await openTestInstance(database.url, { env: { OPENAI_BASE_URL: model.url } });
  try {
    return await settled(instance, runId);
  } finally {
    await instance.close();
  }
}

async function readBooks({ db, runId }: Scene) {
  const { rows } = await db.query.execute<{ plans: number; calls: number; open: number }>(sql`
    select (select count(*)::int from countersign.plans) as plans,
      (select count(*)::int from countersign.model_calls where run_id = ${runId}) as calls,
      (select count(*)::int from countersign.model_calls where cost_usd is null) as open`);
  return rows[0];
}

async function readSteps(db: Database): Promise<string[]> {
  const { rows } = await db.query.execute<{ step_id: string }>(
    sql`select step_id from countersign.plan_steps order by position`,
  );
  return rows.map(({ step_id }) => step_id);
}

async function close({ db, database }: Scene): Promise<void> {
  await db.close();
  await database.close();
}

/** Where it dies, and how many calls were paid by then; in all there are two. */
const places = [
  { at: 'scaffold_stored', paid: 1 },
  { at: 'part_claimed', paid: 1 },
  { at: 'part_planned', paid: 2 },
  { at: 'parts_assembled', paid: 2 },
];

describe.concurrent('a program that is killed while it plans in two layers', () => {
  it.for(places)('at $at loses nothing and pays for nothing twice', async ({ at, paid }) => {
    const scene = await crashAt(at, 1);
    expect(scene.model.requests).toHaveLength(paid);
    const run = await resume(scene);
    expect(run).toMatchObject({ planning_status: 'needs_clarification' });
    expect(scene.model.requests).toHaveLength(2);
    expect(await readBooks(scene)).toEqual({ plans: 1, calls: 2, open: 0 });
    expect(run.cost_usd).toBeCloseTo(2 * 0.0004, 9);
    expect(await readSteps(scene.db)).toEqual(['p1-1']);
    await close(scene);
  });

  it('between many parts has planned each part once that was stored', async () => {
    const scene = await crashAt('part_planned:5', 12);
    const planned = await plannedParts(scene.db);
    expect(planned.length).toBeGreaterThanOrEqual(5);
    await resume(scene);
    expect(await readSteps(scene.db)).toEqual(ids(12).map((id) => `${id}-1`));
    const asked = countAsked(scene.model);
    expect(asked.get('whole')).toBe(1);
    for (const id of planned) expect([id, asked.get(id)]).toEqual([id, 1]);
    await close(scene);
  });
});
