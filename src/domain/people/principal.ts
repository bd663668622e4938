// Who makes an HTTP request, and each role's rights.
import { z } from 'zod';
import { isSamePerson } from './names.ts';

/**
 * Ascending: `viewer` reads; `requester` proposes and changes their own; `approver` decides; `admin` reads settings and others'
 * things. Limits approver rules, never widens them.
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
  /** `local` without sign-in. */
  account: string;
  name: string;
  email?: string;
  role: Role;
  /** `slack:T…`, `teams:GUID`, a provider's own; null for all. */
  tenant: string | null;
  /** As in approver rules, without `group:`. */
  groups: string[];
  stale?: boolean;
  names: string[];
  by: 'local' | 'instance' | 'token' | 'session';
};

/** Without configured access: an admin under any name. */
export const localPrincipal: Principal = {
  account: 'local',
  name: 'local',
  role: 'admin',
  tenant: null,
  groups: [],
  names: [],
  by: 'local',
};

/** Holder of `COUNTERSIGN_API_TOKEN`. */
export const instancePrincipal: Principal = { ...localPrincipal, by: 'instance' };

export const signInAgain = ({ stale }: { stale?: boolean | undefined }): string =>
  stale === true
    ? ' The groups of your last sign-in are too old to count. Sign in again in the console.'
    : '';

export function isKnown({ by }: Pick<Principal, 'by'>): boolean {
  return by === 'session' || by === 'token';
}

export function isOwnName({ names }: Pick<Principal, 'names'>, name: string): boolean {
  return names.some((own) => isSamePerson(own, name));
}
