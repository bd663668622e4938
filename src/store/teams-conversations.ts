// Where Teams can be written to. Kept from what comes in, so that any process can speak first, also after a restart.
import { type SQL, sql } from 'drizzle-orm';
import type { TeamsArea, TeamsConversation } from '#contracts/teams-conversation.ts';
import type { Queryable, Transaction } from './database.ts';

const columns = sql`tenant, channel, kind, service_url, bot, person, team, timezone`;

/** Keeps what came from there last. That something came says that the app is in. */
export async function storeTeamsConversation(
  db: Queryable,
  { tenant, channel, kind, service_url, bot, person, team, timezone }: TeamsConversation,
): Promise<void> {
  await db.execute(sql`
    insert into countersign.teams_conversations as c (${columns})
    values (${tenant}, ${channel}, ${kind}, ${service_url}, ${bot}, ${person}, ${team}, ${timezone})
    on conflict (tenant, channel) do update set
      kind = excluded.kind, service_url = excluded.service_url, bot = excluded.bot, removed_at = null,
      person = coalesce(excluded.person, c.person), team = coalesce(excluded.team, c.team),
      timezone = coalesce(excluded.timezone, c.timezone)
    where (c.kind, c.service_url, c.bot, c.removed_at, c.person, c.team, c.timezone) is distinct from
      (excluded.kind, excluded.service_url, excluded.bot, null::timestamptz, coalesce(excluded.person, c.person),
        coalesce(excluded.team, c.team), coalesce(excluded.timezone, c.timezone))`);
}

/** null: nothing ever came from there. */
export async function readTeamsConversation(
  db: Queryable,
  tenant: string,
  channel: string,
): Promise<TeamsConversation | null> {
  const { rows } = await db.execute<TeamsConversation>(sql`
    select ${columns} from countersign.teams_conversations
    where tenant = ${tenant} and channel = ${channel}`);
  return rows[0] ?? null;
}

/** The chat in which somebody talks to the bot alone; null: none is known, or the app was taken out of it. */
export async function readPersonalChat(
  db: Queryable,
  tenant: string,
  person: string,
): Promise<TeamsConversation | null> {
  const { rows } = await db.execute<TeamsConversation>(sql`
    select ${columns} from countersign.teams_conversations
    where tenant = ${tenant} and person = ${person} and kind = 'personal' and removed_at is null
    order by channel limit 1`);
  return rows[0] ?? null;
}

/** @returns whether nobody was welcomed there before */
export async function markWelcomed(
  tx: Transaction,
  tenant: string,
  channel: string,
): Promise<boolean> {
  const { rows } = await tx.execute(sql`
    update countersign.teams_conversations set welcomed_at = clock_timestamp()
    where tenant = ${tenant} and channel = ${channel} and welcomed_at is null returning channel`);
  return rows.length > 0;
}

/** What is news there: nothing is known of the app being added or taken out that was sent at `sentAt` or after it. */
async function moveArea(
  tx: Transaction,
  { tenant, channel, team }: TeamsArea,
  sentAt: Date,
  removedAt: SQL,
): Promise<string[]> {
  const at = sql`${sentAt.toISOString()}::timestamptz`;
  const { rows } = await tx.execute<{ channel: string }>(sql`
    with locked as materialized (
      select channel from countersign.teams_conversations
      where tenant = ${tenant} and (channel = ${channel} or team = ${team}) and (news_at is null or news_at < ${at})
      order by channel for no key update)
    update countersign.teams_conversations c set removed_at = ${removedAt}, news_at = ${at} from locked
    where c.tenant = ${tenant} and c.channel = locked.channel returning c.channel`);
  return rows.map((row) => row.channel);
}

/** Places in these channels, locked one after the other in the order of everybody who locks several. */
const placesOf = (tenant: string, channels: string[], state: SQL) => sql`
  select conversation from countersign.chat_places
  where platform = 'teams' and tenant = ${tenant} and channel = any(${sql.param(channels)}::text[]) and ${state}
  order by conversation for no key update`;

/**
 * The app was taken out: nothing can be posted there until somebody does what `why` says.
 * @param sentAt when the news were sent, by Teams' time; where later ones are known these change nothing
 */
export async function closeTeamsArea(
  tx: Transaction,
  area: TeamsArea,
  why: string,
  sentAt: Date,
): Promise<void> {
  const left = await moveArea(tx, area, sentAt, sql`clock_timestamp()`);
  await tx.execute(sql`
    with locked as materialized (${placesOf(area.tenant, left, sql`broken is null`)})
    update countersign.chat_places p set broken = ${why}, broken_at = clock_timestamp() from locked
    where p.conversation = locked.conversation`);
}

/** The app is there again; `sentAt` as above. @returns conversations that wait to be brought up to date */
export async function reopenTeamsArea(
  tx: Transaction,
  area: TeamsArea,
  sentAt: Date,
): Promise<string[]> {
  const back = await moveArea(tx, area, sentAt, sql`null`);
  const { rows } = await tx.execute<{ conversation: string }>(sql`
    with locked as materialized (${placesOf(area.tenant, back, sql`broken is not null`)})
    update countersign.chat_places p set broken = null, broken_at = null, tries = 0, not_before = null, asked = asked + 1
    from locked where p.conversation = locked.conversation returning p.conversation`);
  return rows.map(({ conversation }) => conversation).sort();
}
