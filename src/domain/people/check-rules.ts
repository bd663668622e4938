// Finds ambiguous or unsatisfiable rules in settings.
import type { ApproverPolicy } from '../plan/plan.ts';
import { countPeople, type Grouping, groupIn, providerOfGroup, resolveGroup } from './groups.ts';
import { type IdentitySettings, resolveProviders } from './identity.ts';

type Rules = {
  identity: IdentitySettings;
  groups: Record<string, string[]>;
  approvers: string[];
  guardedApprovers: Record<string, ApproverPolicy>;
};

export type RuleProblem = { path: string[]; message: string };

function checkGroups(
  grouping: Pick<Grouping, 'groups' | 'providers'>,
  path: string[],
  names: string[],
  { within, chats }: { within?: string; chats: boolean },
): RuleProblem[] {
  return names.flatMap((name) => {
    const group = groupIn(name);
    if (group === null || Object.hasOwn(grouping.groups, group)) return [];
    const meant = resolveGroup(grouping, group, within);
    if (meant === null && Object.keys(grouping.providers).length > 1)
      return [
        {
          path,
          message: `"${name}" could be a group of several providers. Write group:PROVIDER:${group}.`,
        },
      ];
    // May be a chat's group or wait for a provider.
    if (chats || (meant !== null && providerOfGroup(grouping, meant) !== null)) return [];
    const message = `"${name}" is no group of "groups" or of a sign-in provider. List its people in "groups".`;
    return [{ path, message }];
  });
}

function checkCount(rules: Rules, operation: string, policy: ApproverPolicy): RuleProblem[] {
  if (policy.kind !== 'n_of') return [];
  const count = countPeople(rules, policy.people);
  if (count === null || count >= policy.n) return [];
  const message = `needs ${policy.n} approvals and names ${count} different ${count === 1 ? 'person' : 'people'}. Name more people, or lower "n".`;
  return [{ path: ['guardedApprovers', operation], message }];
}

/** Would split people in two. */
function checkIssuers({ identity }: Rules): RuleProblem[] {
  const providers = resolveProviders(identity).filter(({ chat }) => chat === null);
  return providers.flatMap(({ name, issuer }, index) => {
    const href = (one: string) => new URL(one).href.replace(/\/$/, '');
    const twin = providers.slice(0, index).find((one) => href(one.issuer) === href(issuer));
    if (twin === undefined) return [];
    const message = `has the same issuer as "${twin.name}", so one person would count twice. Remove one of them.`;
    return [{ path: ['identity', 'providers', name], message }];
  });
}

export function checkRules(rules: Rules): RuleProblem[] {
  const { identity, groups, approvers, guardedApprovers } = rules;
  const { providers, blocked } = identity;
  const grouping = { groups, providers };
  const roles = Object.entries(providers).flatMap(([within, provider]) =>
    Object.entries(provider.roles).flatMap(([role, names]) => {
      const path = ['identity', 'providers', within, 'roles', role];
      return checkGroups(grouping, path, names, { within, chats: false });
    }),
  );
  const guards = Object.entries(guardedApprovers).flatMap(([operation, policy]) => [
    ...checkCount(rules, operation, policy),
    ...('people' in policy
      ? checkGroups(grouping, ['guardedApprovers', operation], policy.people, { chats: true })
      : []),
  ]);
  return [
    ...checkIssuers(rules),
    ...checkGroups(grouping, ['identity', 'blocked'], blocked, { chats: false }),
    ...checkGroups(grouping, ['approvers'], approvers, { chats: true }),
    ...roles,
    ...guards,
  ];
}
