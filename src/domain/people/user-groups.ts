// Slack user groups in approver rules: `group:slack:T123:S456` by ID, `group:@finance` by handle. Pure.
import { chatTenant } from '../plan/scope.ts';

/** Larger groups are not read. */
export const maxUserGroup = 200;
/** How long a copy replaces an unreachable Slack. */
export const userGroupKeptForMs = 15 * 60_000;

/**
 * Why a group can't decide. `not_permitted`: missing scope; `not_offered`: no user groups in the workspace; `elsewhere`: of
 * another workspace; `unread`: members unknown or outdated.
 */
export type UserGroupProblem =
  | 'missing'
  | 'disabled'
  | 'too_large'
  | 'not_permitted'
  | 'not_offered'
  | 'elsewhere'
  | 'unread';

/** `size` counts its members. */
export type UserGroup = { team: string; id: string; handle: string; active: boolean; size: number };

/** Reads a platform's user groups. Both throw CountersignError. */
export type UserGroupReader = {
  /** All groups of a workspace, including disabled ones. @param team null for the only workspace */
  list(team: string | null): Promise<UserGroup[]>;
  /** Accounts of active members, or null if the group is gone. */
  accountsIn(group: UserGroup): Promise<string[] | null>;
};

export type UserGroups = {
  /** Rereads these groups; unreadable ones stay as they were. @param keys from `userGroupKey` */
  refresh(keys: string[]): Promise<void>;
  /**
   * Converts names for a rule: user groups by ID, the rest unchanged.
   * @param written people, Slack mentions, `@finance`, groups as in rules
   * @throws CountersignError with a group's problem
   */
  nameAll(written: string[], tenant: string | null): Promise<string[]>;
};

const byId = /^slack:([A-Z0-9]+):(S[A-Z0-9]+)$/;

/** Whether a group in a rule is a chat's user group. @param group without `group:` */
export function isUserGroup(group: string): boolean {
  return group.startsWith('@') || byId.test(group);
}

export function readUserGroupId(group: string): { team: string; id: string } | null {
  const [, team, id] = byId.exec(group) ?? [];
  return team === undefined || id === undefined ? null : { team, id };
}

export const userGroupName = ({ team, id }: { team: string; id: string }): string =>
  `${chatTenant('slack', team)}:${id}`;

/**
 * The storage key of a user group, for an organisation's plans.
 * @param tenant null if the plan belongs to none
 * @returns null for another organisation's group, or an ambiguous one
 */
export function userGroupKey(group: string, tenant: string | null): string | null {
  if (group.startsWith('@')) {
    if (tenant === null) return `slack:${group}`;
    return tenant.startsWith('slack:') ? `${tenant}:${group}` : null;
  }
  const known = readUserGroupId(group);
  if (known === null) return null;
  return tenant === null || tenant === chatTenant('slack', known.team) ? group : null;
}

export function readUserGroupKey(
  key: string,
): { team: string | null } & ({ id: string } | { handle: string }) {
  const known = readUserGroupId(key);
  if (known !== null) return known;
  const at = key.indexOf('@');
  return {
    team: key.slice('slack:'.length, at).replace(/:$/, '') || null,
    handle: key.slice(at + 1),
  };
}
