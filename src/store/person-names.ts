// What chat platforms call people, for those who read of them. Nothing is decided by it, and a row is only ever what was said last.
import { type SQL, sql } from 'drizzle-orm';
import { type Called, chooseShown, foldName } from '#contracts/names.ts';
import type { Queryable } from './database.ts';

/** @param name null: nothing that may be shown */
export async function storeName(
  db: Queryable,
  account: string,
  name: string | null,
): Promise<void> {
  if (name === null) {
    await db.execute(sql`delete from countersign.person_names where account = ${account}`);
    return;
  }
  await db.execute(sql`
    insert into countersign.person_names as n (account, name, folded)
    values (${account}, ${name}, ${foldName(name)})
    on conflict (account) do update set name = excluded.name, folded = excluded.folded
    where (n.name, n.folded) is distinct from (excluded.name, excluded.folded)`);
}

/** What readers see in the place of each of `names` of which a platform has said it. */
export async function readShown(db: Queryable, names: string[]): Promise<Map<string, string>> {
  if (names.length === 0) return new Map();
  const { rows } = await db.execute<Called>(
    sql`select * from ${callOf(sql`jsonb_array_elements_text(${JSON.stringify([...new Set(names)])}::jsonb)`)}`,
  );
  return chooseShown(rows);
}

/** What readers see in the place of one name. */
export async function showName(db: Queryable, name: string): Promise<string> {
  return (await readShown(db, [name])).get(name) ?? name;
}

/** Rows of `Called`, with `linked`, the person of a name that is one of several. @param names a set of one text column */
export function callOf(names: SQL): SQL {
  return sql`(
    select whose.name, whose.person, whose.linked, said.name as called,
      exists (
        select from countersign.person_names n
          left join countersign.identities i on i.account = n.account
        where n.folded = said.folded and coalesce(i.person, n.account) <> whose.person
      ) as shared
    from (
      select given.name, coalesce(i.person, given.name) as person, i.person as linked
      from ${names} as given(name) left join countersign.identities i on i.account = given.name
    ) as whose
      left join lateral (
        -- By this account, else as the person is called by another of theirs.
        select n.name, n.folded
        from (
          select whose.name as account, 1 as place
          union all select whose.person, 2
          union all select i.account, 3 from countersign.identities i where i.person = whose.person
        ) as theirs join countersign.person_names n using (account)
        order by theirs.place, account
        limit 1
      ) as said on true
  ) as people`;
}
