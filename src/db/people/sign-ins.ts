// Sign-ins, browser sessions and personal tokens. Secrets are hashed.
import { and, asc, desc, eq, gt, inArray, isNull, lt, lte, or, sql } from 'drizzle-orm';
import type { Profile } from '#domain/people/identity.ts';
import type { Queryable } from '../database.ts';
import { countersign } from '../schema/columns.ts';
import { accessTokens, signedIn, signInSessions, signInTries } from '../schema.ts';
import { isoOf } from '../time.ts';

export type SignInTry = typeof signInTries.$inferSelect;
export type SignedIn = Profile & { provider: string; at: Date };

/** Stored form of unreadable groups: a single unnamed group. */
const unread = [''];
const readRow = <R extends { groups: string[] }>(row: R) => ({
  ...row,
  groups: row.groups.includes('') ? null : row.groups,
});
export type AccessToken = typeof accessTokens.$inferSelect;

export async function storeTry(db: Queryable, begun: SignInTry, now: Date): Promise<void> {
  await db.delete(signInTries).where(lt(signInTries.expires_at, now));
  await db.insert(signInTries).values(begun);
}

/** Works once. Null if unknown or expired. */
export async function takeTry(
  db: Queryable,
  { state, browser, provider }: { state: string; browser: string; provider: string },
  now: Date,
): Promise<SignInTry | null> {
  const [found] = await db
    .delete(signInTries)
    .where(
      and(
        eq(signInTries.state_hash, state),
        eq(signInTries.browser_hash, browser),
        eq(signInTries.provider, provider),
        gt(signInTries.expires_at, now),
      ),
    )
    .returning();
  return found ?? null;
}

export async function storeSignedIn(db: Queryable, person: SignedIn): Promise<void> {
  const { account, groups, ...profile } = person;
  const set = { ...profile, groups: groups ?? unread };
  await db
    .insert(signedIn)
    .values({ account, ...set })
    .onConflictDoUpdate({ target: signedIn.account, set });
}

export async function readSignedIn(db: Queryable, names: string[]): Promise<SignedIn[]> {
  const rows = await db
    .select()
    .from(signedIn)
    .where(or(inArray(signedIn.account, names), inArray(signedIn.email, names)))
    .orderBy(desc(signedIn.at));
  return rows.map(readRow);
}

export async function openSession(
  db: Queryable,
  session: typeof signInSessions.$inferInsert,
  before: string | null,
): Promise<void> {
  const ended = lte(signInSessions.expires_at, session.created_at);
  await db
    .delete(signInSessions)
    .where(before === null ? ended : or(ended, eq(signInSessions.hash, before)));
  await db.insert(signInSessions).values(session);
}

/** @param idleSince sessions unused since then have ended */
export async function readSession(
  db: Queryable,
  hash: string,
  { now, idleSince }: { now: Date; idleSince: Date },
): Promise<{ person: SignedIn; used_at: Date } | null> {
  const [found] = await db
    .select({ person: signedIn, used_at: signInSessions.used_at })
    .from(signInSessions)
    .innerJoin(signedIn, eq(signedIn.account, signInSessions.account))
    .where(
      and(
        eq(signInSessions.hash, hash),
        gt(signInSessions.expires_at, now),
        gt(signInSessions.used_at, idleSince),
      ),
    );
  return found === undefined ? null : { ...found, person: readRow(found.person) };
}

export async function touchSession(db: Queryable, hash: string, now: Date): Promise<void> {
  await db.update(signInSessions).set({ used_at: now }).where(eq(signInSessions.hash, hash));
}

export async function endSession(db: Queryable, hash: string): Promise<void> {
  await db.delete(signInSessions).where(eq(signInSessions.hash, hash));
}

export async function endSessionsOf(db: Queryable, accounts: string[]): Promise<void> {
  await db.delete(signInSessions).where(inArray(signInSessions.account, accounts));
}

export async function storeToken(
  db: Queryable,
  token: typeof accessTokens.$inferInsert,
): Promise<AccessToken> {
  const [stored] = await db.insert(accessTokens).values(token).returning();
  if (stored === undefined) throw new Error('storeToken: no row came back');
  return stored;
}

/** Null if revoked, expired or unknown. */
export async function readToken(
  db: Queryable,
  hash: string,
  now: Date,
): Promise<AccessToken | null> {
  const [found] = await db
    .select()
    .from(accessTokens)
    .where(
      and(
        eq(accessTokens.hash, hash),
        isNull(accessTokens.revoked_at),
        or(isNull(accessTokens.expires_at), gt(accessTokens.expires_at, now)),
      ),
    );
  return found ?? null;
}

export async function touchToken(db: Queryable, id: string, now: Date): Promise<void> {
  await db.update(accessTokens).set({ used_at: now }).where(eq(accessTokens.id, id));
}

/** Oldest first. @param accounts null for all */
export async function listTokens(db: Queryable, accounts: string[] | null): Promise<AccessToken[]> {
  const own = accounts === null ? undefined : inArray(accessTokens.account, accounts);
  return db
    .select()
    .from(accessTokens)
    .where(and(isNull(accessTokens.revoked_at), own))
    .orderBy(asc(accessTokens.created_at), asc(accessTokens.id));
}

/** @param accounts owners, or null for any @returns whether it existed */
export async function revokeToken(
  db: Queryable,
  id: string,
  accounts: string[] | null,
  now: Date,
): Promise<boolean> {
  const own = accounts === null ? undefined : inArray(accessTokens.account, accounts);
  const revoked = await db
    .update(accessTokens)
    .set({ revoked_at: now })
    .where(and(eq(accessTokens.id, id), isNull(accessTokens.revoked_at), own))
    .returning({ id: accessTokens.id });
  return revoked.length > 0;
}

export type GroupMember = { account: string; person: string; at: Date };

/** As of their last sign-in. @param groups as `resolveGroup` names them */
export async function readGroupMembers(
  db: Queryable,
  groups: string[],
  apart: boolean,
): Promise<Map<string, GroupMember[]>> {
  const tenant = apart ? sql`person.tenant || '/' ||` : sql``;
  const named = sql`person.provider || ':' || ${tenant} said`;
  const { rows } = await db.execute<{ group: string; account: string; person: string; at: string }>(
    sql`
    select ${named} as "group", person.account, coalesce(linked.person, person.account) as person,
      ${isoOf('person.at', 'microseconds')} as at
    from ${countersign}.signed_in person cross join unnest(person.groups) as said
    left join ${countersign}.identities linked on linked.account = person.account
    where ${named} = any(${sql.param(groups)}::text[])
    order by person.account`,
  );
  const members = rows.map(({ at, ...one }) => ({ ...one, at: new Date(at) }));
  return Map.groupBy(members, ({ group }) => group);
}

export async function countUnreadGroups(db: Queryable): Promise<[string, number][]> {
  const { rows } = await db.execute<{ provider: string; count: number }>(sql`
    select provider, count(*)::int as count from ${countersign}.signed_in
    where '' = any(groups) group by provider order by provider`);
  return rows.map(({ provider, count }) => [provider, count]);
}
