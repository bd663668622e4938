// Tables of people: linked accounts and their codes, those who signed in, their sessions and their tokens.
import { sql } from 'drizzle-orm';
import { boolean, index, integer, primaryKey, text, uniqueIndex } from 'drizzle-orm/pg-core';
import type { Surface } from '#domain/people/actor.ts';
import type { Role } from '#domain/people/principal.ts';
import type { UserGroupProblem } from '#domain/people/user-groups.ts';
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

/** Display names of chat accounts. They decide nothing. */
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
    /** Whether it was certain who asked for it. */
    verified: boolean('verified').notNull().default(false),
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

/** Those who signed in, as their provider described them the last time. */
export const signedIn = countersign.table('signed_in', {
  account: text('account').primaryKey(),
  /** The provider's name in the configuration. */
  provider: text('provider').notNull(),
  name: text('name').notNull(),
  /** Only where the provider has verified it. */
  email: text('email'),
  tenant: text('tenant'),
  groups: text('groups').array().notNull(),
  at: at('at').notNull(),
});

/** Sign-ins that have begun: what the browser has to come back with, once. */
export const signInTries = countersign.table(
  'sign_in_tries',
  {
    /** Hash of `state` and of the browser's cookie. */
    state_hash: text('state_hash').primaryKey(),
    browser_hash: text('browser_hash').notNull(),
    provider: text('provider').notNull(),
    nonce: text('nonce').notNull(),
    /** The PKCE verifier. */
    verifier: text('verifier').notNull(),
    /** The path of the page to go back to. */
    back_to: text('back_to').notNull(),
    expires_at: at('expires_at').notNull(),
  },
  (t) => [index('sign_in_tries_expires').on(t.expires_at)],
);

/** Browsers in which people are signed in; of the cookie only its hash. */
export const signInSessions = countersign.table(
  'sign_in_sessions',
  {
    hash: text('hash').primaryKey(),
    account: text('account').notNull(),
    created_at: at('created_at').notNull(),
    /** Kept to the minute. */
    used_at: at('used_at').notNull(),
    expires_at: at('expires_at').notNull(),
  },
  (t) => [
    index('sign_in_sessions_account').on(t.account),
    index('sign_in_sessions_expires').on(t.expires_at),
  ],
);

/** Personal tokens for the API; of the token itself only its hash. */
export const accessTokens = countersign.table(
  'access_tokens',
  {
    id: text('id').primaryKey(),
    hash: text('hash').notNull(),
    account: text('account').notNull(),
    name: text('name').notNull(),
    /** At most this; where the person's own role is less, that. */
    role: text('role').$type<Role>().notNull(),
    tenant: text('tenant'),
    created_at: at('created_at').notNull(),
    /** null: it does not expire. */
    expires_at: at('expires_at'),
    /** Kept to the minute, or null if never used. */
    used_at: at('used_at'),
    revoked_at: at('revoked_at'),
  },
  (t) => [
    uniqueIndex('access_tokens_hash').on(t.hash),
    index('access_tokens_account').on(t.account, t.created_at),
  ],
);

/** User groups of chat platforms that approver rules name, and who was in them when the platform was asked. */
export const chatGroups = countersign.table('chat_groups', {
  /** `slack:T123:S456`, or by its handle: `slack:T123:@finance`; in the only workspace there is: `slack:@finance`. */
  name: text('name').primaryKey(),
  /** `slack:T123:S456`, or null if there is no such group. */
  target: text('target'),
  /** `@finance`, when it was known last. */
  handle: text('handle'),
  accounts: text('accounts').array().notNull(),
  /** Why nobody in it may decide; null: its members may. */
  problem: text('problem').$type<UserGroupProblem>(),
  /** When asking began. */
  read_at: at('read_at').notNull(),
});
