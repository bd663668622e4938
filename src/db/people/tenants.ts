// The organisations that share an instance: which one a conversation belongs to.
import { eq, inArray } from 'drizzle-orm';
import type { Actor } from '#domain/people/actor.ts';
import { chatTenant } from '#domain/plan/scope.ts';
import type { Queryable } from '../database.ts';
import { chatPlaces, plans } from '../schema.ts';

/** What is made in a conversation by `actor` belongs to the chat's organisation, else to theirs; null: to the instance itself. */
export async function findTenant(
  db: Queryable,
  conversation: string | null,
  actor: Pick<Actor, 'tenant'>,
): Promise<string | null> {
  const own = actor.tenant ?? null;
  if (conversation === null) return own;
  const [place] = await db
    .select({ platform: chatPlaces.platform, tenant: chatPlaces.tenant })
    .from(chatPlaces)
    .where(eq(chatPlaces.conversation, conversation));
  return place === undefined ? own : chatTenant(place.platform, place.tenant);
}

/** The organisation of a plan; null: it has none, or does not exist. */
export async function readTenantOf(db: Queryable, id: string): Promise<string | null> {
  return (await readTenantsOf(db, [id])).get(id) ?? null;
}

/** The organisation of each plan that belongs to one. */
export async function readTenantsOf(db: Queryable, ids: string[]): Promise<Map<string, string>> {
  const rows = await db
    .select({ id: plans.id, tenant: plans.tenant })
    .from(plans)
    .where(inArray(plans.id, ids));
  return new Map(
    rows.flatMap(({ id, tenant }) => (tenant === null ? [] : [[id, tenant] as const])),
  );
}
