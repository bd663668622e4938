// `audit verify` and `audit export`.
import { once } from 'node:events';
import { exitCodes } from '#adapters/terminal/exit-codes.ts';
import { readRows } from '#db/audit/seals.ts';
import { type AuditVerdict, verifyAudit } from '#db/audit/verify.ts';
import { countOf } from '#domain/words.ts';
import { auditKeyOf } from '../config.ts';
import { print, printJson } from '../print.ts';
import { withDatabase } from './with-database.ts';

const rowsAtOnce = 1000;

function describe(verdict: AuditVerdict): string {
  const { unsealed, pruned_through, last } = verdict;
  return [
    ...describeFinding(verdict),
    ...(pruned_through === null
      ? []
      : [`Retention removed the rows up to seal ${pruned_through}.`]),
    ...(unsealed === 0 ? [] : [`Not sealed yet: ${countOf(unsealed, 'row')}.`]),
    ...(last === null ? [] : [`Last seal: ${last.seq}, ${last.sealed_at}, ${last.hash}`]),
  ].join('\n');
}

function describeFinding({ seals, rows, unkeyed, keyed_from, fault }: AuditVerdict): string[] {
  if (fault?.kind === 'unkeyed') return [`The audit log is NOT proven. ${fault.text}`];
  const since =
    keyed_from === null
      ? ''
      : ` The key protects seal ${keyed_from.seq}, ${keyed_from.sealed_at}, and those after it.`;
  return [
    ...(fault === null
      ? [`The audit log matches its seals: ${countOf(rows, 'row')} in ${countOf(seals, 'seal')}.`]
      : [
          `The audit log does NOT match its seals. ${fault.text}`,
          `Matched before that: ${countOf(seals, 'seal')} (${countOf(rows, 'row')}).`,
        ]),
    ...(unkeyed === 0
      ? []
      : [
          `Sealed without a key: ${countOf(unkeyed, 'seal')}. The database owner could have rewritten them.${since}`,
        ]),
  ];
}

type Options = { from?: number; expect?: string; json?: true };

/** Exit code 1 if it fails. */
export function verify({ json, ...options }: Options): Promise<void> {
  return withDatabase(async (db, { env }) => {
    const verdict = await verifyAudit(db, { ...options, key: auditKeyOf(env) });
    if (json === true) printJson(verdict);
    else print(describe(verdict));
    process.exitCode = verdict.ok ? exitCodes.done : exitCodes.failed;
  });
}

/** Oldest first, as sealed. */
export function exportRows({ from }: { from?: number }): Promise<void> {
  return withDatabase(async (db) => {
    for (let after = (from ?? 1) - 1; ; ) {
      const through = Number.MAX_SAFE_INTEGER;
      const rows = await readRows(db.query, { after, through, limit: rowsAtOnce });
      const lines = rows.map((row) => {
        const kept = Object.entries(row).filter(([, value]) => value !== null);
        return `${JSON.stringify(Object.fromEntries(kept))}\n`;
      });
      if (!process.stdout.write(lines.join(''))) await once(process.stdout, 'drain');
      const last = rows.at(-1);
      if (last === undefined) return;
      after = last.id;
    }
  });
}
