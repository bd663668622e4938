// Members of chat user groups, by the keys of `domain/people/user-groups.ts`.
import { sql } from 'drizzle-orm';
import { groupNamed } from '#domain/people/groups.ts';
import type { UserGroupProblem } from '#domain/people/user-groups.ts';
import type { Queryable } from '../database.ts';
import { chatGroups } from '../schema.ts';

export type UserGroupCopy = Omit<typeof chatGroups.$inferInsert, 'read_at'>;

type Found = {
  name: string;
  target: string | null;
  handle: string | null;
  accounts: string[];
  problem: UserGroupProblem | null;
  age_ms: number;
};

export async function readUserGroups(db: Queryable, keys: string[]): Promise<Map<string, Found>> {
  if (keys.length === 0) return new Map();
  const { rows } = await db.execute<Found>(sql`
    select name, target, handle, accounts, problem,
      (extract(epoch from clock_timestamp() - read_at) * 1000)::float8 as age_ms
    from ${chatGroups} where name = any(${sql.param(keys)}::text[])`);
  return new Map(rows.map((row) => [row.name, row]));
}

export async function readCopyTime(db: Queryable): Promise<string> {
  const [row] = await db.rows<{ at: string }>(sql`select clock_timestamp()::text as at`);
  if (row === undefined) throw new Error('readCopyTime: no row came back');
  return row.at;
}

/** Unless a later one exists. @param begun when the read began */
export async function storeUserGroups(
  db: Queryable,
  copies: UserGroupCopy[],
  begun: string,
): Promise<void> {
  if (copies.length === 0) return;
  await db
    .insert(chatGroups)
    .values(copies.map((copy) => ({ ...copy, read_at: sql`${begun}::timestamptz` })))
    .onConflictDoUpdate({
      target: chatGroups.name,
      set: {
        target: sql`excluded.target`,
        handle: sql`coalesce(excluded.handle, ${chatGroups.handle})`,
        accounts: sql`excluded.accounts`,
        problem: sql`excluded.problem`,
        read_at: sql`excluded.read_at`,
      },
      setWhere: sql`excluded.read_at > ${chatGroups.read_at}`,
    });
}

/** Invalidates copies read before a change. @param heardAt may be seconds off the database's clock @returns the keys to reread */
export async function expireUserGroups(
  db: Queryable,
  workspace: string,
  heardAt: Date,
): Promise<string[]> {
  const theirs = sql`(starts_with(name, ${`${workspace}:`}) or starts_with(name, 'slack:@'))`;
  // Once: reads since then count.
  await db.execute(sql`
    update ${chatGroups} set problem = 'unread', read_at = clock_timestamp()
    where ${theirs} and problem is distinct from 'unread'
      and read_at < ${heardAt.toISOString()}::timestamptz + interval '5 seconds'`);
  return db.values(sql`select name from ${chatGroups} where ${theirs} and problem = 'unread'`);
}

/**
 * With several workspaces, omits handles without a workspace: they could mean another's group. @param age `any` also returns
 * those and invalidated copies
 */
export async function readUserGroupsOf(
  db: Queryable,
  accounts: string[],
  age: 'fresh' | 'any',
): Promise<string[]> {
  const { rows } = await db.execute<{ name: string }>(sql`
    select name from ${chatGroups} where accounts && ${sql.param(accounts)}::text[] and (${age === 'any'}
      or problem is null and (starts_with(name, 'slack:@') or strpos(name, '@') = 0))`);
  return rows.map(({ name }) =>
    groupNamed(name.includes('@') ? name.slice(name.indexOf('@')) : name),
  );
}
