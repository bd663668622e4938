// Teams conversation references, so that any process can post first.
import { and, asc, eq, inArray, isNull, lt, or, type SQL, sql } from 'drizzle-orm';
import type { TeamsArea, TeamsConversation } from '#domain/chat/teams-conversation.ts';
import type { Queryable, Transaction } from '../database.ts';
import { chatPlaces, teamsConversations } from '../schema.ts';
import { now } from '../time.ts';
import { breakPlaces, mendPlaces } from './places.ts';

const table = teamsConversations;
const { tenant, channel, kind, service_url, bot, person, team, timezone } = table;
const columns = { tenant, channel, kind, service_url, bot, person, team, timezone };

const isAt = (inTenant: string, inChannel: string) =>
  and(eq(tenant, inTenant), eq(channel, inChannel));

/** Any activity proves that the app is installed. */
export async function storeTeamsConversation(
  db: Queryable,
  conversation: TeamsConversation,
): Promise<void> {
  const kept = (name: 'person' | 'team' | 'timezone') =>
    sql`coalesce(${sql.raw(`excluded.${name}`)}, ${table[name]})`;
  const known = { person: kept('person'), team: kept('team'), timezone: kept('timezone') };
  await db
    .insert(table)
    .values(conversation)
    .onConflictDoUpdate({
      target: [tenant, channel],
      set: {
        kind: conversation.kind,
        service_url: conversation.service_url,
        bot: conversation.bot,
        removed_at: null,
        ...known,
      },
      // Most events change nothing and write nothing.
      setWhere: sql`(${kind}, ${service_url}, ${bot}, ${table.removed_at}, ${person}, ${team}, ${timezone})
        is distinct from (excluded.kind, excluded.service_url, excluded.bot, null::timestamptz,
          ${known.person}, ${known.team}, ${known.timezone})`,
    });
}

export async function readTeamsConversation(
  db: Queryable,
  inTenant: string,
  inChannel: string,
): Promise<TeamsConversation | null> {
  const [found] = await db.select(columns).from(table).where(isAt(inTenant, inChannel));
  return found ?? null;
}

/** Null if unknown or the app was removed. */
export async function readPersonalChat(
  db: Queryable,
  inTenant: string,
  of: string,
): Promise<TeamsConversation | null> {
  const [found] = await db
    .select(columns)
    .from(table)
    .where(
      and(eq(tenant, inTenant), eq(person, of), eq(kind, 'personal'), isNull(table.removed_at)),
    )
    .orderBy(asc(channel))
    .limit(1);
  return found ?? null;
}

export async function markWelcomed(
  tx: Transaction,
  inTenant: string,
  inChannel: string,
): Promise<boolean> {
  const { rowCount } = await tx
    .update(table)
    .set({ welcomed_at: now })
    .where(and(isAt(inTenant, inChannel), isNull(table.welcomed_at)));
  return rowCount !== 0;
}

/** Ignores news older than known. @returns a condition on the area's chat places */
async function moveArea(
  tx: Transaction,
  area: TeamsArea,
  sentAt: Date,
  removedAt: SQL<Date> | null,
): Promise<SQL | undefined> {
  const locked = tx
    .select({ channel })
    .from(table)
    .where(
      and(
        eq(tenant, area.tenant),
        or(eq(channel, area.channel), area.team === null ? undefined : eq(team, area.team)),
        or(isNull(table.news_at), lt(table.news_at, sentAt)),
      ),
    )
    .orderBy(asc(channel))
    .for('no key update')
    .as('locked');
  const moved = await tx
    .update(table)
    .set({ removed_at: removedAt, news_at: sentAt })
    .from(locked)
    .where(and(eq(tenant, area.tenant), eq(channel, locked.channel)))
    .returning({ channel });
  return and(
    eq(chatPlaces.platform, 'teams'),
    eq(chatPlaces.tenant, area.tenant),
    inArray(
      chatPlaces.channel,
      moved.map((row) => row.channel),
    ),
  );
}

/** Blocks posting until a person follows `why`. @param sentAt Teams' send time; ignored if later news is known */
export async function closeTeamsArea(
  tx: Transaction,
  area: TeamsArea,
  why: string,
  sentAt: Date,
): Promise<void> {
  await breakPlaces(tx, await moveArea(tx, area, sentAt, now), why);
}

/** @returns conversations to refresh */
export async function reopenTeamsArea(
  tx: Transaction,
  area: TeamsArea,
  sentAt: Date,
): Promise<string[]> {
  const places = await moveArea(tx, area, sentAt, null);
  return (await mendPlaces(tx, places, { askAll: true })).sort();
}
