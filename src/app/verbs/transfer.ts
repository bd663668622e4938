// `export` and `import`: whole plans between instances.
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { asc } from 'drizzle-orm';
import { exitCodes } from '#adapters/terminal/exit-codes.ts';
import type { Database } from '#db/database.ts';
import { planNotFound } from '#db/plans/rows.ts';
import { plans } from '#db/schema.ts';
import { systemClock } from '#domain/clock.ts';
import { decodeChunks, detectEncoding, utf8 } from '#domain/encoding/encoding.ts';
import { CountersignError } from '#domain/errors.ts';
import { person } from '#domain/people/actor.ts';
import { countOf } from '#domain/words.ts';
import { exportPlan } from '#plans/transfer/export-plans.ts';
import { transferVersion } from '#plans/transfer/format.ts';
import { type Imported, importPlans } from '#plans/transfer/import-plans.ts';
import { tableRules } from '#retention/rules.ts';
import { loadConfig } from '../config.ts';
import { createLog } from '../logging.ts';
import { print, printJson } from '../print.ts';
import { version } from '../version.ts';
import { withDatabase } from './with-database.ts';

const recordTables = [
  ...Object.entries(tableRules).flatMap(([table, rule]) =>
    'with' in rule && rule.with === 'plan' ? [table] : [],
  ),
  'audit',
];

const slowReaderMs = 600_000;

/** Each from one snapshot. @param ids empty for all */
export async function writeExport(
  db: Database,
  ids: string[],
  write: (text: string) => Promise<void>,
): Promise<void> {
  const header = {
    ...{ kind: 'header', format: 'countersign-plans', version: transferVersion },
    ...{ exported_at: systemClock.now().toISOString(), countersign: version },
  };
  const found = await db.query
    .select({ id: plans.id })
    .from(plans)
    .orderBy(asc(plans.created_at), asc(plans.id));
  const known = found.map(({ id }) => id);
  const missing = ids.filter((id) => !known.includes(id));
  if (missing.length > 0) throw planNotFound(missing.join(', '));
  await write(`${JSON.stringify(header)}\n`);
  const limits = { lockMs: slowReaderMs, statementMs: slowReaderMs, idleMs: slowReaderMs };
  for (const id of ids.length === 0 ? known : ids)
    await db.transaction(
      async (tx) => {
        await tx.execute('set transaction isolation level repeatable read, read only');
        for await (const text of exportPlan(tx, id, recordTables)) await write(text);
      },
      { limits },
    );
}

export function exportTo(ids: string[], { all }: { all?: true }): Promise<void> {
  if ((ids.length === 0) === (all === undefined))
    throw new CountersignError(
      'invalid_request',
      'Pass plan IDs or --all: countersign export PLAN-… > plans.jsonl',
    );
  // The reader is gone, as after `| head`.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit();
    throw error;
  });
  return withDatabase((db) =>
    writeExport(db, ids, async (text) => {
      if (!process.stdout.write(text)) await once(process.stdout, 'drain');
    }),
  );
}

function describe(one: Imported): string {
  switch (one.outcome) {
    case 'proposed':
      return one.plan_id === one.id
        ? `${one.id}  is proposed`
        : `${one.id}  is proposed as ${one.plan_id}, since its id is taken here`;
    case 'here already':
      return one.plan_id === one.id
        ? `${one.id}  is here already`
        : `${one.id}  is here already, as ${one.plan_id}`;
    case 'ended':
      return `${one.id}  was ${one.status}, and is left out; --ended proposes it again`;
    case 'refused':
      return `${one.id}  is refused: ${one.reason}`;
    default:
      return one satisfies never;
  }
}

/** Exit code 1 if any plan was refused. */
export async function importFrom(
  file: string,
  { user, ended, json }: { user: string; ended?: true; json?: true },
): Promise<void> {
  const config = loadConfig(process.env, process.cwd());
  const { openInstance } = await import('../wire.ts');
  const log = createLog(config, true);
  const nowhere = () => null;
  const instance = await openInstance({
    ...{ config, log, work: false },
    ...{ linkTo: nowhere, chatLinkTo: nowhere },
  });
  try {
    const encoding = (await detectEncoding(createReadStream(file))) ?? utf8;
    const input = Readable.from(decodeChunks(createReadStream(file), encoding));
    const lines = createInterface({ input, crlfDelay: Infinity });
    const options = { ended: ended === true, actor: person(user, 'terminal') };
    let proposed = 0;
    for await (const one of importPlans(lines, instance, options)) {
      if (json === true) printJson(one);
      else print(describe(one));
      if (one.outcome === 'refused') process.exitCode = exitCodes.failed;
      if (one.outcome === 'proposed') proposed++;
    }
    if (json !== true) print(`${countOf(proposed, 'plan')} proposed.`);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT')
      throw new CountersignError('not_found', `There is no file ${file}.`, { cause: error });
    throw error;
  } finally {
    await instance.close();
  }
}
