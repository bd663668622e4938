// Linked accounts, people's names, and a conversation's organisation.
// Rows are flat (account → person) and never cached, so unlinking applies at once.
import { asc, eq, inArray, type SQL, sql } from 'drizzle-orm';
import type { Actor } from '#domain/people/actor.ts';
import { groupIn, groupNamed } from '#domain/people/groups.ts';
import {
  type Called,
  chooseShown,
  foldName,
  isSamePerson,
  personKey,
} from '#domain/people/names.ts';
import { chatTenant } from '#domain/plan/scope.ts';
import { prepareStatement, type Queryable, type Transaction } from '../database.ts';
import { schemaName } from '../instance.ts';
import { countersign } from '../schema/columns.ts';
import { chatPlaces, formerLinks, identities, personNames, plans } from '../schema.ts';
import { isoOf } from '../time.ts';
import { readUserGroups } from './user-groups.ts';

const { account, person } = identities;

const withStored = (names: string[]) => [...new Set([...names, ...names.map(personKey)])];

/** A name not in the map is its own person. */
export async function readPersons(db: Queryable, names: string[]): Promise<Map<string, string>> {
  if (names.length === 0) return new Map();
  const rows = await db
    .select({ account, person })
    .from(identities)
    .where(inArray(account, withStored(names)));
  const persons = new Map(rows.map((row) => [row.account, row.person]));
  return new Map(
    names.flatMap((name) => {
      const found = persons.get(name) ?? persons.get(personKey(name));
      return found === undefined ? [] : [[name, found] as const];
    }),
  );
}

export async function readAccount(db: Queryable, name: string): Promise<string | null> {
  const [row] = await db.select({ account }).from(identities).where(eq(account, name));
  return row?.account ?? null;
}

export async function readPerson(db: Queryable, of: string): Promise<string> {
  return (await readPersons(db, [of])).get(of) ?? of;
}

export async function isOnePerson(db: Queryable, a: string, b: string): Promise<boolean> {
  if (isSamePerson(a, b)) return true;
  const persons = await readPersons(db, [a, b]);
  return isSamePerson(persons.get(a) ?? a, persons.get(b) ?? b);
}

/** First linked first; empty if none are linked. */
export async function readAccounts(db: Queryable, of: string): Promise<string[]> {
  const rows = await db
    .select({ account })
    .from(identities)
    .where(eq(person, of))
    .orderBy(asc(identities.linked_at), asc(account));
  return rows.map((row) => row.account);
}

export async function readNamesOf(
  db: Queryable,
  persons: string[],
): Promise<{ name: string; person: string }[]> {
  const accounts = await db
    .select({ name: account, person })
    .from(identities)
    .where(inArray(person, persons));
  const named = new Set(accounts.filter((row) => row.name === row.person).map((row) => row.name));
  const own = [...new Set(persons)].filter((name) => !named.has(name));
  return [...accounts, ...own.map((name) => ({ name, person: name }))];
}

/** The given name, by the key of each name of these people. */
export async function readNameKeys(db: Queryable, people: string[]): Promise<Map<string, string>> {
  const persons = await readPersons(db, people);
  const givenAs = new Map(people.map((name) => [persons.get(name) ?? name, name]));
  const named = await readNamesOf(db, [...givenAs.keys()]);
  return new Map([
    ...named.map(({ name, person: of }) => [personKey(name), givenAs.get(of) ?? name] as const),
    ...people.map((name) => [personKey(name), name] as const),
  ]);
}

const everyName = prepareStatement(
  'read_every_name',
  sql`
  with named as (
    select coalesce((select person from ${identities} where account = ${sql.placeholder('name')}),
      (select person from ${identities} where account = ${sql.placeholder('key')}), ${sql.placeholder('name')}) as person
  )
  select account as name from ${identities} join named using (person)
  union select person from named`,
);

export async function readEveryName(db: Queryable, name: string): Promise<string[]> {
  const rows = await db.run<{ name: string }>(everyName, { name, key: personKey(name) });
  return [...new Set([name, ...rows.map((row) => row.name)])];
}

export async function lockIdentities(tx: Transaction): Promise<void> {
  await tx.execute(
    sql`select pg_advisory_xact_lock(hashtextextended(${`${schemaName} identities`}, 0))`,
  );
}

export async function storePerson(tx: Transaction, accounts: string[], as: string): Promise<void> {
  if (accounts.length === 0) return;
  await tx
    .insert(identities)
    .values([...new Set(accounts)].map((name) => ({ account: name, person: as })))
    .onConflictDoUpdate({ target: account, set: { person: as } });
}

export async function noteFormerLinks(
  tx: Transaction,
  of: string,
  others: string[],
): Promise<void> {
  if (others.length === 0) return;
  await tx
    .insert(formerLinks)
    .values([...new Set(others)].map((other) => ({ account: of, other })))
    .onConflictDoUpdate({
      target: [formerLinks.account, formerLinks.other],
      set: { ended_at: sql`excluded.ended_at` },
    });
}

export async function wereLinked(tx: Transaction, a: string, b: string): Promise<boolean> {
  return tx.hasRows(sql`
    select from ${countersign}.former_links
    where account = ${a} and other = ${b} or account = ${b} and other = ${a} limit 1`);
}

/** One person until `ended_at`, with their current persons. */
export type FormerLink = { names: string[]; ended_at: string };

/** `same`: the linked names. */
type Links = {
  same: Map<string, string>;
  shown: Map<string, string>;
  links: FormerLink[];
};

const readingLinks = prepareStatement(
  'read_standing',
  sql`
    with given as materialized (
      select distinct name from jsonb_array_elements_text(${sql.placeholder('names')}::jsonb) as g(name)
    ), persons as (
      select name from given
      union select i.person from given join ${countersign}.identities i on i.account = given.name
    ), people as materialized (
      select * from ${callOf(sql`persons`)}
    ), among as materialized (
      select distinct person from people
    )
    select
      (select coalesce(jsonb_agg(people), '[]') from people) as people,
      (select coalesce(jsonb_agg(jsonb_build_object(
          'names', array_remove(array[f.account, f.other, i.person, o.person], null),
          'ended_at', ${isoOf('f.ended_at', 'milliseconds')})), '[]')
        from ${countersign}.former_links f
          left join ${countersign}.identities i on i.account = f.account
          left join ${countersign}.identities o on o.account = f.other
        where (select count(*) from among) > 1
          and (f.account in (select person from among) or i.person in (select person from among))
          and (f.other in (select person from among) or o.person in (select person from among))) as links`,
);

/** One statement, because a link made between two would be missed by both. */
export async function readLinks(db: Queryable, names: string[]): Promise<Links> {
  type Row = { people: (Called & { linked: string | null })[]; links: FormerLink[] };
  const rows = await db.run<Row>(readingLinks, { names: JSON.stringify(withStored(names)) });
  const [row] = rows;
  if (row === undefined) throw new Error('readStanding: no row came back');
  const { people, links } = row;
  const linkedTo = new Map(
    people.flatMap(({ name, linked }) => (linked === null ? [] : [[name, linked] as const])),
  );
  const same = names.flatMap((name) => {
    const linked = linkedTo.get(name) ?? linkedTo.get(personKey(name));
    return linked === undefined ? [] : [[name, linked] as const];
  });
  for (const [name, linked] of linkedTo) same.push([name, linked]);
  // A stored form added for the lookup is no separate person.
  const asked = new Set(names);
  const named = people.filter(({ name, linked }) => linked !== null || asked.has(name));
  return { same: new Map(same), shown: chooseShown(named), links };
}

export async function forgetAccounts(tx: Transaction, accounts: string[]): Promise<void> {
  await tx.delete(identities).where(inArray(account, accounts));
}

/** @param name null if it may not be shown */
export async function storeName(db: Queryable, of: string, name: string | null): Promise<void> {
  if (name === null) {
    await db.delete(personNames).where(eq(personNames.account, of));
    return;
  }
  const values = { name, folded: foldName(name) };
  await db
    .insert(personNames)
    .values({ account: of, ...values })
    .onConflictDoUpdate({
      target: personNames.account,
      set: values,
      setWhere: sql`(${personNames.name}, ${personNames.folded}) is distinct from (${values.name}, ${values.folded})`,
    });
}

export async function readShown(db: Queryable, names: string[]): Promise<Map<string, string>> {
  if (names.length === 0) return new Map();
  const { rows } = await db.execute<Called>(
    sql`select * from ${callOf(sql`jsonb_array_elements_text(${JSON.stringify([...new Set(names)])}::jsonb)`)}`,
  );
  return new Map([...chooseShown(rows), ...(await readHandles(db, names))]);
}

async function readHandles(db: Queryable, names: string[]): Promise<[string, string][]> {
  const groups = [...new Set(names.flatMap((name) => groupIn(name) ?? []))];
  if (groups.length === 0) return [];
  const found = await readUserGroups(db, groups);
  return groups.flatMap((group): [string, string][] => {
    const handle = group.startsWith('@') ? group : found.get(group)?.handle;
    return handle == null ? [] : [[groupNamed(group), handle]];
  });
}

/** @param name normalised */
export async function findCalled(db: Queryable, name: string): Promise<string[]> {
  const rows = await db
    .select({ account: personNames.account })
    .from(personNames)
    .where(eq(personNames.folded, foldName(name)));
  return rows.map((row) => row.account);
}

export async function showName(db: Queryable, name: string): Promise<string> {
  return (await readShown(db, [name])).get(name) ?? name;
}

/** @param names a set of one text column */
function callOf(names: SQL): SQL {
  return sql`(
    select whose.name, whose.person, whose.linked, said.name as called,
      exists (
        select from ${countersign}.person_names n
          left join ${countersign}.identities i on i.account = n.account
        where n.folded = said.folded and coalesce(i.person, n.account) <> whose.person
      ) as shared
    from (
      select given.name, coalesce(i.person, given.name) as person, i.person as linked
      from ${names} as given(name) left join ${countersign}.identities i on i.account = given.name
    ) as whose
      left join lateral (
        -- By this account, else as the person is called by another of theirs.
        select n.name, n.folded
        from (
          select whose.name as account, 1 as place
          union all select whose.person, 2
          union all select i.account, 3 from ${countersign}.identities i where i.person = whose.person
        ) as theirs join ${countersign}.person_names n using (account)
        order by theirs.place, account
        limit 1
      ) as said on true
  ) as people`;
}

/** For what `actor` creates there: the chat's, otherwise the actor's, or null for the instance. */
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

/** Null also if the plan doesn't exist. */
export async function readTenantOf(db: Queryable, id: string): Promise<string | null> {
  return (await readTenantsOf(db, [id])).get(id) ?? null;
}

export async function readTenantsOf(db: Queryable, ids: string[]): Promise<Map<string, string>> {
  const rows = await db
    .select({ id: plans.id, tenant: plans.tenant })
    .from(plans)
    .where(inArray(plans.id, ids));
  return new Map(
    rows.flatMap(({ id, tenant }) => (tenant === null ? [] : [[id, tenant] as const])),
  );
}
