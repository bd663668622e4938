// Who makes a request over HTTP, decided once by the guard, and what each role may do.
import { z } from 'zod';
import { isSamePerson } from './names.ts';

/**
 * From least to most: `viewer` reads; `requester` also asks, proposes and changes their own; `approver` also decides about plans;
 * `admin` also reads settings, metrics and what belongs to other people. A role limits what the approver rules allow, never widens it.
 */
export const Role = z.enum(['viewer', 'requester', 'approver', 'admin']);
export type Role = z.infer<typeof Role>;

/** Whether a role includes another. */
export function hasRole(role: Role, needed: Role): boolean {
  return Role.options.indexOf(role) >= Role.options.indexOf(needed);
}

/** The smaller of two roles. */
export function lesserRole(a: Role, b: Role): Role {
  return hasRole(a, b) ? b : a;
}

export type Principal = {
  /** How the sign-in or the token names the person; `local` where nobody signed in. */
  account: string;
  /** What people call them. */
  name: string;
  email?: string;
  role: Role;
  /** The organisation whose plans they reach: `slack:T…`, `teams:GUID`, a provider's own; null: the whole instance. */
  tenant: string | null;
  /** Groups of the sign-in and of the configuration, as approver rules name them, without `group:`. */
  groups: string[];
  /** The groups of their sign-in are too old to count. */
  stale?: boolean;
  /** Every name the person goes by: the account, the e-mail address, linked accounts. */
  names: string[];
  by: 'local' | 'instance' | 'token' | 'session';
};

/** On this machine, without anything set up: an admin under whatever name is typed. */
export const localPrincipal: Principal = {
  account: 'local',
  name: 'local',
  role: 'admin',
  tenant: null,
  groups: [],
  names: [],
  by: 'local',
};

/** Whoever has `COUNTERSIGN_API_TOKEN`. */
export const instancePrincipal: Principal = { ...localPrincipal, by: 'instance' };

/** The remedy in a refusal if the person's groups are too old; else ''. */
export const signInAgain = ({ stale }: { stale?: boolean | undefined }): string =>
  stale === true
    ? ' The groups of your last sign-in are too old to count. Sign in again in the console.'
    : '';

/** Whether the person is known: a sign-in or a token of their own. Elsewhere a name is only typed. */
export function isKnown({ by }: Pick<Principal, 'by'>): boolean {
  return by === 'session' || by === 'token';
}

/** Whether `name` is one of the person's own. */
export function isOwnName({ names }: Pick<Principal, 'names'>, name: string): boolean {
  return names.some((own) => isSamePerson(own, name));
}
