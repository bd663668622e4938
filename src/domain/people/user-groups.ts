// User groups of Slack in approver rules: `group:slack:T123:S456` by its id, `group:@finance` by its handle. Pure.
import { chatTenant } from '../plan/scope.ts';

/** Members of a larger group are not read. */
export const maxUserGroup = 200;
/** For how long a copy stands in for Slack where Slack does not answer. */
export const userGroupKeptForMs = 15 * 60_000;

/**
 * Why nobody in a group may decide. `not_permitted`: the app lacks the scope; `not_offered`: the workspace has no user groups;
 * `elsewhere`: it is of another workspace; `unread`: Slack has not said who is in it, or has said that this changed.
 */
export type UserGroupProblem =
  | 'missing'
  | 'disabled'
  | 'too_large'
  | 'not_permitted'
  | 'not_offered'
  | 'elsewhere'
  | 'unread';

/** A group as its workspace has it. `size` counts its members. */
export type UserGroup = { team: string; id: string; handle: string; active: boolean; size: number };

/** What a chat platform says of its groups. Both throw CountersignError. */
export type UserGroupReader = {
  /** All groups of a workspace, the disabled ones too. @param team null: the only workspace there is */
  list(team: string | null): Promise<UserGroup[]>;
  /** The accounts of the members who can act; null: the group is gone. */
  accountsIn(group: UserGroup): Promise<string[] | null>;
};

export type UserGroups = {
  /** Reads who is in these groups now. What cannot be read stays as it was. @param keys as `userGroupKey` makes them */
  refresh(keys: string[]): Promise<void>;
  /**
   * Names as a rule is to have them: what means a user group by its id, the rest as it is.
   * @param written people, mentions as Slack writes them, `@finance`, groups as rules name them
   * @throws CountersignError that says what is wrong with a group
   */
  nameAll(written: string[], tenant: string | null): Promise<string[]>;
};

const byId = /^slack:([A-Z0-9]+):(S[A-Z0-9]+)$/;

/** Whether a group in a rule is a user group of a chat. @param group without `group:` */
export function isUserGroup(group: string): boolean {
  return group.startsWith('@') || byId.test(group);
}

/** The workspace and the id of a group that is named by them. */
export function readUserGroupId(group: string): { team: string; id: string } | null {
  const [, team, id] = byId.exec(group) ?? [];
  return team === undefined || id === undefined ? null : { team, id };
}

export const userGroupName = ({ team, id }: { team: string; id: string }): string =>
  `${chatTenant('slack', team)}:${id}`;

/**
 * By what a user group is kept, for plans of an organisation.
 * @param tenant null: the plan belongs to none
 * @returns null: a group of another organisation, or one that cannot be told from others of its name
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

/** What a key asks for, and in which workspace. */
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
