// Finds approval rules that can't be met.
import type { Queryable } from '#db/database.ts';
import { readLinks } from '#db/people/identities.ts';
import { countUnreadGroups } from '#db/people/sign-ins.ts';
import { type Grouping, groupIn, providerOfGroup, resolveGroup } from '#domain/people/groups.ts';
import { needsPlatform } from '#domain/people/names.ts';
import type { ApproverPolicy } from '#domain/plan/plan.ts';
import type { CheckResult } from '#domain/settings-view.ts';
import { countOf, listOf } from '#domain/words.ts';
import { needsVouching, personsIn } from '#plans/authority/approver-rules.ts';
import { openPolicy, readGroups } from '#plans/authority/members.ts';
import type { Config } from '../config.ts';
import { brokenCheck } from './results.ts';

/** Typed names prove nothing and don't count. */
async function countMissing(
  db: Queryable,
  grouping: Grouping,
  policy: ApproverPolicy,
): Promise<number> {
  if (!('people' in policy)) return 0;
  const groups = (await readGroups(db, grouping, policy.people, [null]))(null, false);
  // User groups are looked up at decision time.
  if (groups.userGroups.size > 0) return 0;
  const opened = openPolicy(policy, groups);
  const people = 'people' in opened ? opened.people : [];
  const named = people.filter(
    (name) => groupIn(name) === null && (!needsVouching(policy) || needsPlatform(name)),
  );
  const { same } = await readLinks(db, named);
  const needed = policy.kind === 'n_of' ? policy.n : 1;
  return Math.max(0, needed - personsIn({ same }, named).length);
}

export async function checkPeople({ settings, apart }: Config, db: Queryable) {
  const { groups, approvers, guardedApprovers, identity } = settings;
  const grouping: Grouping = { groups, providers: identity.providers, apart };
  const found: CheckResult[] = [];
  for (const [operation, policy] of Object.entries(guardedApprovers)) {
    const missing = await countMissing(db, grouping, policy);
    if (missing === 0) continue;
    found.push(
      brokenCheck(
        'Approvers',
        `guardedApprovers.${operation} can't be met: it lacks ${countOf(missing, 'approver')}.`,
        'Name people by their address or account, or have the members of its groups sign in once.',
      ),
    );
  }
  const named = [
    ...approvers,
    ...identity.blocked,
    ...Object.values(guardedApprovers).flatMap((policy) =>
      'people' in policy ? policy.people : [],
    ),
    ...Object.entries(identity.providers).flatMap(([provider, { roles }]) =>
      Object.values(roles)
        .flat()
        .map((name) =>
          groupIn(name) === null
            ? name
            : `group:${resolveGroup(grouping, groupIn(name) ?? '', provider)}`,
        ),
    ),
  ];
  for (const [provider, count] of await countUnreadGroups(db)) {
    const rules = named.filter((name) => {
      const group = resolveGroup(grouping, groupIn(name) ?? '');
      return (
        groupIn(name) !== null && group !== null && providerOfGroup(grouping, group) === provider
      );
    });
    if (rules.length === 0) continue;
    found.push(
      brokenCheck(
        `Sign-in ${provider}`,
        `It sent no groups for ${countOf(count, 'account')}, so ${listOf([...new Set(rules)])} can't be checked for them.`,
        `Have it send the claim "${identity.providers[provider]?.groups_claim}" as a list of groups.`,
      ),
    );
  }
  return found;
}
