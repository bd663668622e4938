// Reads Slack user groups, with a copy for outages.
import type { Database } from '#db/database.ts';
import {
  expireUserGroups,
  readCopyTime,
  storeUserGroups,
  type UserGroupCopy,
} from '#db/people/user-groups.ts';
import { CountersignError } from '#domain/errors.ts';
import { groupIn, groupNamed } from '#domain/people/groups.ts';
import { personKey } from '#domain/people/names.ts';
import {
  isUserGroup,
  maxUserGroup,
  readUserGroupId,
  readUserGroupKey,
  type UserGroup,
  type UserGroupProblem,
  type UserGroupReader,
  type UserGroups,
  userGroupName,
} from '#domain/people/user-groups.ts';
import { chatTenant } from '#domain/plan/scope.ts';
import { shareByKey } from '#domain/recent.ts';

/** `surely`: no person's name. */
type Meant = { team: string | null; surely: boolean } & ({ id: string } | { handle: string });

function findAmong(groups: UserGroup[], meant: { id: string } | { handle: string }) {
  return groups.find((group) =>
    'id' in meant ? group.id === meant.id : personKey(group.handle) === personKey(meant.handle),
  );
}

/** Null if transient or unknown. */
function lastingProblem(error: unknown): UserGroupProblem | null {
  if (!(error instanceof CountersignError) || error.passesAfterMs !== null) return null;
  const { slack } = error.details;
  if (slack === 'missing_scope') return 'not_permitted';
  if (slack === 'plan_upgrade_required') return 'not_offered';
  return slack === undefined && error.code === 'not_allowed' ? 'elsewhere' : null;
}

function readMeant(written: string): Meant | null {
  const [, id] = /^<!subteam\^(S[A-Z0-9]+)(?:\|[^<>]*)?>$/.exec(written) ?? [];
  if (id !== undefined) return { team: null, surely: true, id };
  const named = groupIn(written);
  const group = named ?? written;
  if (!isUserGroup(group)) return null;
  const known = readUserGroupId(group);
  if (known !== null) return { ...known, surely: true };
  return { team: null, surely: named !== null, handle: group.slice(1) };
}

/** Null for the only one. @throws `invalid_request` */
function workspaceFor({ team }: Meant, written: string, tenant: string | null): string | null {
  if (tenant === null) return team;
  if (team !== null && tenant !== chatTenant('slack', team))
    throw new CountersignError(
      'invalid_request',
      `${written} is a user group of another Slack workspace. Name people or a group of your own.`,
    );
  return tenant.startsWith('slack:') ? tenant.slice('slack:'.length) : team;
}

/** @throws `invalid_request` if no member could approve */
function requireUsable({ handle, active, size }: UserGroup): void {
  const why = !active
    ? `@${handle} is disabled in Slack`
    : size === 0
      ? `Nobody is in @${handle} in Slack`
      : size > maxUserGroup
        ? `@${handle} has ${size} members in Slack; a group that approves may have ${maxUserGroup}`
        : null;
  if (why === null) return;
  throw new CountersignError('invalid_request', `${why}. Name another group, or people.`);
}

type KeptUserGroups = UserGroups & {
  /** Changed. @throws if Slack can't be asked */
  renew(team: string, heardAt: Date): Promise<void>;
};

/** @param readerOf null if no chat has user groups */
export function createUserGroups({
  db,
  readerOf,
  warn,
}: {
  db: Database;
  readerOf: () => UserGroupReader | null;
  warn(message: string, error?: unknown): void;
}): KeptUserGroups {
  /** @throws errors of `reader` */
  async function describe(
    reader: UserGroupReader,
    key: string,
    groups: UserGroup[],
  ): Promise<UserGroupCopy> {
    const group = findAmong(groups, readUserGroupKey(key));
    const none = { name: key, target: null, handle: null, accounts: [] };
    if (group === undefined) return { ...none, problem: 'missing' };
    const known = { ...none, target: userGroupName(group), handle: `@${group.handle}` };
    if (!group.active) return { ...known, problem: 'disabled' };
    if (group.size > maxUserGroup) return { ...known, problem: 'too_large' };
    const accounts = await reader.accountsIn(group);
    return accounts === null
      ? { ...known, problem: 'missing' }
      : { ...known, accounts, problem: null };
  }

  async function read(reader: UserGroupReader, team: string | null, keys: string[]): Promise<void> {
    const begun = await readCopyTime(db.query);
    let copies: UserGroupCopy[];
    try {
      const groups = await reader.list(team);
      copies = await Promise.all(keys.map((key) => describe(reader, key, groups)));
    } catch (error) {
      const problem = lastingProblem(error);
      if (problem === null) throw error;
      copies = keys.map((name) => ({ name, target: null, handle: null, accounts: [], problem }));
    }
    await storeUserGroups(db.query, copies, begun);
  }

  async function readAll(keys: string[]): Promise<void> {
    const reader = readerOf();
    if (reader === null) return;
    const byTeam = Map.groupBy([...new Set(keys)], (key) => readUserGroupKey(key).team);
    await Promise.all([...byTeam].map(([team, theirs]) => read(reader, team, theirs)));
  }

  /** @throws CountersignError with the group's problem */
  async function nameOne(
    written: string,
    tenant: string | null,
    list: (reader: UserGroupReader, team: string | null) => Promise<UserGroup[]>,
  ): Promise<string> {
    const meant = readMeant(written);
    const reader = readerOf();
    if (meant === null || (reader === null && !meant.surely)) return written;
    if (reader === null)
      throw new CountersignError(
        'invalid_request',
        `${written} is a user group of Slack, and Slack is not connected here.`,
      );
    let groups: UserGroup[];
    try {
      groups = await list(reader, workspaceFor(meant, written, tenant));
    } catch (error) {
      // It may be a person's name.
      if (!meant.surely && lastingProblem(error) !== null) return written;
      throw error;
    }
    const group = findAmong(groups, meant);
    if (group === undefined) {
      if (!meant.surely) return written;
      throw new CountersignError(
        'invalid_request',
        `Slack has no user group ${written} in this workspace.`,
      );
    }
    requireUsable(group);
    await read(reader, group.team, [userGroupName(group)]);
    return groupNamed(userGroupName(group));
  }

  return {
    async refresh(keys) {
      try {
        await readAll(keys);
      } catch (error) {
        // The decision uses the copy unless too old, and reports that.
        warn('Could not read the members of approver groups from Slack.', error);
      }
    },

    async renew(team, heardAt) {
      // Decisions ignore the previous state from here on.
      await readAll(await expireUserGroups(db.query, chatTenant('slack', team), heardAt));
    },

    async nameAll(written, tenant) {
      const lists = new Map<string | null, Promise<UserGroup[]>>();
      const listOnce = (reader: UserGroupReader, team: string | null) =>
        shareByKey(lists, team, () => reader.list(team));
      return Promise.all(written.map((name) => nameOne(name, tenant, listOnce)));
    },
  };
}
