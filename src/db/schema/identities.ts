// Tables of linked accounts and linking codes.
import { sql } from 'drizzle-orm';
import { index, integer, primaryKey, text, uniqueIndex } from 'drizzle-orm/pg-core';
import type { Surface } from '#domain/people/actor.ts';
import { at, countersign } from './columns.ts';

/** An account that is linked. Flat: `person` is the name all of a person's accounts act by, never another step on the way. */
export const identities = countersign.table(
  'identities',
  {
    account: text('account').primaryKey(),
    person: text('person').notNull(),
    linked_at: at('linked_at').notNull().default(sql`clock_timestamp()`),
  },
  (t) => [index('identities_person').on(t.person)],
);

/** What the people of a chat platform read as the name of an account. It is shown, and decides nothing. */
export const personNames = countersign.table(
  'person_names',
  {
    account: text('account').primaryKey(),
    name: text('name').notNull(),
    /** The same however it is written: who else is called so. */
    folded: text('folded').notNull(),
  },
  (t) => [index('person_names_folded').on(t.folded)],
);

/** Two names that were one person until `ended_at`. About a plan that is older than that they still count as one. */
export const formerLinks = countersign.table(
  'former_links',
  {
    account: text('account').notNull(),
    other: text('other').notNull(),
    ended_at: at('ended_at').notNull().default(sql`clock_timestamp()`),
  },
  (t) => [primaryKey({ columns: [t.account, t.other] })],
);

/** The code an account has asked for; of the code itself only its hash. A newer one takes its place. */
export const linkCodes = countersign.table(
  'link_codes',
  {
    account: text('account').primaryKey(),
    code_hash: text('code_hash').notNull(),
    /** The event that asked for it; where that is handled again, the code of the try before holds as well. */
    once: text('once'),
    earlier_hash: text('earlier_hash'),
    /** Whether a chat platform vouched for the account, or somebody only named it. */
    via: text('via').$type<Surface>().notNull(),
    expires_at: at('expires_at').notNull(),
    /** Who used it; nobody else can any more. */
    used_by: text('used_by'),
  },
  (t) => [
    uniqueIndex('link_codes_hash').on(t.code_hash),
    index('link_codes_earlier').on(t.earlier_hash).where(sql`earlier_hash is not null`),
    index('link_codes_expires').on(t.expires_at),
  ],
);

/** Wrong codes an account has tried since `since`. */
export const linkTries = countersign.table(
  'link_tries',
  {
    account: text('account').primaryKey(),
    since: at('since').notNull(),
    wrong: integer('wrong').notNull(),
  },
  (t) => [index('link_tries_since').on(t.since)],
);
