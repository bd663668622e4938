// Groups in approver rules: members stand in the place of their group whenever a rule is read, so that everything else knows people only.
import type { Queryable } from '#db/database.ts';
import { readAccountsInGroups, readGroupsOfAccounts } from '#db/signed-in-groups.ts';
import { type Grouping, groupIn, groupNamed, groupsOf } from '#domain/people/groups.ts';
import type { ApproverPolicy } from '#domain/plan/plan.ts';

/** Names of the people in each group that `readMembers` was asked for, by the group's name. */
export type Members = ReadonlyMap<string, string[]>;

const noGroups: Grouping = { groups: {}, apart: false };

/**
 * Who is in the groups among `names`: by the configuration, or else by what a provider said at each one's last sign-in.
 * @param names of people and groups, as rules have them
 */
export async function readMembers(
  db: Queryable,
  { groups, apart }: Grouping = noGroups,
  names: string[],
): Promise<Members> {
  const wanted = [...new Set(names.flatMap((name) => groupIn(name) ?? []))];
  if (wanted.length === 0) return new Map();
  const others = wanted.filter((name) => !Object.hasOwn(groups, name));
  const said = others.length === 0 ? new Map() : await readAccountsInGroups(db, others, apart);
  return new Map(wanted.map((name) => [name, groups[name] ?? said.get(name) ?? []]));
}

/** The groups of somebody with these names, as rules call them. */
export async function readGroupNames(
  db: Queryable,
  grouping: Grouping = noGroups,
  names: string[],
): Promise<string[]> {
  const said = await readGroupsOfAccounts(db, names);
  // Groups of one person are of one organisation, unless their accounts are linked across two.
  const tenants = new Set(['', ...said.map(({ tenant }) => tenant ?? '')]);
  const groups = [...tenants].flatMap((tenant) =>
    groupsOf(grouping, {
      names,
      groups: said.filter((one) => (one.tenant ?? '') === tenant).map(({ group }) => group),
      tenant,
    }),
  );
  return [...new Set(groups)].map(groupNamed);
}

/**
 * `names` with the members of each group in its place. A group of too few stays in the list too: it is nobody's name, so a rule that
 * asks for more people than it has is never met by fewer.
 * @param least how many people the rule asks for
 */
export function withMembers(names: string[], members: Members, least = 1): string[] {
  const people = names.flatMap((name) => {
    const group = groupIn(name);
    return group === null ? [name] : (members.get(group) ?? []);
  });
  const distinct = [...new Set(people)];
  return distinct.length >= least
    ? distinct
    : [...distinct, ...names.filter((name) => groupIn(name) !== null)];
}

/** A policy with the members of its groups. */
export function openPolicy(policy: ApproverPolicy, members: Members): ApproverPolicy {
  if (members.size === 0 || !('people' in policy)) return policy;
  const least = policy.kind === 'n_of' ? policy.n : 1;
  return { ...policy, people: withMembers(policy.people, members, least) };
}
