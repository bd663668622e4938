// People's interaction policies, and whether they were asked for their style.
import { and, desc, eq, inArray, isNotNull, isNull, type SQL, sql } from 'drizzle-orm';
import type { SealedCalendar } from '#domain/people/calendar-entry.ts';
import { PolicyOverride } from '#domain/people/policy.ts';
import type { Queryable } from '../database.ts';
import { countersign } from '../schema/columns.ts';
import { interactionPolicies } from '../schema.ts';
import type { Seal } from '../seal.ts';
import { readEveryName } from './identities.ts';

export async function readPolicy(
  db: Queryable,
  user: string,
): Promise<{ policy: PolicyOverride; probed: boolean }> {
  const [row] = await db
    .select()
    .from(interactionPolicies)
    .where(eq(interactionPolicies.user, user));
  if (row === undefined) return { policy: {}, probed: false };
  return { policy: PolicyOverride.parse(row.policy), probed: row.probed_at !== null };
}

const calendarOf = (user: string) => `the calendar of ${user}`;

/** Connected under any of their names. */
export async function readCalendarOf(
  db: Queryable,
  names: string[],
): Promise<(Omit<SealedCalendar, 'sealed'> & { open(seal: Seal): string }) | null> {
  const [row] = await db
    .select({ calendar: interactionPolicies.calendar, user: interactionPolicies.user })
    .from(interactionPolicies)
    .where(and(inArray(interactionPolicies.user, names), isNotNull(interactionPolicies.calendar)))
    .orderBy(desc(interactionPolicies.updated_at))
    .limit(1);
  if (row === undefined || row.calendar === null) return null;
  const { calendar, user } = row;
  const { sealed, ...known } = calendar;
  return {
    ...known,
    open: (seal) => seal.open(Buffer.from(sealed, 'base64'), calendarOf(user)),
  };
}

export function sealCalendar(
  seal: Seal,
  user: string,
  address: string,
  tenant: string | null,
): SealedCalendar {
  const sealed = seal.seal(address, calendarOf(user)).toString('base64');
  return { sealed, host: new URL(address).host, tenant };
}

/** @param names all of the person, so that no other calendar of theirs is left */
export async function storeCalendar(
  db: Queryable,
  user: string,
  names: string[],
  calendar: SealedCalendar | null,
): Promise<void> {
  const others = names.filter((name) => name !== user);
  if (others.length > 0)
    await db
      .update(interactionPolicies)
      .set({ calendar: null })
      .where(inArray(interactionPolicies.user, others));
  await db
    .insert(interactionPolicies)
    .values({ user, calendar })
    .onConflictDoUpdate({ target: interactionPolicies.user, set: { calendar } });
}

async function put(db: Queryable, user: string, policy: PolicyOverride, over: SQL): Promise<void> {
  await db
    .insert(interactionPolicies)
    .values({ user, policy })
    .onConflictDoUpdate({
      target: interactionPolicies.user,
      set: { policy: over, updated_at: sql`excluded.updated_at` },
    });
}

export function storePolicy(db: Queryable, user: string, policy: PolicyOverride): Promise<void> {
  return put(db, user, policy, sql`${interactionPolicies.policy} || excluded.policy`);
}

/** Resets the other sliders. */
export function replacePolicy(db: Queryable, user: string, policy: PolicyOverride): Promise<void> {
  return put(db, user, policy, sql`excluded.policy`);
}

/** @returns true for exactly one caller */
export async function markProbed(db: Queryable, user: string): Promise<boolean> {
  const marked = await db
    .insert(interactionPolicies)
    .values({ user, probed_at: sql`clock_timestamp()` })
    .onConflictDoUpdate({
      target: interactionPolicies.user,
      set: { probed_at: sql`excluded.probed_at` },
      setWhere: isNull(interactionPolicies.probed_at),
    })
    .returning({ user: interactionPolicies.user });
  return marked.length === 1;
}

export async function hasOpenPlans(db: Queryable, user: string): Promise<boolean> {
  const names = await readEveryName(db, user);
  return db.hasRows(sql`
    select from ${countersign}.plans p
    where p.ended_as is null and p.requester = any(${sql.param(names)}::text[]) limit 1`);
}
