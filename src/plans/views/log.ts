// A run as JSON lines, one per finished attempt.
import { sql } from 'drizzle-orm';
import type { Queryable } from '#db/database.ts';
import { countersign } from '#db/schema.ts';
import { isoOf } from '#db/time.ts';
import type { StepError } from '#domain/plan/plan.ts';
import { escapeJson } from '#domain/shown-text.ts';

const pageSize = 1000;

type Row = {
  step: string;
  attempt: number;
  tool: string;
  operation: string;
  status: string;
  result_summary: string | null;
  error: StepError | null;
  started_at: string;
  ended_at: string;
  position: number;
};

/** Up to 1,000 lines a chunk. */
export async function* exportLog(db: Queryable, planId: string): AsyncGenerator<string> {
  let last = { ended_at: '-infinity', position: 0, attempt: 0 };
  for (;;) {
    const { rows } = await db.execute<Row>(sql`
      select s.step_id as step, a.attempt, s.tool, s.operation, a.status, a.result_summary, a.error,
        ${isoOf('a.started_at', 'microseconds')} as started_at, ${isoOf('a.ended_at', 'microseconds')} as ended_at, a.position
      from (
        select * from ${countersign}.step_attempts a where a.plan_id = ${planId} and a.ended_at is not null
          and (a.ended_at, a.position, a.attempt) > (${last.ended_at}::timestamptz, ${last.position}, ${last.attempt})
        order by a.ended_at, a.position, a.attempt limit ${pageSize}
      ) a cross join lateral (
        select p.step_id, c.tool, c.operation from ${countersign}.step_states p
        join ${countersign}.plan_steps c on c.plan_id = p.plan_id and c.position = p.position and c.step_id = p.step_id
        where p.plan_id = ${planId} and p.position = a.position offset 0
      ) s
      order by a.ended_at, a.position, a.attempt`);
    const end = rows.at(-1);
    if (end === undefined) return;
    yield rows.map((row) => `${escapeJson(JSON.stringify(toLine(row)))}\n`).join('');
    if (rows.length < pageSize) return;
    last = end;
  }
}

function toLine({ position: _, result_summary, error, started_at, ended_at, ...row }: Row) {
  return {
    ...row,
    ...(result_summary === null ? {} : { result_summary }),
    ...(error === null ? {} : { error: error.message }),
    started_at,
    ended_at,
  };
}
