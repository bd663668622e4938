// Outcomes that came when a person was asked already: they settle nothing, and whoever is asked reads them.
import { sql } from 'drizzle-orm';
import type { Queryable } from '../database.ts';

type LateWord = { position: number; attempt: number; text: string };

/**
 * Adds what late workers say to the questions about their attempts, once, as long as nobody has answered. The caller holds
 * the plan's lock.
 * @returns the steps whose questions say more now
 */
export async function addToQuestions(
  tx: Queryable,
  planId: string,
  words: LateWord[],
): Promise<string[]> {
  const { rows } = await tx.execute<{ step_id: string }>(sql`
    update countersign.step_states s set question = concat_ws(' ', s.question, w.text)
    from jsonb_to_recordset(${JSON.stringify(words)}::jsonb) as w(position int, attempt int, text text)
    where s.plan_id = ${planId} and s.position = w.position and s.attempt = w.attempt and s.status = 'unknown'
      and strpos(coalesce(s.question, ''), w.text) = 0
    returning s.step_id`);
  return rows.map(({ step_id }) => step_id);
}
