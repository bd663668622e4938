// Slack user groups in approver rules, by ID or `group:@handle`. Pure.
import { chatTenant } from '../plan/scope.ts';

export const maxUserGroup = 200;
/** While Slack can't be reached. */
export const userGroupKeptForMs = 15 * 60_000;

/**
 * `not_permitted`: missing scope; `not_offered`: by the workspace; `elsewhere`: other workspace; `unread`: unknown or outdated.
 */
export type UserGroupProblem =
  | 'missing'
  | 'disabled'
  | 'too_large'
  | 'not_permitted'
  | 'not_offered'
  | 'elsewhere'
  | 'unread';

export type UserGroup = { team: string; id: string; handle: string; active: boolean; size: number };

export type UserGroupReader = {
  /** Includes disabled ones. @param team null for the only workspace */
  list(team: string | null): Promise<UserGroup[]>;
  /** Active members; null if the group is gone. */
  accountsIn(group: UserGroup): Promise<string[] | null>;
};

export type UserGroups = {
  /** Unreadable groups keep their members. @param keys from `userGroupKey` */
  refresh(keys: string[]): Promise<void>;
  /**
   * Writes user groups by ID.
   * @param written people, mentions, `@finance`, groups
   * @throws CountersignError with the group's problem
   */
  nameAll(written: string[], tenant: string | null): Promise<string[]>;
};

const byId = /^slack:([A-Z0-9]+):(S[A-Z0-9]+)$/;

/** @param group without `group:` */
export function isUserGroup(group: string): boolean {
  return group.startsWith('@') || byId.test(group);
}

export function readUserGroupId(group: string): { team: string; id: string } | null {
  const [, team, id] = byId.exec(group) ?? [];
  return team === undefined || id === undefined ? null : { team, id };
}

export const userGroupName = ({ team, id }: { team: string; id: string }): string =>
  `${chatTenant('slack', team)}:${id}`;

/** @param tenant null without organisation @returns null if ambiguous or another organisation's */
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
