// Where Teams can be written to. Kept from what comes in, so that any process can speak first, also after a restart.
import { sql } from 'drizzle-orm';
import type { TeamsConversation } from '#contracts/teams-conversation.ts';
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

/** A chat or channel, or with `team` all channels of that. */
export type TeamsArea = { tenant: string; channel: string; team: string | null };

const ofArea = ({ tenant, channel, team }: TeamsArea) =>
  sql`tenant = ${tenant} and (channel = ${channel} or team = ${team})`;

const placesOf = (
  area: TeamsArea,
) => sql`platform = 'teams' and tenant = ${area.tenant} and channel in (
  select channel from countersign.teams_conversations where ${ofArea(area)})`;

/** The app was taken out: nothing can be posted there until somebody does what `why` says. */
export async function closeTeamsArea(tx: Transaction, area: TeamsArea, why: string): Promise<void> {
  await tx.execute(sql`
    update countersign.teams_conversations set removed_at = clock_timestamp() where ${ofArea(area)}`);
  await tx.execute(sql`
    update countersign.chat_places set broken = ${why}, broken_at = clock_timestamp()
    where ${placesOf(area)} and broken is null`);
}

/** The app is there again. @returns conversations that wait to be brought up to date */
export async function reopenTeamsArea(tx: Transaction, area: TeamsArea): Promise<string[]> {
  await tx.execute(sql`
    update countersign.teams_conversations set removed_at = null where ${ofArea(area)}`);
  const { rows } = await tx.execute<{ conversation: string }>(sql`
    update countersign.chat_places set broken = null, broken_at = null, tries = 0, not_before = null, asked = asked + 1
    where ${placesOf(area)} and broken is not null returning conversation`);
  return rows.map(({ conversation }) => conversation).sort();
}
