// Expands groups in approver rules to their members, and finds who took part in conversations.
import { findSpeakers } from '#db/chat/messages.ts';
import type { Queryable } from '#db/database.ts';
import { readNamesOf } from '#db/people/identities.ts';
import { type GroupMember, readGroupMembers, readSignedIn } from '#db/people/sign-ins.ts';
import { readUserGroups, readUserGroupsOf } from '#db/people/user-groups.ts';
import {
  type Grouping,
  groupIn,
  groupNamed,
  groupsOf,
  isStale,
  providerOfGroup,
  resolveGroup,
  shortName,
} from '#domain/people/groups.ts';
import { personKey } from '#domain/people/names.ts';
import {
  isUserGroup,
  type UserGroupProblem,
  userGroupKeptForMs,
  userGroupKey,
} from '#domain/people/user-groups.ts';
import type { ApproverPolicy } from '#domain/plan/plan.ts';
import type { PlansContext } from '../plans-context.ts';
import { rulesOf } from './approver-rules.ts';

type Members = ReadonlyMap<string, string[]>;

/** `target`: name by ID; `shown`: for readers. */
export type UserGroupState = {
  target: string | null;
  shown: string;
  problem: UserGroupProblem | 'empty' | null;
};

export type Groups = {
  members: Members;
  userGroups: ReadonlyMap<string, UserGroupState>;
  /** Don't count until they sign in again. */
  stale: ReadonlySet<string>;
};

export const noGroups: Grouping = { groups: {}, providers: {}, apart: false };

const groupsIn = (names: string[]) => [...new Set(names.flatMap((name) => groupIn(name) ?? []))];

/** A configured group of the same name takes precedence. */
function userGroupsIn(names: string[], { groups }: Grouping = noGroups): string[] {
  return groupsIn(names).filter((name) => isUserGroup(name) && !Object.hasOwn(groups, name));
}

export const namesUserGroups = (names: string[], grouping: Grouping | undefined): boolean =>
  userGroupsIn(names, grouping).length > 0;

/**
 * From configuration, chat, or last sign-ins. `decides`: uses no outdated copy; `approved`: approvers' groups count until their
 * next sign-in.
 * @param names people and groups in rules
 * @returns the groups of one organisation
 */
export async function readGroups(
  db: Queryable,
  grouping: Grouping = noGroups,
  names: string[],
  tenants: (string | null)[],
): Promise<(tenant: string | null, decides: boolean, approved?: string[]) => Groups> {
  const { groups, apart } = grouping;
  const wanted = groupsIn(names);
  if (wanted.length === 0)
    return () => ({ members: new Map(), userGroups: new Map(), stale: new Set() });
  const ofChats = userGroupsIn(names, grouping);
  const keys = ofChats.flatMap((group) =>
    [...new Set(tenants)].flatMap((tenant) => userGroupKey(group, tenant) ?? []),
  );
  const copies = await readUserGroups(db, keys);
  const meant = new Map(wanted.map((name) => [name, resolveGroup(grouping, name) ?? '']));
  const others = [...meant.values()].filter((name) => providerOfGroup(grouping, name) !== null);
  const membersOf =
    others.length === 0
      ? new Map<string, GroupMember[]>()
      : await readGroupMembers(db, others, apart);
  return (tenant, decides, approved = []) => {
    const kept = new Set(approved);
    const counts = (one: GroupMember) =>
      !isStale(grouping, one) || kept.has(one.person) || kept.has(one.account);
    const members = new Map(
      [...meant].map(([name, group]) => {
        const ofProvider = membersOf.get(group)?.filter(counts);
        return [name, groups[group] ?? ofProvider?.map(({ account }) => account) ?? []];
      }),
    );
    const stale = new Set(
      [...membersOf.values()].flat().flatMap((one) => (counts(one) ? [] : [one.person])),
    );
    const userGroups = new Map<string, UserGroupState>();
    for (const group of ofChats) {
      const key = userGroupKey(group, tenant);
      const copy = key === null ? undefined : copies.get(key);
      const old = decides && (copy?.age_ms ?? 0) > userGroupKeptForMs;
      const problem = key === null ? 'elsewhere' : old ? 'unread' : (copy?.problem ?? null);
      const accounts = problem === null || !decides ? (copy?.accounts ?? []) : [];
      members.set(group, accounts);
      userGroups.set(group, {
        target: copy?.target == null ? null : groupNamed(copy.target),
        shown: copy?.handle ?? (group.startsWith('@') ? group : groupNamed(group)),
        problem:
          key !== null && copy === undefined
            ? 'unread'
            : (problem ?? (accounts.length === 0 ? 'empty' : null)),
      });
    }
    return { members, userGroups, stale };
  };
}

/** @param age `any` includes groups that don't count now */
export async function readGroupNames(
  db: Queryable,
  grouping: Grouping = noGroups,
  names: string[],
  age: 'fresh' | 'any' = 'fresh',
): Promise<string[]> {
  const signsIn = Object.keys(grouping.providers).length > 0;
  const signedIn = signsIn ? await readSignedIn(db, names) : [];
  const groups = groupsOf(grouping, { names, signedIn }, age);
  const spellings = new Set([...groups, ...groups.map((group) => shortName(grouping, group))]);
  return [...[...spellings].map(groupNamed), ...(await readUserGroupsOf(db, names, age))];
}

/** A group smaller than `least` also stays as a name nobody has, so that fewer people can't satisfy the rule. */
export function withMembers(names: string[], { members }: Groups, least = 1): string[] {
  const people = names.flatMap((name) => {
    const group = groupIn(name);
    return group === null ? [name] : (members.get(group) ?? []);
  });
  const distinct = [...new Set(people)];
  return distinct.length >= least
    ? distinct
    : [...distinct, ...names.filter((name) => groupIn(name) !== null)];
}

export function openPolicy(policy: ApproverPolicy, groups: Groups): ApproverPolicy {
  if (groups.members.size === 0 || !('people' in policy)) return policy;
  const least = policy.kind === 'n_of' ? policy.n : 1;
  return { ...policy, people: withMembers(policy.people, groups, least) };
}

export function showGroups({ userGroups }: Groups): [string, string][] {
  return [...userGroups].flatMap(([group, { target, shown }]) =>
    [groupNamed(group), target ?? groupNamed(group)].map((name): [string, string] => [name, shown]),
  );
}

/** Shown instead of members whom no rule names. */
export function groupMembers(
  names: string[],
  { members, userGroups }: Groups,
): Map<string, string> {
  const named = new Set(names);
  return new Map(
    [...userGroups].flatMap(([group, { target }]) =>
      (members.get(group) ?? [])
        .filter((member) => !named.has(member))
        .map((member): [string, string] => [member, target ?? groupNamed(group)]),
    ),
  );
}

type Deciding = Pick<PlansContext, 'approvers' | 'guardedApprovers' | 'grouping' | 'userGroups'>;

/** For a plan or, without rules of its own, a session. */
export async function refreshUserGroups(
  { approvers, guardedApprovers, grouping, userGroups }: Deciding,
  { tenant, approver_policy: own }: { tenant: string | null; approver_policy?: ApproverPolicy },
): Promise<void> {
  if (userGroups === undefined) return;
  const rules =
    own === undefined ? [] : rulesOf(own, Object.keys(guardedApprovers), guardedApprovers);
  const named = rules.flatMap(({ policy }) => ('people' in policy ? policy.people : []));
  const groups = userGroupsIn([...approvers, ...named], grouping);
  const keys = groups.flatMap((group) => userGroupKey(group, tenant) ?? []);
  if (keys.length > 0) await userGroups.refresh(keys);
}

type Present = (conversation: string, users: string[]) => Set<string>;

/** Wrote in each conversation under any name. */
export async function findPresent(
  db: Queryable,
  asked: { conversation: string; users: string[] }[],
  same: Map<string, string>,
): Promise<Present> {
  const personOf = (user: string) => same.get(user) ?? user;
  const users = asked.flatMap((one) => one.users);
  const names = await readNamesOf(db, [...new Set(users.map(personOf))]);
  const speakers = await findSpeakers(
    db,
    [...new Set(asked.map(({ conversation }) => conversation))],
    names.map(({ name }) => personKey(name)),
  );
  return (conversation, users) => {
    const persons = new Set(users.map(personOf));
    const spoke = speakers.get(conversation);
    return new Set(
      names.flatMap(({ name, person }) =>
        persons.has(person) && spoke?.has(personKey(name)) === true ? [person] : [],
      ),
    );
  };
}
