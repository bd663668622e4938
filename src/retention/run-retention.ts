// A round of retention: one process deletes expired data.
import { isAbsolute, join } from 'node:path';
import { sql } from 'drizzle-orm';
import type { AuditKey } from '#db/audit/chain.ts';
import { findPrunable, pruneAudit } from '#db/audit/seals.ts';
import { readShared } from '#db/backends.ts';
import type { Database, Queryable } from '#db/database.ts';
import { readAuditPage } from '#db/plans/rows.ts';
import { beginRetention, bookDeleted, endRetention } from '#db/retention.ts';
import { countersign } from '#db/schema.ts';
import type { Clock, Random } from '#domain/clock.ts';
import { CountersignError, errorMessage } from '#domain/errors.ts';
import type { Retention } from '#domain/settings.ts';
import { isArchiveFailure, openArchive } from './archive.ts';
import { deletePlans, emptyDeletedPlans, plansOver, trimmable, trimPlans } from './plans.ts';
import { type Kind, sweepsOf } from './rules.ts';
import { countOver, createPace, cutoff, lineOf, type RetentionContext, sweep } from './sweep.ts';

export type Keeping = {
  db: Database;
  clock: Clock;
  random: Random;
  settings: Retention;
  auditKey: AuditKey | null;
  /** Contains the archive by default. */
  home: string;
  warn(message: string, error?: unknown): void;
};

const leaseSeconds = 60;
const bookEveryMs = 2000;

export function archiveFolder({ archive }: Retention, home: string): string | null {
  if (archive === false) return null;
  if (archive === true) return join(home, 'archive');
  return isAbsolute(archive) ? archive : join(home, archive);
}

const auditRowsAtOnce = 1000;

/** In whole seals. An interrupted removal archives lines twice, with the same IDs. */
async function trimAudit(
  context: RetentionContext,
  days: number,
  key: AuditKey | null,
): Promise<void> {
  const { db, archive } = context;
  const through = await findPrunable(db.query, new Date(cutoff(context.clock, days)));
  if (through === null) return;
  for (let after = 0; archive !== null; ) {
    const from = after;
    const page = await context.pace(() =>
      readAuditPage(db.query, { after: from, through, limit: auditRowsAtOnce }),
    );
    const last = page.at(-1);
    if (last === undefined) break;
    await archive.append(
      'audit',
      page.map(({ row }) => lineOf('audit', row)),
    );
    await context.book('audit', 0);
    after = last.id;
  }
  for (let gone = -1; gone !== 0; ) {
    gone = await context.pace(() => db.transaction((tx) => pruneAudit(tx, through, { key })));
    await context.book('audit', gone);
  }
}

/** Those of the last worker to start, or `own` without workers. */
export async function retentionInForce(db: Queryable, own: Retention): Promise<Retention> {
  const [newest] = await readShared(db);
  return newest?.shared.retention ?? own;
}

/** In order of references: plans before runs, runs before messages. */
function choresOf(
  context: RetentionContext,
  { settings, auditKey }: Pick<Keeping, 'settings' | 'auditKey'>,
) {
  const { plans, events, attempts, audit } = settings;
  return [
    () => emptyDeletedPlans(context),
    async () => await context.archive?.compress(),
    async () => (plans === null ? undefined : await deletePlans(context, plans)),
    async () => (events === null ? undefined : await trimPlans(context, 'events', events)),
    async () => (attempts === null ? undefined : await trimPlans(context, 'attempts', attempts)),
    ...sweepsOf(settings).map((one) => () => sweep(context, one)),
    async () => (audit === null ? undefined : await trimAudit(context, audit, auditKey)),
  ];
}

/**
 * Safe in many processes: one holds the lease. @param signal ends it after the current page @returns null if another process is
 * at work
 */
export async function runRetention(
  keeping: Keeping,
  signal: AbortSignal,
): Promise<Partial<Record<Kind, number>> | null> {
  const { db, clock, random, settings, home, warn } = keeping;
  const holder = random.hex(8);
  if (!(await beginRetention(db.query, holder, leaseSeconds))) return null;
  const folder = archiveFolder(settings, home);
  const deleted: Partial<Record<Kind, number>> = {};
  let unbooked: Partial<Record<Kind, number>> = {};
  let bookedAt = performance.now();
  const flush = async () => {
    const mine = await bookDeleted(db.query, holder, leaseSeconds, unbooked);
    [unbooked, bookedAt] = [{}, performance.now()];
    if (!mine)
      throw new CountersignError('lease_lost', 'Another process has taken up retention meanwhile.');
  };
  const context: RetentionContext = {
    db,
    clock,
    archive: folder === null ? null : openArchive(folder, clock),
    pace: createPace(),
    async book(kind, rows) {
      deleted[kind] = (deleted[kind] ?? 0) + rows;
      unbooked[kind] = (unbooked[kind] ?? 0) + rows;
      if (signal.aborted) throw new CountersignError('cancelled', 'This process stops.');
      if (performance.now() - bookedAt > bookEveryMs) await flush();
    },
  };
  let problem: string | null = null;
  let finished = false;
  try {
    for (const chore of choresOf(context, keeping)) {
      try {
        await chore();
      } catch (error) {
        // Continues with what needs no archive.
        if (!isArchiveFailure(error)) throw error;
        if (problem === null) warn(error.message, error.cause);
        problem = error.message;
      }
      await flush();
    }
    finished = true;
  } catch (error) {
    if (!signal.aborted) problem = errorMessage(error);
    if (!signal.aborted) throw error;
  } finally {
    await endRetention(db.query, holder, { finished, problem });
  }
  return deleted;
}

export type Preview = Record<Kind, number> & { steps: number };

export async function previewRetention({
  db,
  clock,
  settings,
}: Pick<Keeping, 'db' | 'clock' | 'settings'>): Promise<Preview> {
  const found: Preview = {
    plans: 0,
    steps: 0,
    events: 0,
    attempts: 0,
    messages: 0,
    runs: 0,
    planning: 0,
    audit: 0,
    chat: 0,
    caches: 0,
  };
  const count = async (query: ReturnType<typeof sql>) =>
    (await db.query.execute<{ n: number; steps?: number }>(query)).rows[0];
  if (settings.plans !== null) {
    const over = plansOver(cutoff(clock, settings.plans));
    const row = await count(sql`select count(*)::int as n, coalesce(sum(p.total), 0)::int as steps
      from ${countersign}.plans p where ${over}`);
    [found.plans, found.steps] = [row?.n ?? 0, row?.steps ?? 0];
  }
  for (const [kind, table, days] of [
    ['events', 'plan_events', settings.events],
    ['attempts', 'step_attempts', settings.attempts],
  ] as const) {
    if (days === null) continue;
    const row = await count(sql`select count(*)::int as n from ${countersign}.plans p
      join ${countersign}.${sql.identifier(table)} t on t.plan_id = p.id
      where ${trimmable(kind, cutoff(clock, days))} ${kind === 'events' ? sql`and t.revision < p.revision` : sql``}`);
    found[kind] = row?.n ?? 0;
  }
  const through =
    settings.audit === null
      ? null
      : await findPrunable(db.query, new Date(cutoff(clock, settings.audit)));
  if (through !== null)
    found.audit =
      (await count(sql`select count(*)::int as n from ${countersign}.audit where id <= ${through}`))
        ?.n ?? 0;
  for (const one of sweepsOf(settings)) found[one.kind] += await countOver({ db, clock }, one);
  return found;
}
