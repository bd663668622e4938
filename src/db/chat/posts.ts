// Posted messages: `sending` precedes the platform's call; until its answer, content is unknown.
import { eq, sql } from 'drizzle-orm';
import type { PgUpdateSetSource } from 'drizzle-orm/pg-core';
import type { ChatPost } from '#domain/chat/chat.ts';
import { prepareStatement, type Queryable, type Transaction } from '../database.ts';
import { schemaName } from '../instance.ts';
import { overtaken } from '../planning/runs.ts';
import { planState } from '../plans/groups.ts';
import { countersign } from '../schema/columns.ts';
import { chatPosts } from '../schema.ts';
import { inSeconds, isoOf, now } from '../time.ts';

export type UnpostedMessage = {
  id: number;
  plan_id: string | null;
  run_id: string | null;
  run_turn: number | null;
};

export type PostRow = {
  message_id: number;
  text: string;
  /** As stored: `readParts`. */
  parts: unknown;
  said_at: string;
  plan_id: string | null;
  run_id: string | null;
  run_turn: number | null;
  key: string;
  post: ChatPost | null;
  superseded: boolean;
  asked: number;
  shown: string | null;
  /** A change with an unknown result may have landed since. */
  redraw: boolean;
  /** Only step progress changed since it was drawn. */
  progress: boolean;
  /** Its turn in the progress queue has come. */
  queued: boolean;
  failures: number;
  /** Milliseconds of consecutive transient failures. */
  failing_ms: number;
};

const postColumns = sql`p.message_id, m.text, m.parts, ${isoOf('m.created_at', 'milliseconds')} as said_at, p.plan_id, p.run_id, p.run_turn, p.key, p.post, p.superseded, p.asked, p.shown, p.failures,
  coalesce(p.redraw_at <= clock_timestamp(), false) as redraw, not p.urgent and not p.superseded as progress, p.not_before is not null as queued,
  coalesce(extract(epoch from clock_timestamp() - p.failing_since) * 1000, 0)::float8 as failing_ms`;
const posts = sql`${countersign}.chat_posts p join ${countersign}.messages m on m.id = p.message_id`;

/** A turn's last message is identified by run and turn; a plan's messages by its card. */
const turnOf = sql`case when plan_id is null and run_id is not null
  then substring(once from '^' || run_id || ':([0-9]+)$')::int end`;

export async function readNextUnposted(
  db: Queryable,
  conversation: string,
): Promise<UnpostedMessage | null> {
  return db.row(sql`
    select id, plan_id, case when turn is null then null else run_id end as run_id, turn as run_turn from (
      select id, plan_id, run_id, ${turnOf} as turn from ${countersign}.messages
      where conversation = ${conversation} and author = 'bot'
        and id > (select delivered from ${countersign}.chat_places where conversation = ${conversation})
      order by id limit 1) said`);
}

export async function readRepost(db: Queryable, conversation: string): Promise<PostRow | null> {
  return db.row(sql`
    select ${postColumns} from ${posts}
    where p.conversation = ${conversation} and p.state = 'sending'
      and p.message_id <= (select delivered from ${countersign}.chat_places where conversation = ${conversation})
    order by p.message_id limit 1`);
}

export async function readStaleCard(
  db: Queryable,
  conversation: string,
  paceMs: number,
): Promise<PostRow | null> {
  return db.row(sql`
    select ${postColumns} from ${posts}
    where p.conversation = ${conversation} and p.state = 'posted' and (p.not_before is null or p.not_before <= clock_timestamp())
      and (p.redraw_at <= clock_timestamp() or p.asked > p.answered
      and (p.superseded or p.shown_at <= clock_timestamp() - make_interval(secs => ${paceMs / 1000})))
    order by p.urgent desc, p.message_id limit 1`);
}

/** The first card of a continued or superseded planning session: its buttons are dead. */
export async function readEndedSession(
  db: Queryable,
  conversation: string,
): Promise<PostRow | null> {
  return db.row(sql`
    select ${postColumns} from ${posts} join ${countersign}.runs r on r.id = p.run_id
    where p.conversation = ${conversation} and p.run_id is not null and p.live and p.state = 'posted'
      and (r.turn > p.run_turn or r.planning_status = 'complete' or ${overtaken})
    order by p.message_id limit 1`);
}

/** Milliseconds until the next changed card may be drawn. */
export async function readPause(
  db: Queryable,
  conversation: string,
  paceMs: number,
): Promise<number | null> {
  const { rows } = await db.execute<{ ms: number }>(sql`
    select greatest(0, extract(epoch from not_before - clock_timestamp()) * 1000, least(
        case when asked > answered then ${paceMs} - extract(epoch from clock_timestamp() - shown_at) * 1000 end,
        extract(epoch from redraw_at - clock_timestamp()) * 1000))::float8 as ms
    from ${countersign}.chat_posts
    where conversation = ${conversation} and state = 'posted' and (asked > answered or redraw_at is not null)
    order by ms limit 1`);
  return rows[0]?.ms ?? null;
}

/** An existing row keeps its key. @returns the row, and whether it existed (an attempt may have been made) */
export async function beginPost(
  tx: Queryable,
  conversation: string,
  { id, plan_id, run_id, run_turn }: UnpostedMessage,
  key: string,
): Promise<{ row: PostRow; tried: boolean }> {
  const live = plan_id !== null || run_id !== null;
  const { rows: begun } = await tx.execute(sql`
    insert into ${countersign}.chat_posts (message_id, conversation, plan_id, run_id, run_turn, key, live)
    values (${id}, ${conversation}, ${plan_id}, ${run_id}, ${run_turn}::int, ${key}, ${live}) on conflict do nothing
    returning message_id`);
  const [row] = await tx.rows<PostRow>(
    sql`select ${postColumns} from ${posts} where p.message_id = ${id}`,
  );
  if (row === undefined) throw new Error(`beginPost: message ${id} has no row`);
  return { row, tried: begun.length === 0 };
}

export type ShownPost = {
  post: ChatPost;
  /** Null if an earlier attempt may have sent something else. */
  digest: string | null;
  /** The drawn plan version, 0 if the card was left out, or null without a plan. */
  version: number | null;
  /** Final: the plan ended or the session continued. */
  rests: boolean;
  /** Posted without its current card, which follows. */
  follows: boolean;
  sent_at: Date | null;
  took_ms: number;
};

/** Between a platform's clock and the database's. */
export const maxSkewMs = 1000;

/** Redraws earlier cards of its plan as superseded. @returns false if already posted or set aside */
export async function settlePosted(
  tx: Transaction,
  conversation: string,
  { message_id, key, asked, plan_id }: PostRow,
  { post, digest, version, rests, follows, sent_at, took_ms }: ShownPost,
): Promise<boolean> {
  await tx.execute(sql`
    update ${countersign}.chat_places set delivered = greatest(delivered, ${message_id}::bigint), tries = 0, not_before = null
    where conversation = ${conversation}`);
  const { rows } = await tx.execute(sql`
    update ${countersign}.chat_posts set state = 'posted', post = ${JSON.stringify(post)}::jsonb, shown = ${digest},
      shown_at = clock_timestamp(), shown_version = ${version}::int, sent_at = coalesce(sent_at, ${sent_at?.toISOString() ?? null}::timestamptz,
        clock_timestamp() - make_interval(secs => ${(took_ms + maxSkewMs) / 1000})),
      answered = ${asked}, asked = asked + ${follows ? 1 : 0}::int, live = live and not ${rests},
      failures = 0, failing_since = null, redraw_at = null, not_before = null, error = null
    where message_id = ${message_id} and key = ${key} and state = 'sending' returning message_id`);
  if (rows.length === 0) return false;
  if (plan_id === null) return true;
  await tx.execute(sql`
    update ${countersign}.chat_posts set superseded = true, live = false, asked = asked + 1, not_before = null
    where conversation = ${conversation} and plan_id = ${plan_id} and message_id < ${message_id} and live`);
  return true;
}

/** The lower duplicate becomes the message; the other will point down to it. @returns false if it is the known post */
export async function noteStray(
  tx: Transaction,
  conversation: string,
  { message_id }: PostRow,
  post: ChatPost,
): Promise<boolean> {
  await tx.execute(
    sql`update ${countersign}.chat_places set asked = asked + 1 where conversation = ${conversation}`,
  );
  return tx.hasRows(sql`
    update ${countersign}.chat_posts set strays = coalesce(strays, '[]'::jsonb) || jsonb_build_array(post),
      post = ${JSON.stringify(post)}::jsonb, shown = null, shown_version = 0, asked = asked + 1
    where message_id = ${message_id} and state = 'posted' and (plan_id is not null or run_id is not null)
      and post ->> 'message' <> ${post.message} returning message_id`);
}

export async function readStray(
  db: Queryable,
  conversation: string,
): Promise<{ row: PostRow; stray: ChatPost } | null> {
  const [found] = await db.rows<PostRow & { stray: ChatPost }>(sql`
    select ${postColumns}, p.strays -> 0 as stray from ${posts}
    where p.conversation = ${conversation} and p.strays is not null order by p.message_id limit 1`);
  if (found === undefined) return null;
  const { stray, ...row } = found;
  return { row, stray };
}

async function changePost(
  db: Queryable,
  { message_id }: PostRow,
  set: PgUpdateSetSource<typeof chatPosts>,
): Promise<void> {
  await db.update(chatPosts).set(set).where(eq(chatPosts.message_id, message_id));
}

export function dropStray(db: Queryable, post: PostRow): Promise<void> {
  const strays = sql`nullif(${chatPosts.strays} - 0, '[]'::jsonb)`;
  return changePost(db, post, { strays, failing_since: null });
}

export function postponeCard(db: Queryable, post: PostRow, inMs: number): Promise<void> {
  return changePost(db, post, { shown: post.shown, not_before: inSeconds(inMs / 1000) });
}

export function beginUpdate(db: Queryable, post: PostRow): Promise<void> {
  return changePost(db, post, { shown: null });
}

/**
 * Records the card as drawn for changes up to `asked`. @param digest without `sent`, only if unchanged
 * @param redrawInMs null for none, `undefined` to keep it
 */
export async function settleCard(
  tx: Transaction,
  conversation: string,
  { message_id, asked }: Pick<PostRow, 'message_id' | 'asked'>,
  {
    digest,
    version,
    rests,
    sent,
    redrawInMs,
  }: {
    digest: string;
    version: number | null;
    rests: boolean;
    sent: boolean;
    redrawInMs?: number | null | undefined;
  },
): Promise<void> {
  if (sent) {
    await tx.execute(sql`
      update ${countersign}.chat_places set tries = 0, not_before = null
      where conversation = ${conversation} and (tries > 0 or not_before is not null)`);
  }
  await tx.execute(sql`
    update ${countersign}.chat_posts set shown = ${digest}, answered = greatest(answered, ${asked}::bigint),
      shown_at = ${sent ? sql`clock_timestamp()` : sql`shown_at`}, shown_version = ${version}::int, live = live and not ${rests}, failures = 0, failing_since = null, error = null,
      urgent = urgent and asked > ${asked}::bigint, not_before = null
      ${redrawInMs === undefined ? sql`` : sql`, redraw_at = ${redrawInMs === null ? sql`null` : sql`clock_timestamp() + make_interval(secs => ${redrawInMs / 1000})`}`}
    where message_id = ${message_id} ${sent ? sql`` : sql`and shown = ${digest}`}`);
}

/** The post was deleted: repost its card under `key`, or forget it if null. */
export function loseCard(db: Queryable, post: PostRow, key: string | null): Promise<void> {
  return changePost(
    db,
    post,
    key === null
      ? { state: 'gone', live: false, answered: sql`${chatPosts.asked}` }
      : { state: 'sending', post: null, key },
  );
}

export function noteFailure(db: Queryable, post: PostRow, counts: boolean): Promise<void> {
  const { failures, failing_since } = chatPosts;
  return changePost(
    db,
    post,
    counts
      ? { failures: sql`${failures} + 1` }
      : { failing_since: sql`coalesce(${failing_since}, ${now})` },
  );
}

export function forgetFailing(db: Queryable, post: PostRow): Promise<void> {
  return changePost(db, post, { failing_since: null });
}

/** The platform refuses it. A plan's card is retried at its next change; a session's never changes again. */
export async function setPostAside(
  tx: Transaction,
  conversation: string,
  { message_id }: PostRow,
  error: string,
): Promise<void> {
  await tx.execute(sql`
    update ${countersign}.chat_places set delivered = greatest(delivered, ${message_id}::bigint), tries = 0
    where conversation = ${conversation}`);
  await tx.execute(sql`
    update ${countersign}.chat_posts set error = ${error}, failures = 0, failing_since = null, redraw_at = null, answered = asked,
      shown_at = case state when 'posted' then shown_at else clock_timestamp() end, live = live and state = 'posted' and run_id is null, state = case state when 'sending' then 'failed' else state end
    where message_id = ${message_id}`);
}

/** @param progress only step progress changed @returns their conversations */
export async function askForCards(
  tx: Transaction,
  planId: string,
  progress: boolean,
): Promise<string[]> {
  // Places before posts, in order, as in settling: avoids deadlocks.
  const { rows } = await tx.execute<{ conversation: string }>(sql`
    with found as (
      select distinct conversation from ${countersign}.chat_posts where plan_id = ${planId} and live
    ), locked as materialized (
      select conversation from ${countersign}.chat_places join found using (conversation)
      order by conversation for no key update of chat_places
    )
    update ${countersign}.chat_places p set asked = asked + 1 from locked
    where p.conversation = locked.conversation returning p.conversation`);
  if (rows.length === 0) return [];
  // An urgent card stays urgent, and leaves the progress queue.
  await tx.execute(sql`
    update ${countersign}.chat_posts c set asked = c.asked + 1, standing = n.standing, urgent = c.urgent or n.urgent,
      not_before = case when n.urgent and not c.urgent then null else c.not_before end
    from (
      select c.message_id, s.standing, not ${progress} or c.standing is distinct from s.standing as urgent
      from ${countersign}.chat_posts c, lateral (
        select ${planState} as standing
        from ${countersign}.plans where id = c.plan_id) s
      where c.plan_id = ${planId} and c.live
    ) n where n.message_id = c.message_id`);
  return rows.map(({ conversation }) => conversation);
}

/** Every running plan needs it every second. It waits for no card, since others lock cards in another order. */
const tellingScreens = prepareStatement(
  'tell_progress',
  sql`
  with queued as (
    update ${countersign}.chat_posts set asked = asked + 1 where message_id in (
      select message_id from ${countersign}.chat_posts
      where plan_id = ${sql.placeholder('plan')} and live and not urgent and not_before > clock_timestamp()
      for no key update skip locked
    ) returning message_id
  )
  select count(q.message_id) > 0 and count(q.message_id) = count(*) as queued,
    pg_notify(${schemaName}, 'plan:' || ${sql.placeholder('plan')})
  from ${countersign}.chat_posts c left join queued q using (message_id) where c.plan_id = ${sql.placeholder('plan')} and c.live`,
);

/** Wakes screens that show the plan; cards waiting to show progress include the change. @returns false if a card needs a job */
export async function tellProgress(tx: Queryable, planId: string): Promise<boolean> {
  const [row] = await tx.run<{ queued: boolean }>(tellingScreens, { plan: planId });
  return row?.queued === true;
}

/** An abandoned attempt ended late, so the card's content is unknown. */
export async function askForCard(
  tx: Transaction,
  conversation: string,
  { message_id }: PostRow,
): Promise<void> {
  await tx.execute(
    sql`update ${countersign}.chat_places set asked = asked + 1 where conversation = ${conversation}`,
  );
  await tx.execute(sql`
    update ${countersign}.chat_posts set asked = asked + 1, shown = null where message_id = ${message_id} and state = 'posted'`);
}
