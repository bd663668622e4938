// Writes whole plans as lines, with their history.
import { createHash } from 'node:crypto';
import { sql } from 'drizzle-orm';
import type { Transaction } from '#db/database.ts';
import { readPlanRow } from '#db/plans/plans.ts';
import { countersign } from '#db/schema.ts';
import { iterateSteps } from '#db/steps/pages.ts';
import { contentOf } from '#domain/plan/step-content.ts';
import { readHeader } from '../content/preflight.ts';
import { createOccurrenceTest } from '../series/occurrences.ts';
import type { TransferLine } from './format.ts';

const rowsAtOnce = 500;

/** JSON texts, by page. @param column the plan's */
async function* rowsOf(
  tx: Transaction,
  table: string,
  column: string,
  planId: string,
): AsyncGenerator<unknown> {
  await tx.execute(
    sql`declare plan_rows no scroll cursor for select to_jsonb(t) as row from ${countersign}.${sql.identifier(table)} t where ${sql.identifier(column)} = ${sql.raw(`'${planId.replaceAll("'", "''")}'`)}`,
  );
  for (;;) {
    const { rows } = await tx.execute<{ row: unknown }>(
      sql`fetch ${sql.raw(String(rowsAtOnce))} from plan_rows`,
    );
    for (const { row } of rows) yield row;
    if (rows.length < rowsAtOnce) break;
  }
  await tx.execute(sql`close plan_rows`);
}

async function* linesOf(
  tx: Transaction,
  planId: string,
  tables: string[],
): AsyncGenerator<TransferLine> {
  const row = await readPlanRow(tx, planId);
  const content = await readHeader(tx, row);
  const { digest, status, requester, tenant, total, pending, ready } = row;
  const begun = total - pending - ready;
  yield { kind: 'plan', content, digest, status, requester, tenant, total, begun };
  const isOccurrence = createOccurrenceTest(content.series ?? []);
  for await (const step of iterateSteps(tx, planId)) {
    yield {
      kind: 'step',
      content: contentOf(step),
      ...(isOccurrence(step) ? { occurrence: true } : {}),
    };
  }
  for await (const one of rowsOf(tx, 'plans', 'id', planId))
    yield { kind: 'row', table: 'plans', row: one };
  for (const table of tables)
    for await (const one of rowsOf(tx, table, 'plan_id', planId))
      yield { kind: 'row', table, row: one };
}

/**
 * With line breaks and a checksum.
 * @param tx one snapshot throughout
 * @param tables by `plan_id`
 * @throws `plan_not_found` before the first line
 */
export async function* exportPlan(
  tx: Transaction,
  planId: string,
  tables: string[],
): AsyncGenerator<string> {
  const hash = createHash('sha256');
  let lines = 0;
  for await (const line of linesOf(tx, planId, tables)) {
    const text = `${JSON.stringify(line)}\n`;
    hash.update(text);
    lines++;
    yield text;
  }
  const end: TransferLine = { kind: 'end', plan_id: planId, lines, sha256: hash.digest('hex') };
  yield `${JSON.stringify(end)}\n`;
}
