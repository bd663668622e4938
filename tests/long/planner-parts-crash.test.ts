// kill -9 while a two-layer plan is made.
import { sql } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import type { Database } from '#db/database.ts';
import type { OpenAiDouble } from '../fixtures/openai-double.ts';
import { partIn, planFiles, scaffold } from '../fixtures/parts.ts';
import { type Scene, useCrashes } from '../setup/crash.ts';

const { openScene, askDying, resume, readBooks } = useCrashes(3);

const ids = (count: number) => Array.from({ length: count }, (_, at) => `p${at + 1}`);

function countAsked({ requests }: OpenAiDouble): Map<string, number> {
  const asked = new Map<string, number>();
  for (const body of requests) {
    const part = partIn(body) ?? 'whole';
    asked.set(part, (asked.get(part) ?? 0) + 1);
  }
  return asked;
}

async function crashAt(point: string, parts: number) {
  const scene = await openScene((body) => {
    const part = partIn(body);
    return part === null
      ? scaffold(ids(parts).map((id) => ({ id })))
      : planFiles([{ id: '1', path: `${part}.txt` }]);
  });
  const request = { text: 'Write all parts', planning_mode: 'extensive' };
  return { scene, runId: await askDying(scene, point, request) };
}

async function resumeParts(scene: Scene, runId: string) {
  await scene.db.query.execute(sql`
    update countersign.runs set updated_at = now() - interval '1 hour' where planning_status = 'running'`);
  await scene.db.query.execute(sql`
    update countersign.planning_parts set lease_until = now() where status = 'planning'`);
  return resume(scene, runId, null);
}

async function plannedParts(db: Database): Promise<string[]> {
  const { rows } = await db.query.execute<{ id: string }>(sql`
    select scaffold ->> 'id' as id from countersign.planning_parts where status = 'planned' order by 1`);
  return rows.map(({ id }) => id);
}

async function readSteps(db: Database): Promise<string[]> {
  const { rows } = await db.query.execute<{ step_id: string }>(
    sql`select step_id from countersign.plan_steps order by position`,
  );
  return rows.map(({ step_id }) => step_id);
}

// `paid`: calls before the crash, of two.
const places = [
  { at: 'scaffold_stored', paid: 1 },
  { at: 'part_claimed', paid: 1 },
  { at: 'part_planned', paid: 2 },
  { at: 'parts_assembled', paid: 2 },
];

describe.concurrent('a program that is killed while it plans in two layers', () => {
  it.for(places)('at $at loses nothing and pays for nothing twice', async ({ at, paid }) => {
    const { scene, runId } = await crashAt(at, 1);
    expect(scene.model.requests).toHaveLength(paid);
    const run = await resumeParts(scene, runId);
    expect(run).toMatchObject({ planning_status: 'needs_clarification' });
    expect(scene.model.requests).toHaveLength(2);
    expect(await readBooks(scene, runId)).toMatchObject({ plans: 1, calls: 2, open: 0 });
    expect(run.cost_usd).toBeCloseTo(2 * 0.0004, 9);
    expect(await readSteps(scene.db)).toEqual(['p1-1']);
  });

  it('between many parts has planned each part once that was stored', async () => {
    const { scene, runId } = await crashAt('part_planned:5', 12);
    const planned = await plannedParts(scene.db);
    expect(planned.length).toBeGreaterThanOrEqual(5);
    await resumeParts(scene, runId);
    expect(await readSteps(scene.db)).toEqual(ids(12).map((id) => `${id}-1`));
    const asked = countAsked(scene.model);
    expect(asked.get('whole')).toBe(1);
    for (const id of planned) expect([id, asked.get(id)]).toEqual([id, 1]);
  });
});
