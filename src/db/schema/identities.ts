// Tables of people: accounts, link codes, sign-ins, sessions and tokens.
import { sql } from 'drizzle-orm';
import { boolean, index, integer, primaryKey, text, uniqueIndex } from 'drizzle-orm/pg-core';
import type { Surface } from '#domain/people/actor.ts';
import type { Role } from '#domain/people/principal.ts';
import type { UserGroupProblem } from '#domain/people/user-groups.ts';
import { at, countersign } from './columns.ts';

/** Flat: `person` is the name that all of a person's accounts act under, never an intermediate. */
export const identities = countersign.table(
  'identities',
  {
    account: text('account').primaryKey(),
    person: text('person').notNull(),
    linked_at: at('linked_at').notNull().default(sql`clock_timestamp()`),
  },
  (t) => [index('identities_person').on(t.person)],
);

export const personNames = countersign.table(
  'person_names',
  {
    account: text('account').primaryKey(),
    name: text('name').notNull(),
    /** Normalised, to find namesakes. */
    folded: text('folded').notNull(),
  },
  (t) => [index('person_names_folded').on(t.folded)],
);

/** One person until `ended_at`; for older plans they still count as one. */
export const formerLinks = countersign.table(
  'former_links',
  {
    account: text('account').notNull(),
    other: text('other').notNull(),
    ended_at: at('ended_at').notNull().default(sql`clock_timestamp()`),
  },
  (t) => [primaryKey({ columns: [t.account, t.other] })],
);

/** Stored as a hash; a newer one replaces it. */
export const linkCodes = countersign.table(
  'link_codes',
  {
    account: text('account').primaryKey(),
    code_hash: text('code_hash').notNull(),
    /** The requesting event. If it is retried, the earlier attempt's code stays valid. */
    once: text('once'),
    earlier_hash: text('earlier_hash'),
    /** Whether a chat platform vouched for the account or it was only typed. */
    via: text('via').$type<Surface>().notNull(),
    verified: boolean('verified').notNull().default(false),
    expires_at: at('expires_at').notNull(),
    used_by: text('used_by'),
  },
  (t) => [
    uniqueIndex('link_codes_hash').on(t.code_hash),
    index('link_codes_earlier').on(t.earlier_hash).where(sql`earlier_hash is not null`),
    index('link_codes_expires').on(t.expires_at),
  ],
);

export const linkTries = countersign.table(
  'link_tries',
  {
    account: text('account').primaryKey(),
    since: at('since').notNull(),
    wrong: integer('wrong').notNull(),
  },
  (t) => [index('link_tries_since').on(t.since)],
);

export const signedIn = countersign.table('signed_in', {
  account: text('account').primaryKey(),
  provider: text('provider').notNull(),
  name: text('name').notNull(),
  /** Only if verified by the provider. */
  email: text('email'),
  tenant: text('tenant'),
  groups: text('groups').array().notNull(),
  at: at('at').notNull(),
});

export const signInTries = countersign.table(
  'sign_in_tries',
  {
    /** Hash of `state` and the browser's cookie. */
    state_hash: text('state_hash').primaryKey(),
    browser_hash: text('browser_hash').notNull(),
    provider: text('provider').notNull(),
    nonce: text('nonce').notNull(),
    verifier: text('verifier').notNull(),
    /** Page path. */
    back_to: text('back_to').notNull(),
    expires_at: at('expires_at').notNull(),
  },
  (t) => [index('sign_in_tries_expires').on(t.expires_at)],
);

/** Only the cookie's hash is stored. */
export const signInSessions = countersign.table(
  'sign_in_sessions',
  {
    hash: text('hash').primaryKey(),
    account: text('account').notNull(),
    created_at: at('created_at').notNull(),
    used_at: at('used_at').notNull(),
    expires_at: at('expires_at').notNull(),
  },
  (t) => [
    index('sign_in_sessions_account').on(t.account),
    index('sign_in_sessions_expires').on(t.expires_at),
  ],
);

/** Only the hash is stored. */
export const accessTokens = countersign.table(
  'access_tokens',
  {
    id: text('id').primaryKey(),
    hash: text('hash').notNull(),
    account: text('account').notNull(),
    name: text('name').notNull(),
    /** Upper bound; the person's own role may be lower. */
    role: text('role').$type<Role>().notNull(),
    tenant: text('tenant'),
    created_at: at('created_at').notNull(),
    expires_at: at('expires_at'),
    /** To the minute, or null if never used. */
    used_at: at('used_at'),
    revoked_at: at('revoked_at'),
  },
  (t) => [
    uniqueIndex('access_tokens_hash').on(t.hash),
    index('access_tokens_account').on(t.account, t.created_at),
  ],
);

/** Those named by approver rules, as of the last read. */
export const chatGroups = countersign.table('chat_groups', {
  /** `slack:T123:S456`, or by handle `slack:T123:@finance`; `slack:@finance` if there is only one workspace. */
  name: text('name').primaryKey(),
  /** `slack:T123:S456`, or null if there is no such group. */
  target: text('target'),
  handle: text('handle'),
  accounts: text('accounts').array().notNull(),
  /** Why its members may not decide. */
  problem: text('problem').$type<UserGroupProblem>(),
  read_at: at('read_at').notNull(),
});
