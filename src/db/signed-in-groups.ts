// Who is in groups of sign-in providers, as of each person's last sign-in.
import { sql } from 'drizzle-orm';
import type { Queryable } from './database.ts';

/**
 * Accounts by group.
 * @param apart organisations share the instance, so that a group is named `TENANT/GROUP`
 */
export async function readAccountsInGroups(
  db: Queryable,
  groups: string[],
  apart: boolean,
): Promise<Map<string, string[]>> {
  const named = apart ? sql`person.tenant || '/' || said` : sql`said`;
  const { rows } = await db.execute<{ group: string; accounts: string[] }>(sql`
    select ${named} as "group", array_agg(person.account order by person.account) as accounts
    from countersign.signed_in person, unnest(person.groups) as said
    where ${named} = any(${sql.param(groups)}::text[])
    group by 1`);
  return new Map(rows.map(({ group, accounts }) => [group, accounts]));
}

/** The groups that a provider said some of these accounts are in. */
export async function readGroupsOfAccounts(
  db: Queryable,
  accounts: string[],
): Promise<{ group: string; tenant: string | null }[]> {
  const { rows } = await db.execute<{ group: string; tenant: string | null }>(sql`
    select distinct said as "group", person.tenant
    from countersign.signed_in person, unnest(person.groups) as said
    where person.account = any(${sql.param(accounts)}::text[])`);
  return rows;
}
