// Sign-ins and personal tokens, stored as hashes.
// Access is decided per request by the current settings, so that any gateway can answer.
import { createHash } from 'node:crypto';
import { recordAudit } from '#db/audit/audit.ts';
import type { Database } from '#db/database.ts';
import { lockIdentities, readEveryName, storeName } from '#db/people/identities.ts';
import {
  type AccessToken,
  endSession,
  endSessionsOf,
  listTokens,
  openSession,
  readSession,
  readSignedIn,
  readToken,
  revokeToken,
  type SignedIn,
  storeSignedIn,
  storeToken,
  storeTry,
  takeTry,
  touchSession,
  touchToken,
} from '#db/people/sign-ins.ts';
import type { Clock, Random } from '#domain/clock.ts';
import { CountersignError, errorMessage } from '#domain/errors.ts';
import { type Actor, person as personActor } from '#domain/people/actor.ts';
import { type Grouping, groupsOf, shortName } from '#domain/people/groups.ts';
import {
  findRefusal,
  type IdentitySettings,
  type PersonGroups,
  type Profile,
  type Refusal,
  readProfile,
  resolveProviders,
  roleOf,
  type SignInProvider,
} from '#domain/people/identity.ts';
import { personKey } from '#domain/people/names.ts';
import { hasRole, lesserRole, type Principal, type Role } from '#domain/people/principal.ts';
import { joinAccounts } from './link.ts';
import type { OpenId } from './open-id.ts';
import { readCalled } from './people-named.ts';

export type IdentityContext = {
  db: Database;
  clock: Clock;
  random: Random;
  identity: IdentitySettings;
  grouping: Grouping;
  apart: boolean;
  /** COUNTERSIGN_PUBLIC_URL; null if nobody can sign in. */
  publicUrl: string | null;
  warn(message: string, error?: unknown): void;
};

const minute = 60_000;
export const signInSeconds = 600;
const tokenPrefix = 'cst_';

/** Unsalted: the secrets have 256 bits. */
const hashOf = (secret: string): string => createHash('sha256').update(secret).digest('hex');

/** The same for every refusal; the log has the details. */
const refused = () =>
  new CountersignError(
    'unauthorized',
    'That sign-in expired or was started in another browser. Sign in again from the console.',
  );

/** Only a path of this server, against open redirects. */
function pathOf(back: string | undefined): string {
  return back !== undefined && /^\/(?![/\\])[^\s\\]*$/.test(back) && back.length < 2000
    ? back
    : '/';
}

export function createIdentity(context: IdentityContext) {
  const { db, clock, random, identity, apart, publicUrl, warn } = context;
  // Read on each use: settings may be reloaded.
  const readProviders = () => resolveProviders(identity);
  const { grouping } = context;
  let loading: Promise<OpenId> | null = null;
  const openId = () => {
    loading ??= import('./open-id.ts').then(({ createOpenId }) => createOpenId());
    return loading;
  };

  function providerOf(name: string): SignInProvider {
    const provider = readProviders().find((one) => one.name === name);
    if (provider !== undefined && publicUrl !== null) return provider;
    throw new CountersignError(
      'not_found',
      `There is no sign-in called ${name}. Open the console to see those that are set up.`,
    );
  }
  const redirectOf = ({ name }: SignInProvider) => `${publicUrl}/sign-in/${name}/callback`;

  async function admit(
    profile: SignedIn,
    by: 'session' | 'token',
  ): Promise<Principal | Refusal | null> {
    const provider = readProviders().find((one) => one.name === profile.provider);
    if (provider === undefined) return null;
    const { account, name, email, tenant } = profile;
    // Profiles without an organisation, as from before several shared the instance, would reach all of them.
    if (apart && tenant === null) return null;
    const linked = await readEveryName(db.query, account);
    const names = email === null || linked.includes(email) ? linked : [...linked, email];
    const unread = profile.groups === null ? [provider.name] : [];
    const evidence = { names, signedIn: [profile] };
    const ever: PersonGroups = { names, groups: groupsOf(grouping, evidence, 'any'), unread };
    const refusal = findRefusal(identity, grouping, ever);
    if (refusal !== null) return refusal;
    const known = { ...ever, groups: groupsOf(grouping, evidence) };
    const role = roleOf(grouping, provider, profile, known);
    if (role === null) return null;
    return {
      ...{ account, name, role, names, by },
      groups: known.groups.map((group) => shortName(grouping, group)),
      ...(email === null ? {} : { email }),
      ...(known.groups.length < ever.groups.length ? { stale: true } : {}),
      tenant: apart ? tenant : null,
    };
  }

  async function toPrincipal(profile: SignedIn, by: 'session' | 'token') {
    const admitted = await admit(profile, by);
    return typeof admitted === 'string' ? null : admitted;
  }

  async function identifySession(secret: string): Promise<Principal | null> {
    const now = clock.now();
    const hash = hashOf(secret);
    const idleSince = new Date(now.getTime() - identity.session.idle_hours * 60 * minute);
    const session = await readSession(db.query, hash, { now, idleSince });
    if (session === null) return null;
    const principal = await toPrincipal(session.person, 'session');
    if (principal !== null && now.getTime() - session.used_at.getTime() > minute)
      await touchSession(db.query, hash, now);
    return principal;
  }

  /** As of their last sign-in, in the token's organisation if it has one. */
  async function ownerOf(token: AccessToken): Promise<Principal | null> {
    const { account, role, tenant } = token;
    const names = await readEveryName(db.query, account);
    const profiles = await readSignedIn(db.query, [...names, ...names.map(personKey)]);
    if (profiles.length > 0) {
      const ours = profiles.filter((one) => !apart || tenant === null || one.tenant === tenant);
      const profile = ours.find((one) => one.account === account) ?? ours[0];
      const owner = profile === undefined ? null : await toPrincipal(profile, 'token');
      return owner === null
        ? null
        : { ...owner, role: lesserRole(role, owner.role), tenant: owner.tenant ?? tenant };
    }
    const groups = groupsOf(grouping, { names, signedIn: [] });
    if (findRefusal(identity, grouping, { names, groups, unread: [] }) !== null) return null;
    return { account, name: account, role, tenant, groups, names, by: 'token' };
  }

  async function identifyToken(secret: string): Promise<Principal | null> {
    if (!secret.startsWith(tokenPrefix)) return null;
    const now = clock.now();
    const token = await readToken(db.query, hashOf(secret), now);
    if (token === null) return null;
    const principal = await ownerOf(token);
    if (
      principal !== null &&
      (token.used_at === null || now.getTime() - token.used_at.getTime() > minute)
    )
      await touchToken(db.query, token.id, now);
    return principal;
  }

  /** Accounts with the same verified address are one person, unless they were unlinked. */
  async function keep(provider: SignInProvider, profile: Profile, now: Date): Promise<void> {
    await db.transaction(async (tx) => {
      await storeSignedIn(tx, { ...profile, provider: provider.name, at: now });
      await storeName(tx, profile.account, readCalled(profile.name));
      if (profile.email === null || profile.email === profile.account) return;
      await lockIdentities(tx);
      await joinAccounts(tx, profile.account, profile.email, signedInActor(profile));
    });
  }

  return {
    get providers() {
      return publicUrl === null ? [] : readProviders();
    },

    identify: (credentials: { token: string } | { session: string }): Promise<Principal | null> =>
      'token' in credentials
        ? identifyToken(credentials.token)
        : identifySession(credentials.session),

    /** @param back path to return to @returns the URL, and the browser's secret @throws `not_found`, `invalid_configuration` */
    async begin(name: string, back: string | undefined) {
      const provider = providerOf(name);
      const { draw, addressFor } = await openId();
      const challenge = draw();
      const address = await addressFor(provider, challenge, redirectOf(provider));
      const browser = random.hex(32);
      const now = clock.now();
      await storeTry(
        db.query,
        {
          state_hash: hashOf(challenge.state),
          browser_hash: hashOf(browser),
          provider: name,
          nonce: challenge.nonce,
          verifier: challenge.verifier,
          back_to: pathOf(back),
          expires_at: new Date(now.getTime() + signInSeconds * 1000),
        },
        now,
      );
      return { address, browser };
    },

    /**
     * @param came path and query of the return address; `browser`, `before`: its cookies
     * @throws `unauthorized` for an invalid response, `forbidden` for a person without access
     */
    async finish(
      name: string,
      { query, browser, before }: { query: string; browser: string; before: string | null },
    ) {
      const provider = providerOf(name);
      const now = clock.now();
      const state = new URLSearchParams(query).get('state') ?? '';
      const begun = await takeTry(
        db.query,
        { state: hashOf(state), browser: hashOf(browser), provider: name },
        now,
      );
      if (begun === null) throw refused();
      const { nonce, verifier, back_to: back } = begun;
      const came = new URL(`${redirectOf(provider)}?${query}`);
      const { readClaims } = await openId();
      const claims = await readClaims(provider, came, { state, nonce, verifier }).catch(
        (cause: unknown) => {
          warn(`Sign-in with ${name} failed: ${errorMessage(cause)}`, cause);
          throw refused();
        },
      );
      const profile = readProfile(provider, claims, apart);
      const principal = await keepIfLetIn(provider, profile, now);
      const session = random.hex(32);
      const expires = new Date(now.getTime() + identity.session.days * 24 * 60 * minute);
      await openSession(
        db.query,
        {
          ...{ hash: hashOf(session), account: principal.account },
          ...{ created_at: now, used_at: now, expires_at: expires },
        },
        before === null ? null : hashOf(before),
      );
      return { session, expires, back: `${publicUrl}${back}` };
    },

    signOut: (session: string): Promise<void> => endSession(db.query, hashOf(session)),
    signOutEverywhere: ({ names }: Principal): Promise<void> => endSessionsOf(db.query, names),

    /** @param wanted.days null: never expires @returns the token, shown only once */
    async createToken(
      account: string,
      wanted: { name: string; role: Role; days: number | null; tenant: string | null },
      actor: Actor,
    ): Promise<{ token: string; facts: AccessToken }> {
      const token = `${tokenPrefix}${random.hex(32)}`;
      const now = clock.now();
      const { name, role, days, tenant } = wanted;
      const id = `tok-${random.hex(6)}`;
      const facts = await db.transaction(async (tx) => {
        await recordAudit(tx, [
          { planId: null, actor, action: 'create_token', data: { token: id, account, name, role } },
        ]);
        return storeToken(tx, {
          ...{ id, hash: hashOf(token), account, name, role, tenant, created_at: now },
          expires_at: days === null ? null : new Date(now.getTime() + days * 24 * 60 * minute),
        });
      });
      return { token, facts };
    },

    listTokens: (accounts: string[] | null): Promise<AccessToken[]> =>
      listTokens(db.query, accounts),

    /** @throws `not_found`, also for another person's */
    async revokeToken(id: string, accounts: string[] | null, actor: Actor): Promise<void> {
      const revoked = await db.transaction(async (tx) => {
        if (!(await revokeToken(tx, id, accounts, clock.now()))) return false;
        await recordAudit(tx, [
          { planId: null, actor, action: 'revoke_token', data: { token: id } },
        ]);
        return true;
      });
      if (!revoked)
        throw new CountersignError(
          'not_found',
          `There is no token ${id}. List the tokens to see their IDs.`,
        );
    },
  };

  async function keepIfLetIn(
    provider: SignInProvider,
    profile: Profile,
    now: Date,
  ): Promise<Principal> {
    const signedIn = { ...profile, provider: provider.name, at: now };
    let admitted = await admit(signedIn, 'session');
    if (admitted !== null && typeof admitted !== 'string') {
      await keep(provider, profile, now);
      // The account may now be linked to names with more rights, or blocked ones.
      admitted = await admit(signedIn, 'session');
      if (admitted !== null && typeof admitted !== 'string') return admitted;
    }
    // The provider's latest answer also applies to their tokens and chats.
    const [before] = await readSignedIn(db.query, [profile.account]);
    if (before?.account === profile.account || admitted !== null)
      await storeSignedIn(db.query, signedIn);
    const why =
      admitted === 'groups_unread'
        ? `sent no readable list of your groups ("${provider.groups_claim}"), and one of its groups is blocked. An administrator can have it send a list, or block people instead`
        : 'knows you, but you have no access here. Ask an administrator';
    throw new CountersignError('forbidden', `${profile.name}: ${provider.label} ${why}.`);
  }
}
export type Identity = ReturnType<typeof createIdentity>;

function signedInActor({ account }: Profile): Actor {
  return { ...personActor(account, 'console'), verified: true };
}

export function requireLesser(wanted: Role, own: Role): void {
  if (hasRole(own, wanted)) return;
  throw new CountersignError('forbidden', `A token can't have the role ${wanted}; you are ${own}.`);
}
