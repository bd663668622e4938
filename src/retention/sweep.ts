// Deletes expired rows page by page in short transactions.
// Page size adapts to duration, and the database rests as long after each.
import { setTimeout as pause } from 'node:timers/promises';
import { type SQL, sql } from 'drizzle-orm';
import type { Database, Transaction } from '#db/database.ts';
import type { Clock } from '#domain/clock.ts';
import type { Archive } from './archive.ts';
import type { Kind, Sweep } from './rules.ts';

export type RetentionContext = {
  db: Database;
  clock: Clock;
  archive: Archive | null;
  /** Renews the lease. @throws when stopping, or if another process took over */
  book(kind: Kind, rows: number): Promise<void>;
  pace: Pace;
};

/** `work` gets the number of rows it may take. */
export type Pace = <T>(work: (rows: number) => Promise<T>) => Promise<T>;

/** Pages shrink above, and grow below `shortMs`. */
const longMs = 100;
const shortMs = 40;
const fewest = 20;

export function createPace(most = 5000): Pace {
  let rows = Math.min(500, most);
  return async (work) => {
    const began = performance.now();
    const result = await work(rows);
    const ms = performance.now() - began;
    if (ms > longMs) rows = Math.max(fewest, Math.floor((rows * longMs) / ms));
    else if (ms < shortMs) rows = Math.min(most, Math.ceil(rows * 1.5));
    await pause(Math.min(ms, 2000));
    return result;
  };
}

const name = (table: string) => sql`${sql.identifier('countersign')}.${sql.identifier(table)}`;
const column = (of: string) => sql`t.${sql.identifier(of)}`;

type Taken = { ctid: string; row: string; place: string | null; key: string | null };

/** Locks them. @param from.whole reads them as JSON; otherwise `row` is empty */
export async function takeRows(
  tx: Transaction,
  from: {
    table: string;
    where: SQL;
    order?: SQL;
    limit: number | null;
    more?: SQL;
    whole: boolean;
  },
): Promise<Taken[]> {
  return tx.rows(sql`
    select t.ctid::text as ctid, ${from.whole ? sql`to_jsonb(t)::text` : sql`''`} as row,
      ${from.more ?? sql`null as place, null as key`}
    from ${name(from.table)} t where ${from.where} ${from.order ?? sql``} limit ${from.limit}::bigint
    for update of t skip locked`);
}

/** The transaction has locked them. @returns how many */
export async function deleteTaken(
  tx: Transaction,
  table: string,
  ctids: string[],
): Promise<number> {
  const { rowCount } = await tx.execute(
    sql`delete from ${name(table)} where ctid = any(${`{${ctids.map((ctid) => `"${ctid}"`).join(',')}}`}::tid[])`,
  );
  return rowCount ?? 0;
}

export const lineOf = (table: string, row: string) => `{"table":"${table}","row":${row}}`;

export function cutoff(clock: Clock, days: number): string {
  return new Date(clock.now().getTime() - days * 86_400_000).toISOString();
}

function isOver(sweep: Sweep, before: string): SQL {
  return sql`${column(sweep.time)} < ${before}::timestamptz and ${sweep.also ?? sql`true`}`;
}

/** They hold nothing that isn't stored elsewhere. */
const unarchived = new Set<Kind>(['chat', 'caches']);

type Place = { time: string; key: string };

async function sweepPage(
  context: RetentionContext,
  tx: Transaction,
  sweep: Sweep,
  page: { where: SQL; order: SQL; limit: number },
): Promise<{ gone: number; last: Place | null }> {
  const { table, key, time } = sweep;
  const more = sql`${column(time)}::text as place, ${column(key.column)}::text as key`;
  const { archive } = context;
  const whole = archive !== null && !unarchived.has(sweep.kind);
  const taken = await takeRows(tx, { table, ...page, more, whole });
  const end = taken.at(-1);
  if (end === undefined) return { gone: 0, last: null };
  const keys = taken.flatMap((row) => row.key ?? []);
  const lines = taken.map(({ row }) => lineOf(table, row));
  for (const other of sweep.with ?? []) {
    const theirs = sql`${column(other.column)} = any(${sql.param(keys)}::${sql.raw(key.type)}[])`;
    const found = await takeRows(tx, {
      table: other.table,
      where: theirs,
      limit: null,
      whole,
    });
    lines.push(...found.map(({ row }) => lineOf(other.table, row)));
    await deleteTaken(
      tx,
      other.table,
      found.map(({ ctid }) => ctid),
    );
  }
  if (whole) await archive.append(sweep.kind, lines);
  const ctids = taken.map(({ ctid }) => ctid);
  if (sweep.empties === undefined) await deleteTaken(tx, table, ctids);
  else
    await tx.execute(sql`update ${name(table)} set ${sql.identifier(sweep.empties.column)} = ${sweep.empties.to}
      where ctid = any(${`{${ctids.map((ctid) => `"${ctid}"`).join(',')}}`}::tid[])`);
  const last =
    taken.length < page.limit || end.place === null || end.key === null
      ? null
      : { time: end.place, key: end.key };
  return { gone: taken.length, last };
}

async function sweepByTime(context: RetentionContext, sweep: Sweep): Promise<void> {
  const before = cutoff(context.clock, sweep.days);
  const [time, key] = [column(sweep.time), column(sweep.key.column)];
  for (let last: Place | null = { time: '-infinity', key: '' }, first = true; last !== null; ) {
    const after: SQL = first
      ? sql`true`
      : sql`(${time}, ${key}) > (${last.time}::timestamptz, ${last.key}::${sql.raw(sweep.key.type)})`;
    const page: { gone: number; last: Place | null } = await context.pace((rows) => {
      const limit = Math.min(rows, sweep.atMost ?? rows);
      return context.db.transaction((tx) =>
        sweepPage(context, tx, sweep, {
          where: sql`${isOver(sweep, before)} and ${after}`,
          order: sql`order by ${time}, ${key}`,
          limit,
        }),
      );
    });
    await context.book(sweep.kind, page.gone);
    [last, first] = [page.last, false];
  }
}

/** Page by page until one has nothing old. */
async function sweepByKey(context: RetentionContext, sweep: Sweep): Promise<void> {
  const before = cutoff(context.clock, sweep.days);
  const [time, key] = [column(sweep.time), column(sweep.key.column)];
  for (let last = '-1'; ; ) {
    const from = last;
    const page = await context.pace((limit) =>
      context.db.transaction(async (tx) => {
        const [next] = await tx.rows<{ last: string | null; old: boolean | null }>(sql`
          select max(key)::text as last, bool_or(time < ${before}::timestamptz) as old from (
            select ${key} as key, ${time} as time from ${name(sweep.table)} t
            where ${key} > ${from}::bigint order by ${key} limit ${limit}) t`);
        if (next?.last == null || next.old !== true) return null;
        const where = sql`${key} > ${from}::bigint and ${key} <= ${next.last}::bigint and ${isOver(sweep, before)}`;
        const { gone } = await sweepPage(context, tx, sweep, { where, order: sql``, limit });
        return { gone, last: next.last };
      }),
    );
    if (page === null) return;
    await context.book(sweep.kind, page.gone);
    last = page.last;
  }
}

/** Locked rows are left for the next round. */
export function sweep(context: RetentionContext, one: Sweep): Promise<void> {
  return one.order === 'index' ? sweepByTime(context, one) : sweepByKey(context, one);
}

export async function countOver({ db, clock }: Pick<RetentionContext, 'db' | 'clock'>, one: Sweep) {
  const { rows } = await db.query.execute<{ n: number }>(
    sql`select count(*)::int as n from ${name(one.table)} t where ${isOver(one, cutoff(clock, one.days))}`,
  );
  return rows[0]?.n ?? 0;
}
