// Who is linked to whom. The rows are flat, account → person, and read afresh by everybody: nothing outlives an unlink.
import { sql } from 'drizzle-orm';
import type { Surface } from '#contracts/actor.ts';
import { accountName, type Called, chooseShown, isSamePerson } from '#contracts/names.ts';
import type { Queryable, Transaction } from './database.ts';
import { callOf } from './person-names.ts';
import { isoOf } from './sql/iso.ts';

/** A list as one parameter. */
const list = (names: string[]) =>
  sql`(select jsonb_array_elements_text(${JSON.stringify(names)}::jsonb))`;

/** `names`, and those they are stored by where they are written otherwise. */
const withStored = (names: string[]) => [...new Set([...names, ...names.map(accountName)])];

/** The person behind each of `names` that is linked; whoever is not in it is themselves. */
async function readPersons(db: Queryable, names: string[]): Promise<Map<string, string>> {
  if (names.length === 0) return new Map();
  const { rows } = await db.execute<{ account: string; person: string }>(
    sql`select account, person from countersign.identities where account in ${list(withStored(names))}`,
  );
  const persons = new Map(rows.map(({ account, person }) => [account, person]));
  return new Map(
    names.flatMap((name) => {
      const person = persons.get(name) ?? persons.get(accountName(name));
      return person === undefined ? [] : [[name, person] as const];
    }),
  );
}

/** The account that is linked by exactly this name; null: none is. */
export async function readAccount(db: Queryable, name: string): Promise<string | null> {
  const { rows } = await db.execute<{ account: string }>(
    sql`select account from countersign.identities where account = ${name}`,
  );
  return rows[0]?.account ?? null;
}

/** The name the instance knows `account` by. */
export async function readPerson(db: Queryable, account: string): Promise<string> {
  return (await readPersons(db, [account])).get(account) ?? account;
}

/** Whether both names are one person's. */
export async function isOnePerson(db: Queryable, a: string, b: string): Promise<boolean> {
  if (isSamePerson(a, b)) return true;
  const persons = await readPersons(db, [a, b]);
  return isSamePerson(persons.get(a) ?? a, persons.get(b) ?? b);
}

/** The accounts that are `person`, the first linked first; none where nothing is linked. */
export async function readAccounts(db: Queryable, person: string): Promise<string[]> {
  const { rows } = await db.execute<{ account: string }>(sql`
    select account from countersign.identities where person = ${person} order by linked_at, account`);
  return rows.map(({ account }) => account);
}

/** All names that somebody who is one of `persons` has or had: their own and those of their accounts. */
export async function readNamesOf(
  db: Queryable,
  persons: string[],
): Promise<{ name: string; person: string }[]> {
  const { rows } = await db.execute<{ name: string; person: string }>(sql`
    select account as name, person from countersign.identities where person in ${list(persons)}
    union select p, p from ${list(persons)} as own(p)`);
  return rows;
}

/** Whoever links or unlinks is alone with it until the transaction ends. */
export async function lockIdentities(tx: Transaction): Promise<void> {
  await tx.execute(
    sql`select pg_advisory_xact_lock(hashtextextended('countersign identities', 0))`,
  );
}

/** All of `accounts` are `person` from now on. */
export async function storePerson(
  tx: Transaction,
  accounts: string[],
  person: string,
): Promise<void> {
  await tx.execute(sql`
    insert into countersign.identities (account, person)
    select account, ${person} from ${list(accounts)} as a(account)
    on conflict (account) do update set person = excluded.person`);
}

/** Notes that `account` and each of `others` are one person no longer. */
export async function noteFormerLinks(
  tx: Transaction,
  account: string,
  others: string[],
): Promise<void> {
  await tx.execute(sql`
    insert into countersign.former_links (account, other)
    select ${account}, other from ${list(others)} as o(other)
    on conflict (account, other) do update set ended_at = excluded.ended_at`);
}

/** Accounts that were one person until `ended_at`, and the persons they act for now. */
export type FormerLink = { names: string[]; ended_at: string };

/**
 * Who stands behind names, what readers are shown for them, and which of these persons were one: `same` has the names that
 * are linked.
 */
type Standing = {
  same: Map<string, string>;
  shown: Map<string, string>;
  links: FormerLink[];
};

/**
 * The persons behind `names`, and the former links of which both sides are among them, by the account or by the person it
 * acts for. In one statement: between two of them somebody may link, and be nobody of before and nobody of after.
 */
export async function readStanding(db: Queryable, names: string[]): Promise<Standing> {
  type Row = { people: (Called & { linked: string | null })[]; links: FormerLink[] };
  const { rows } = await db.execute<Row>(sql`
    with given as materialized (
      select distinct name from jsonb_array_elements_text(${JSON.stringify(withStored(names))}::jsonb) as g(name)
    ), persons as (
      select name from given
      union select i.person from given join countersign.identities i on i.account = given.name
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
        from countersign.former_links f
          left join countersign.identities i on i.account = f.account
          left join countersign.identities o on o.account = f.other
        where (select count(*) from among) > 1
          and (f.account in (select person from among) or i.person in (select person from among))
          and (f.other in (select person from among) or o.person in (select person from among))) as links`);
  const [row] = rows;
  if (row === undefined) throw new Error('readStanding: no row came back');
  const { people, links } = row;
  const linkedTo = new Map(
    people.flatMap(({ name, linked }) => (linked === null ? [] : [[name, linked] as const])),
  );
  const same = names.flatMap((name) => {
    const linked = linkedTo.get(name) ?? linkedTo.get(accountName(name));
    return linked === undefined ? [] : [[name, linked] as const];
  });
  for (const [name, linked] of linkedTo) same.push([name, linked]);
  // A name that was only looked up as it is stored is nobody beside the one it was written as.
  const asked = new Set(names);
  const named = people.filter(({ name, linked }) => linked !== null || asked.has(name));
  return { same: new Map(same), shown: chooseShown(named), links };
}

/** These accounts act by their own names again. */
export async function forgetAccounts(tx: Transaction, accounts: string[]): Promise<void> {
  await tx.execute(sql`delete from countersign.identities where account in ${list(accounts)}`);
}

/**
 * Keeps the code that `account` has asked for, instead of an earlier one.
 * @param code.once names the event that asked; a code of the same event that nobody has used holds as well, since it may be
 *   what is shown
 */
export async function storeLinkCode(
  tx: Transaction,
  code: { account: string; hash: string; via: Surface; expiresAt: Date; once: string | null },
): Promise<void> {
  const { account, hash, via, expiresAt, once } = code;
  await tx.execute(sql`
    insert into countersign.link_codes as c (account, code_hash, via, expires_at, once)
    values (${account}, ${hash}, ${via}, ${expiresAt.toISOString()}, ${once}::text)
    on conflict (account) do update set code_hash = excluded.code_hash, via = excluded.via,
      earlier_hash = case when c.once = excluded.once and c.used_by is null then c.code_hash end, once = excluded.once,
      expires_at = excluded.expires_at, used_by = null`);
}

export type LinkCode = { account: string; via: Surface; used_by: string | null };

/** The code with this hash, unless its time is over; null: there is none. */
export async function findLinkCode(
  tx: Transaction,
  hash: string,
  now: Date,
): Promise<LinkCode | null> {
  const { rows } = await tx.execute<LinkCode>(sql`
    select account, via, used_by from countersign.link_codes
    where (code_hash = ${hash} or earlier_hash = ${hash}) and expires_at > ${now.toISOString()}`);
  return rows[0] ?? null;
}

export async function markLinkCode(tx: Transaction, hash: string, usedBy: string): Promise<void> {
  await tx.execute(
    sql`update countersign.link_codes set used_by = ${usedBy} where code_hash = ${hash} or earlier_hash = ${hash}`,
  );
}

/** How many wrong codes `account` has tried after `since`. */
export async function countWrongCodes(
  tx: Transaction,
  account: string,
  since: Date,
): Promise<number> {
  const { rows } = await tx.execute<{ wrong: number }>(sql`
    select wrong from countersign.link_tries
    where account = ${account} and since > ${since.toISOString()}`);
  return rows[0]?.wrong ?? 0;
}

/** One more wrong code; the first after `since` begins a new count. */
export async function recordWrongCode(
  tx: Transaction,
  account: string,
  { since, now }: { since: Date; now: Date },
): Promise<void> {
  await tx.execute(sql`
    insert into countersign.link_tries as t (account, since, wrong)
    values (${account}, ${now.toISOString()}, 1)
    on conflict (account) do update set
      wrong = case when t.since > ${since.toISOString()} then t.wrong + 1 else 1 end,
      since = case when t.since > ${since.toISOString()} then t.since else excluded.since end`);
}

/** Forgets at most `limit` codes whose time was over before `before`, and as many counts of wrong ones from before it. */
export async function forgetLinkCodes(db: Queryable, before: Date, limit: number): Promise<number> {
  const at = before.toISOString();
  const { rows } = await db.execute<{ gone: number }>(sql`
    with codes as (
      delete from countersign.link_codes where account in (
        select account from countersign.link_codes where expires_at <= ${at}
        order by expires_at limit ${limit} for update skip locked)
      returning 1
    ), tries as (
      delete from countersign.link_tries where account in (
        select account from countersign.link_tries where since <= ${at}
        order by since limit ${limit} for update skip locked)
      returning 1
    )
    select greatest((select count(*) from codes), (select count(*) from tries))::int as gone`);
  return rows[0]?.gone ?? 0;
}
