// Who makes an HTTP request, decided once by the guard, and each role's rights.
import { z } from 'zod';
import { isSamePerson } from './names.ts';

/**
 * In ascending order: `viewer` reads; `requester` also requests, proposes and changes their own; `approver` also decides; `admin`
 * also reads settings, metrics and others' things. A role limits approver rules, never widens them.
 */
export const Role = z.enum(['viewer', 'requester', 'approver', 'admin']);
export type Role = z.infer<typeof Role>;

export function hasRole(role: Role, needed: Role): boolean {
  return Role.options.indexOf(role) >= Role.options.indexOf(needed);
}

export function lesserRole(a: Role, b: Role): Role {
  return hasRole(a, b) ? b : a;
}

export type Principal = {
  /** The sign-in's or token's name of the person; `local` without sign-in. */
  account: string;
  /** Display name. */
  name: string;
  email?: string;
  role: Role;
  /** The organisation whose plans they reach: `slack:T…`, `teams:GUID`, a provider's own, or null for all. */
  tenant: string | null;
  /** Sign-in and configured groups as in approver rules, without `group:`. */
  groups: string[];
  /** Their sign-in's groups are too old to count. */
  stale?: boolean;
  /** All names: account, e-mail address, linked accounts. */
  names: string[];
  by: 'local' | 'instance' | 'token' | 'session';
};

/** This machine, without any configured access: an admin under any typed name. */
export const localPrincipal: Principal = {
  account: 'local',
  name: 'local',
  role: 'admin',
  tenant: null,
  groups: [],
  names: [],
  by: 'local',
};

/** The holder of `COUNTERSIGN_API_TOKEN`. */
export const instancePrincipal: Principal = { ...localPrincipal, by: 'instance' };

/** Advice in a refusal if the person's groups are outdated; else ''. */
export const signInAgain = ({ stale }: { stale?: boolean | undefined }): string =>
  stale === true
    ? ' The groups of your last sign-in are too old to count. Sign in again in the console.'
    : '';

/** Whether the person is proven by sign-in or personal token. Elsewhere names are only typed. */
export function isKnown({ by }: Pick<Principal, 'by'>): boolean {
  return by === 'session' || by === 'token';
}

export function isOwnName({ names }: Pick<Principal, 'names'>, name: string): boolean {
  return names.some((own) => isSamePerson(own, name));
}
