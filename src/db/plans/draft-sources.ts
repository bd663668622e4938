// Outputs of the steps that a step waits for, by page.
import { type SQL, sql } from 'drizzle-orm';
import type { StepSelector } from '#domain/plan/step-selector.ts';
import type { Json, JsonObject } from '#domain/text.ts';
import type { Queryable } from '../database.ts';
import { countersign } from '../schema/columns.ts';
import { fetchOutput } from './artifacts.ts';

type Sources = { planId: string; position: number; steps: StepSelector };

function isMeant({ ids, partition, tag }: StepSelector): SQL {
  const ways = [
    ...(ids === undefined ? [] : [sql`c.step_id = any(${sql.param(ids)}::text[])`]),
    ...(partition === undefined ? [] : [sql`c.partition = ${partition}`]),
    ...(tag === undefined ? [] : [sql`c.tags @> array[${tag}]::text[]`]),
  ];
  return ways.length === 0 ? sql`false` : sql`(${sql.join(ways, sql` or `)})`;
}

const meant = ({ planId, position, steps }: Sources): SQL => sql`
  from ${countersign}.plan_edges e
  join ${countersign}.plan_steps c on c.plan_id = e.plan_id and c.position = e.predecessor
  join ${countersign}.step_states s on s.plan_id = e.plan_id and s.position = e.predecessor
  where e.plan_id = ${planId} and e.successor = ${position} and e.type = 'FS' and ${isMeant(steps)}`;

export async function countSources(
  db: Queryable,
  of: Sources,
): Promise<{ sources: number; missing: number }> {
  const { rows } = await db.execute<{ sources: number; missing: number }>(sql`
    select count(*) filter (where s.status = 'succeeded')::int as sources,
      count(*) filter (where s.status <> 'succeeded')::int as missing ${meant(of)}`);
  return rows[0] ?? { sources: 0, missing: 0 };
}

export type SourceRow = {
  position: number;
  id: string;
  operation: string;
  args: JsonObject;
  summary: string | null;
  output: Json;
};

export async function readSources(
  db: Queryable,
  of: Sources,
  after: number,
  limit: number,
): Promise<SourceRow[]> {
  const { rows } = await db.execute<SourceRow>(sql`
    select c.position, c.step_id as id, c.tool || '_' || c.operation as operation,
      coalesce(s.final_args, c.args) as args, s.result_summary as summary, s.output ${meant(of)}
      and s.status = 'succeeded' and e.predecessor > ${after}
    order by e.predecessor limit ${limit}`);
  for (const row of rows) row.output = await fetchOutput(db, of.planId, row.id, row.output);
  return rows;
}
