// Playbooks, named within an organisation and owned by who first saved one.
import { and, asc, count, eq, inArray, type SQL, sql } from 'drizzle-orm';
import type { PlanDraft } from '#domain/plan/plan.ts';
import type { Playbook } from '#domain/plan/playbook.ts';
import type { Queryable } from '../database.ts';
import { playbooks } from '../schema.ts';

/** Null for the instance. */
export type PlaybookPlace = { tenant: string | null };

/** All names of the person who may replace and delete it, or null if anyone may. */
export type PlaybookOwner = string[] | null;

const columns = {
  name: playbooks.name,
  title: sql<string>`${playbooks.draft}->>'title'`,
  owner: playbooks.owner,
  plan_id: playbooks.plan_id,
  params: playbooks.params,
  total_steps: playbooks.total_steps,
  version: playbooks.version,
  created_at: playbooks.created_at,
  updated_at: playbooks.updated_at,
};

type Row = Omit<Playbook, 'created_at' | 'updated_at'> & { created_at: Date; updated_at: Date };

function toPlaybook(row: Row): Playbook {
  return {
    ...row,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

const isIn = ({ tenant }: PlaybookPlace): SQL => eq(playbooks.tenant, tenant ?? '');
const isNamed = (place: PlaybookPlace, name: string) => and(isIn(place), eq(playbooks.name, name));
const isOf = (owner: PlaybookOwner) =>
  owner === null ? undefined : inArray(playbooks.owner, owner);

export async function listPlaybooks(db: Queryable, place: PlaybookPlace): Promise<Playbook[]> {
  const rows = await db
    .select(columns)
    .from(playbooks)
    .where(isIn(place))
    .orderBy(asc(playbooks.name));
  return rows.map(toPlaybook);
}

export async function countPlaybooks(db: Queryable, place: PlaybookPlace): Promise<number> {
  const [row] = await db.select({ there: count() }).from(playbooks).where(isIn(place));
  return row?.there ?? 0;
}

export async function readPlaybook(
  db: Queryable,
  place: PlaybookPlace,
  name: string,
): Promise<{ playbook: Playbook; draft: PlanDraft } | null> {
  const [row] = await db
    .select({ ...columns, draft: playbooks.draft })
    .from(playbooks)
    .where(isNamed(place, name));
  if (row === undefined) return null;
  const { draft, ...rest } = row;
  return { playbook: toPlaybook(rest), draft };
}

/** @returns null if another person has the name */
export async function storePlaybook(
  db: Queryable,
  { tenant }: PlaybookPlace,
  values: Pick<Playbook, 'name' | 'owner' | 'plan_id' | 'params' | 'total_steps'> & {
    draft: PlanDraft;
  },
  owner: PlaybookOwner,
): Promise<Playbook | null> {
  const { draft, plan_id, params, total_steps } = values;
  const where = isOf(owner);
  const [row] = await db
    .insert(playbooks)
    .values({ tenant: tenant ?? '', ...values })
    .onConflictDoUpdate({
      target: [playbooks.tenant, playbooks.name],
      set: {
        ...{ draft, plan_id, params, total_steps },
        version: sql`${playbooks.version} + 1`,
        updated_at: sql`excluded.updated_at`,
      },
      ...(where === undefined ? {} : { setWhere: where }),
    })
    .returning(columns);
  return row === undefined ? null : toPlaybook(row);
}

export async function deletePlaybook(
  db: Queryable,
  place: PlaybookPlace,
  name: string,
  owner: PlaybookOwner,
): Promise<boolean> {
  const rows = await db
    .delete(playbooks)
    .where(and(isNamed(place, name), isOf(owner)))
    .returning({ name: playbooks.name });
  return rows.length > 0;
}
