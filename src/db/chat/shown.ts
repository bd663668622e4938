// Whether a plan had been shown when a deciding word was written.
import { sql } from 'drizzle-orm';
import type { Queryable } from '../database.ts';
import { countersign } from '../schema/columns.ts';
import { maxSkewMs } from './posts.ts';

type ShownSubject = { plan_id: string; version: number } | { run_id: string; turn: number };

/** A person may already be reading it. */
export async function isBeingPosted(
  db: Queryable,
  conversation: string,
  subject: ShownSubject,
): Promise<boolean> {
  const [of, about] =
    'plan_id' in subject
      ? [sql`plan_id = ${subject.plan_id}`, sql`true`]
      : [sql`run_id = ${subject.run_id}`, sql`run_turn = ${subject.turn}`];
  const { rows } = await db.execute<{ first: boolean | null }>(sql`
    select bool_or(state = 'sending' and ${about}) and not bool_or(state = 'posted') as first
    from ${countersign}.chat_posts where conversation = ${conversation} and ${of}`);
  return rows[0]?.first === true;
}

/** Off platforms, everything is shown at once; otherwise once its message or a card of this version was sent. */
export async function wasShown(
  db: Queryable,
  conversation: string,
  subject: ShownSubject,
  writtenAt: Date,
): Promise<boolean> {
  const written = sql`${writtenAt.toISOString()}::timestamptz`;
  const by = sql`${written} + make_interval(secs => ${maxSkewMs / 1000})`;
  const sent = sql`(p.sent_at <= ${written} or p.sent_at is null and p.state = 'posted')`;
  const found =
    'plan_id' in subject
      ? sql`
        select from ${countersign}.chat_posts p
          join ${countersign}.messages m on m.id = p.message_id
          left join lateral (
            select created_at from ${countersign}.plan_versions where plan_id = p.plan_id and version = ${subject.version}
            union all
            select created_at from ${countersign}.plan_patches
            where plan_id = p.plan_id and version = ${subject.version} and status = 'needs_approval'
            limit 1
          ) v on true
        where p.conversation = ${conversation} and p.plan_id = ${subject.plan_id} and (
          m.created_at >= coalesce(v.created_at, '-infinity') and ${sent}
          or m.created_at < v.created_at and p.state = 'posted' and p.shown_at <= ${by}
            and (p.shown_version = ${subject.version} or p.shown_version is null and p.shown_at >= v.created_at))`
      : sql`
        select from ${countersign}.chat_posts p
        where p.conversation = ${conversation} and p.run_id = ${subject.run_id} and p.run_turn = ${subject.turn} and ${sent}`;
  const { rows } = await db.execute<{ shown: boolean }>(sql`
    select exists (${found})
      or not exists (select from ${countersign}.chat_places where conversation = ${conversation}) as shown`);
  return rows[0]?.shown ?? false;
}

export async function noteRunRead(
  db: Queryable,
  runId: string,
  reader: string,
  turn: number,
): Promise<void> {
  await db.execute(sql`
    insert into ${countersign}.run_readers (run_id, reader, turn, shown_at)
    select ${runId}, ${reader}, ${turn}::int, clock_timestamp()
    where not exists (
      select from ${countersign}.run_readers where run_id = ${runId} and reader = ${reader} and turn = ${turn})
    on conflict (run_id, reader) do update set turn = excluded.turn, shown_at = excluded.shown_at`);
}

export async function readRunRead(
  db: Queryable,
  runId: string,
  reader: string,
): Promise<number | null> {
  const { rows } = await db.execute<{ turn: number }>(sql`
    select turn from ${countersign}.run_readers where run_id = ${runId} and reader = ${reader}`);
  return rows[0]?.turn ?? null;
}

/** Its last speaker, and how many runs and plans without one were shown. */
export async function readLastSpeaker(
  db: Queryable,
  conversation: string,
): Promise<{ last_speaker: string | null; subjects: number }> {
  const [row] = await db.rows<{ last_speaker: string | null; subjects: number }>(sql`
    select
      (select name from ${countersign}.messages
        where conversation = ${conversation} and author = 'person' order by id desc limit 1) as last_speaker,
      ((select count(*) from ${countersign}.runs where conversation = ${conversation})
        + (select count(*) from ${countersign}.plans where conversation = ${conversation} and run_id is null))::int as subjects`);
  if (row === undefined) throw new Error('readHeard: no row came back');
  return row;
}
