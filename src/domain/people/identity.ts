// Sign-in settings, and a person's profile from claims. Pure.
import { z } from 'zod';
import { CountersignError } from '../errors.ts';
import type { PlatformName } from '../platform-name.ts';
import { type Grouping, groupIn, providerOfGroup, resolveGroup } from './groups.ts';
import { isSamePerson, lowerAscii, readAddress } from './names.ts';
import { Role } from './principal.ts';

const names = z.array(z.string().min(1).max(200));

const Provider = z
  .strictObject({
    /** Sets issuer, scopes and claims. */
    preset: z.enum(['slack', 'entra', 'google']).optional(),
    label: z.string().min(1).max(60).optional(),
    /** Base of `/.well-known/openid-configuration`. */
    issuer: z.url().optional(),
    client_id: z.string().min(1),
    client_secret: z.string().min(1),
    scopes: z.array(z.string().min(1)).optional(),
    /** Without it, all are of one organisation. */
    tenant_claim: z.string().optional(),
    /** `slack:T0123ABCD`. */
    tenant: z.string().min(1).max(200).optional(),
    groups_claim: z.string().default('groups'),
    /** Requires a verified e-mail address in one. */
    allowed_domains: z.array(z.string().transform(lowerAscii)).default([]),
    /** Claim values, or `any`. */
    allowed_tenants: z.array(z.string()).default([]),
    /** For people not in `roles`; null denies sign-in. */
    default_role: Role.nullable().default('requester'),
    /** Addresses, accounts and `group:NAME`; the highest match counts. */
    roles: z
      .strictObject({
        viewer: names.default([]),
        requester: names.default([]),
        approver: names.default([]),
        admin: names.default([]),
      })
      .prefault({}),
  })
  .refine(
    ({ preset, issuer }) => preset !== undefined || issuer !== undefined,
    'needs "issuer" or "preset"',
  )
  .refine(
    ({ preset, allowed_domains, allowed_tenants }) =>
      preset === undefined || allowed_domains.length + allowed_tenants.length > 0,
    'needs "allowed_domains" or "allowed_tenants": anybody in the world has an account there',
  )
  .refine(
    ({ preset, issuer, allowed_tenants }) =>
      preset !== 'entra' || issuer !== undefined || allowed_tenants.length > 0,
    'needs "allowed_tenants": the ids of Microsoft Entra tenants, or any',
  );
type Provider = z.infer<typeof Provider>;

/** Prefixes of accounts and groups. */
const presetFor = (name: string) =>
  name === 'group'
    ? null
    : Object.entries(presets).find(([, { chat }]) => chat?.platform === name)?.[0];

export const IdentitySettings = z.strictObject({
  providers: z
    .record(
      z.string().regex(/^[a-z][a-z0-9-]*$/, 'lower-case letters, digits and hyphens'),
      Provider,
    )
    .superRefine((providers, context) => {
      for (const [name, { preset }] of Object.entries(providers)) {
        const wanted = presetFor(name);
        if (wanted === undefined || wanted === preset) continue;
        const only = wanted === null ? '' : `, unless its "preset" is "${wanted}"`;
        const message = `needs another name: accounts that begin with "${name}:" are others${only}`;
        context.addIssue({ code: 'custom', path: [name], message });
      }
    })
    .default({}),
  session: z
    .strictObject({
      idle_hours: z.number().positive().max(8760).default(24),
      days: z.number().positive().max(365).default(14),
    })
    .prefault({}),
  /** Signing in again renews them. */
  groups_max_age_hours: z.number().positive().max(8760).default(24),
  /** Refused at once on every surface. */
  blocked: names.default([]),
});
export type IdentitySettings = z.infer<typeof IdentitySettings>;

export type SignInProvider = Omit<Provider, 'issuer' | 'label' | 'scopes' | 'tenant'> & {
  name: string;
  label: string;
  issuer: string;
  scopes: string[];
  tenant: string | null;
  chat: NonNullable<Preset['chat']> | null;
};

const slack = (claim: string) => `https://slack.com/${claim}`;

type Preset = {
  label: string;
  issuer(allowed: string[]): string;
  tenant_claim?: string;
  /** The platform whose accounts it shares; `account`: claims that form one, by preference. */
  chat?: { platform: PlatformName; account: string[][] };
};

const presets: Record<NonNullable<Provider['preset']>, Preset> = {
  slack: {
    label: 'Slack',
    issuer: () => 'https://slack.com',
    tenant_claim: slack('team_id'),
    chat: {
      platform: 'slack',
      account: [
        [slack('enterprise_id'), slack('team_id')],
        [slack('user_id'), 'sub'],
      ],
    },
  },
  entra: {
    label: 'Microsoft',
    issuer(allowed) {
      const [only] = allowed.length === 1 && allowed[0] !== 'any' ? allowed : ['organizations'];
      return `https://login.microsoftonline.com/${only}/v2.0`;
    },
    tenant_claim: 'tid',
    chat: { platform: 'teams', account: [['tid'], ['oid']] },
  },
  google: { label: 'Google', issuer: () => 'https://accounts.google.com' },
};

function resolveProvider(name: string, provider: Provider): SignInProvider {
  const preset = provider.preset === undefined ? null : presets[provider.preset];
  const {
    issuer = preset?.issuer(provider.allowed_tenants) ?? '',
    label = preset?.label ?? name,
    scopes,
    tenant = null,
    ...rest
  } = provider;
  return {
    ...(preset?.tenant_claim === undefined ? {} : { tenant_claim: preset.tenant_claim }),
    ...rest,
    name,
    issuer,
    label,
    tenant,
    scopes: scopes ?? ['openid', 'profile', 'email'],
    chat: preset?.chat ?? null,
  };
}

export function resolveProviders({
  providers,
}: Pick<IdentitySettings, 'providers'>): SignInProvider[] {
  return Object.entries(providers).map(([name, provider]) => resolveProvider(name, provider));
}

export function admitsSeveral({
  tenant,
  tenant_claim,
  allowed_tenants: allowed,
}: SignInProvider): boolean {
  return (
    tenant === null && tenant_claim !== undefined && (allowed.length !== 1 || allowed[0] === 'any')
  );
}

export type Profile = {
  account: string;
  name: string;
  email: string | null;
  /** `slack:T…`, `teams:GUID`, or a provider's own. */
  tenant: string | null;
  groups: string[] | null;
};

type Claims = Record<string, unknown>;
const textOf = (claims: Claims, claim: string): string | null => {
  const value = claims[claim];
  return typeof value === 'string' && value !== '' ? value : null;
};
const isTrue = (value: unknown) =>
  value === true || value === 'true' || value === 1 || value === '1';
const domainOf = (email: string): string => email.slice(email.lastIndexOf('@') + 1);

/** Only verified addresses: anyone can set Microsoft's `email` in their own tenant. A sole tenant's sign-in names are safe. */
function readEmail(provider: SignInProvider, claims: Claims): string | null {
  const { preset, allowed_tenants: allowed } = provider;
  const isOwn =
    allowed.length === 1 && allowed[0] !== 'any' && claims.acct !== 1 && claims.acct !== '1';
  const email =
    preset !== 'entra'
      ? isTrue(claims.email_verified) && textOf(claims, 'email')
      : isTrue(claims.xms_edov)
        ? textOf(claims, 'email')
        : isOwn && textOf(claims, 'preferred_username');
  return email === false || email === null ? null : readAddress(email);
}

/** Longer lists may be incomplete. */
const maxGroups = 2000;

/** A name, or `{ value }` as in SCIM (RFC 7643, 4.1.2). */
function readGroup(value: unknown): string | null {
  const name =
    typeof value === 'object' && value !== null && 'value' in value ? value.value : value;
  return typeof name === 'string' && name !== '' ? name : null;
}

/** A list (RFC 9068, 2.2.3.1) or a single name. @returns null if missing, elsewhere (`_claim_names`) or ambiguous (`a, b`) */
function readGroupsClaim(claims: Claims, claim: string): string[] | null {
  const { _claim_names: elsewhere } = claims;
  if (typeof elsewhere === 'object' && elsewhere !== null && Object.hasOwn(elsewhere, claim))
    return null;
  const value = claims[claim];
  if (typeof value === 'string' && /[\s,;[\]{}"]/.test(value)) return null;
  const groups = (Array.isArray(value) ? value : [value]).map(readGroup);
  return groups.length > maxGroups || groups.includes(null)
    ? null
    : [...new Set(groups.filter((group) => group !== null))];
}

/** @throws `forbidden` if missing */
function requireClaim({ name, label }: SignInProvider, claims: Claims, claim: string): string {
  const value = textOf(claims, claim);
  if (value !== null) return value;
  throw new CountersignError(
    'forbidden',
    `${label} did not say who you are: its answer has no "${claim}". Keep "openid" and "profile" among the scopes of identity.providers.${name}.`,
  );
}

/**
 * @param apart on a shared instance, addresses count only in an allowed domain
 * @throws `forbidden` if the claims identify nobody
 */
export function readProfile(provider: SignInProvider, claims: Claims, apart: boolean): Profile {
  const { name: providerName, chat, tenant_claim: claim, allowed_domains: domains } = provider;
  const subject = requireClaim(provider, claims, 'sub');
  const address = readEmail(provider, claims);
  const email =
    address !== null && (!apart || domains.includes(domainOf(address))) ? address : null;
  const organisation = claim === undefined ? null : textOf(claims, claim);
  const first = (names: string[]) =>
    names.map((name) => textOf(claims, name)).find((value) => value !== null) ??
    requireClaim(provider, claims, names.at(-1) ?? 'sub');
  return {
    account:
      chat === null
        ? (email ?? `${providerName}:${subject}`)
        : [chat.platform, ...chat.account.map(first)].join(':'),
    name: textOf(claims, 'name') ?? address ?? subject,
    email,
    tenant:
      provider.tenant ??
      (organisation === null ? null : `${chat?.platform ?? providerName}:${organisation}`),
    groups: readGroupsClaim(claims, provider.groups_claim),
  };
}

function isAllowed(provider: SignInProvider, { email, tenant }: Profile): boolean {
  const { allowed_domains: domains, allowed_tenants: tenants, chat, name } = provider;
  const fits = (value: string) =>
    value === 'any' || tenant === `${chat?.platform ?? name}:${value}`;
  return (
    (domains.length === 0 || (email !== null && domains.includes(domainOf(email)))) &&
    (tenants.length === 0 || tenants.some(fits))
  );
}

/** `unread`: providers that reported no groups. */
export type PersonGroups = { names: string[]; groups: string[]; unread: string[] };
type Groups = Pick<Grouping, 'groups' | 'providers'>;

/** @param within the setting's provider */
function isNamed(grouping: Groups, name: string, known: PersonGroups, within?: string): boolean {
  const group = groupIn(name);
  if (group === null) return known.names.some((own) => isSamePerson(own, name));
  const meant = resolveGroup(grouping, group, within);
  return meant !== null && known.groups.includes(meant);
}

export type Refusal = 'blocked' | 'groups_unread';

/** Also if membership is unknown. */
export function findRefusal(
  { blocked }: Pick<IdentitySettings, 'blocked'>,
  grouping: Groups,
  known: PersonGroups,
): Refusal | null {
  if (blocked.some((name) => isNamed(grouping, name, known))) return 'blocked';
  const unsure = blocked.some((name) => {
    const group = resolveGroup(grouping, groupIn(name) ?? '');
    const provider = group === null ? null : providerOfGroup(grouping, group);
    return groupIn(name) !== null && provider !== null && known.unread.includes(provider);
  });
  return unsure ? 'groups_unread' : null;
}

/** Null for no access. */
export function roleOf(
  grouping: Groups,
  provider: SignInProvider,
  profile: Profile,
  known: PersonGroups,
): Role | null {
  if (!isAllowed(provider, profile)) return null;
  const { name: within, roles } = provider;
  const given = Role.options
    .toReversed()
    .find((role) => roles[role].some((name) => isNamed(grouping, name, known, within)));
  return given ?? provider.default_role;
}
