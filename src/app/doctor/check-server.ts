// Judges database server, queue and workers from facts.
import type { LiveBackend } from '#db/backends.ts';
import type { MigrationState, SchemaAge } from '#db/migrate.ts';
import type { ServerFacts } from '#db/server-facts.ts';
import { commandName } from '#domain/command-name.ts';
import type { CheckResult } from '#domain/settings-view.ts';
import { countOf, describeBytes, listOf } from '#domain/words.ts';
import { brokenCheck, offCheck, okCheck } from './results.ts';

/** Migration 0005 needs `unique nulls not distinct`. */
const oldestMajor = 15;
/** Leases and reminders depend on both clocks. */
const maxSkewMs = 2000;

/** @param needs connections per process @param embedded Countersign's own server */
export function judgeServer(
  { version, major, encoding, aheadMs, connections, size }: ServerFacts,
  { needs, embedded }: { needs: number; embedded: boolean },
): CheckResult[] {
  const { used, most } = connections;
  const left = Math.max(0, most - used);
  const skew = `${(Math.abs(aheadMs) / 1000).toFixed(1)} s ${aheadMs < 0 ? 'behind' : 'ahead of'} this machine`;
  const result = (part: string, text: string, advice: string | null): CheckResult =>
    advice === null ? okCheck(part, text) : brokenCheck(part, text, advice);
  return [
    result(
      'Database server',
      `PostgreSQL ${version}${embedded ? ', embedded' : ''}, ${describeBytes(size)}`,
      major >= oldestMajor ? null : `Upgrade it to PostgreSQL ${oldestMajor} or newer.`,
    ),
    result(
      'Database encoding',
      encoding,
      encoding === 'UTF8'
        ? null
        : 'Create a new database with "encoding UTF8 template template0" and move the rows.',
    ),
    result(
      'Database clock',
      Math.abs(aheadMs) <= maxSkewMs ? 'agrees with this machine' : skew,
      Math.abs(aheadMs) <= maxSkewMs ? null : 'Keep both machines on time with NTP.',
    ),
    result(
      'Connections',
      `${used} of ${most} in use`,
      left >= needs
        ? null
        : `A process opens ${needs} and ${left} are left: lower DATABASE_POOL_SIZE, raise max_connections, or put a pooler in front (docs/operations.md).`,
    ),
  ];
}

/** @param direct database behind DATABASE_DIRECT_URL, why there is none, or null if not set */
export function judgePooler(
  { identity }: Pick<ServerFacts, 'identity'>,
  direct: { identity: string } | { problem: string } | null,
): CheckResult {
  const part = 'Pooler';
  if (direct === null)
    return offCheck(
      part,
      'None: DATABASE_URL connects to the database directly.',
      'If it points at PgBouncer in transaction mode, set DATABASE_DIRECT_URL as well.',
    );
  if ('problem' in direct)
    return brokenCheck(
      part,
      `DATABASE_DIRECT_URL does not work: ${direct.problem}`,
      'Point DATABASE_DIRECT_URL at the database behind the pooler.',
    );
  return direct.identity === identity
    ? okCheck(part, 'DATABASE_URL and DATABASE_DIRECT_URL reach the same database')
    : brokenCheck(
        part,
        'DATABASE_URL and DATABASE_DIRECT_URL reach two different databases',
        'Point both at the same database: notifications sent over one must arrive at the other.',
      );
}

const schemaProblems = {
  newer: 'it belongs to a newer Countersign',
  older: 'migrations are missing',
} as const;

export function judgeSchema(age: SchemaAge, newest: string): CheckResult {
  const part = 'Migrations';
  return age === 'same'
    ? okCheck(part, `up to ${newest}`)
    : brokenCheck(
        part,
        `The schema does not match this version: ${schemaProblems[age]}.`,
        'Run countersign migrate with the newest program, then start every process with it.',
      );
}

/** Null if current or new. */
export function judgePending({ applied, pending }: MigrationState): CheckResult | null {
  if (applied.length === 0 || pending.length === 0) return null;
  return brokenCheck(
    'Migrations',
    `${countOf(pending.length, 'migration')} to come: ${listOf(pending)}`,
    `Make a backup, then start a process of this version, or run ${commandName} migrate. The remaining checks run after that.`,
  );
}

const maxDueSeconds = 300;

export function judgeQueue(
  queues: { kind: string; n: number; oldest: number | null }[],
): CheckResult {
  const part = 'Queue';
  const late = queues.filter(({ oldest }) => (oldest ?? 0) > maxDueSeconds);
  const waiting = queues.reduce((sum, { n }) => sum + n, 0);
  if (late.length === 0)
    return okCheck(part, waiting === 0 ? 'empty' : `${countOf(waiting, 'job')} due`);
  const words = late.map(
    ({ kind, n, oldest }) =>
      `${countOf(n, 'job')} of ${kind} for ${Math.round((oldest ?? 0) / 60)} min`,
  );
  return brokenCheck(
    part,
    `${listOf(words)} wait to be taken.`,
    'Start a worker that serves them, or look at the log of those that run for jobs that fail.',
  );
}

/** Silent without workers. */
export function judgeVersions(live: Pick<LiveBackend, 'version'>[], own: string): CheckResult[] {
  const others = [...new Set(live.map(({ version }) => version ?? 'unknown'))].filter(
    (version) => version !== own,
  );
  if (live.length === 0) return [];
  return others.length === 0
    ? [okCheck('Versions', `every worker runs ${own}`)]
    : [
        brokenCheck(
          'Versions',
          `Workers run ${listOf(others)} alongside ${own}.`,
          'Finish the upgrade: start every process with the same version.',
        ),
      ];
}
