// A step's dependents in a large plan: SQL against memory.
import { sql } from 'drizzle-orm';
import { openDatabase, type Queryable } from '#db/database.ts';
import { affectedBy, positionsOf } from '#db/sql/impact.ts';
import type { StepSelector } from '#domain/plan/step-selector.ts';
import { drawPlan, type Shape } from '../graphs.ts';
import { interleave } from '../interleave.ts';
import { type BenchRow, makeRow } from '../row.ts';
import { asker } from '../run-plan.ts';
import type { Bench } from '../stage.ts';

/** Positions, in order. */
export async function findDependents(
  db: Queryable,
  planId: string,
  selector: StepSelector,
): Promise<number[]> {
  const { rows } = await db.execute<{ positions: number[] | null }>(sql`
    with recursive ${affectedBy(planId, positionsOf(planId, selector))}
    select array_agg(position order by position) as positions from affected`);
  return rows[0]?.positions ?? [];
}

const usualSteps = 100_000;
const usualRuns = 3;

/** Deep parallel chains, and a diamond's root before everything. */
const shapes: { shape: Shape; about: { step_id: string } | { partition: string } }[] = [
  { shape: 'deep', about: { partition: 'part 0' } },
  { shape: 'diamond', about: { step_id: 's1' } },
];

/** The baseline: all edges, followed here. */
async function followEdges(db: Queryable, planId: string, sources: number[]): Promise<number[]> {
  const { rows } = await db.execute<{ predecessor: number; successor: number }>(sql`
    select predecessor, successor from countersign.plan_edges where plan_id = ${planId} and type in ('FS', 'FF')`);
  const after = Map.groupBy(rows, ({ predecessor }) => predecessor);
  const found = new Set<number>();
  for (let ends = sources; ends.length > 0; ) {
    const next = ends.flatMap((end) => after.get(end) ?? []).map(({ successor }) => successor);
    ends = [...new Set(next)].filter((one) => !found.has(one));
    for (const one of ends) found.add(one);
  }
  return [...found].sort((a, b) => a - b);
}

export const measureImpact: Bench = async (stage) => {
  const size = stage.steps ?? usualSteps;
  const { service } = await stage.openInstance({ work: false });
  const db = openDatabase(stage.url, {
    max: 1,
    applicationName: 'countersign bench',
    onError: (error) => stage.say(error.message),
  });
  stage.closeLater('the connection for impact', db.close);
  const rows: BenchRow[] = [];
  for (const { shape, about } of shapes) {
    stage.say(`${size} steps, ${shape}, are proposed first`);
    const { id } = await service.propose(drawPlan(shape, size), { user: asker.id }, asker);
    const selector = 'step_id' in about ? { ids: [about.step_id] } : about;
    const { rows: sources } = await db.query.execute<{ position: number }>(
      'step_id' in about
        ? sql`select position from countersign.plan_steps where plan_id = ${id} and step_id = ${about.step_id}`
        : sql`select position from countersign.plan_steps where plan_id = ${id} and partition = ${about.partition}`,
    );
    const positions = sources.map(({ position }) => position);
    const [found, followed] = [
      await findDependents(db.query, id, selector),
      await followEdges(db.query, id, positions),
    ];
    if (found.join() !== followed.join()) throw new Error(`${shape}: the two sides differ`);
    const timed = (name: string, work: () => Promise<number[]>) => ({
      name,
      measure: async () => {
        const began = performance.now();
        await work();
        return { [name]: performance.now() - began };
      },
    });
    const [inSql, inMemory] = await interleave(stage, stage.runs ?? usualRuns, [
      timed('in SQL', () => findDependents(db.query, id, selector)),
      timed('edges followed in memory', () => followEdges(db.query, id, positions)),
    ]);
    if (inSql === undefined) throw new Error('impact was not measured');
    const what = `${found.length} dependents in ${size} steps`;
    rows.push(
      makeRow({
        name: `impact/${shape}/find`,
        what,
        unit: 'ms',
        value: inSql.value,
        compared: inMemory ?? null,
        target: { reach: 2, stretch: 1 },
      }),
      // A requirement: under a second for 100,000 steps.
      makeRow({
        name: `impact/${shape}/under-a-second`,
        what,
        unit: 'ms',
        value: inSql.value,
        target: { reach: 1000, stretch: 500 },
      }),
    );
    stage.say(`${shape}: a finding makes them stale`);
    const began = performance.now();
    await service.raiseFinding(
      id,
      {
        severity: 'ERROR',
        category: 'source_changed',
        message: 'Changed.',
        evidence: [],
        ...about,
      },
      asker,
    );
    rows.push(
      makeRow({
        name: `impact/${shape}/stale`,
        what: `${what} made stale`,
        unit: 'ms',
        value: performance.now() - began,
        target: { reach: 5000, stretch: 2000 },
      }),
    );
    await service.cancel(id, { version: 1 }, asker);
  }
  return rows;
};
