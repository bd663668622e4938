// Describes who may approve.
import { needsPlatform } from '#domain/people/names.ts';
import { maxUserGroup } from '#domain/people/user-groups.ts';
import { quoteName } from '#domain/shown-text.ts';
import { listOf } from '#domain/words.ts';
import {
  isAmong,
  isSatisfied,
  needsVouching,
  type People,
  personsIn,
  type Rule,
  type RuleState,
} from './approver-rules.ts';
import type { UserGroupState } from './members.ts';

const maxNames = 8;

export function namesShown({ shown }: Pick<People, 'shown'>, names: string[]): string[] {
  return names.map((name) => quoteName(shown?.get(name) ?? name, 120));
}

function someOf(names: string[], word: 'and' | 'or'): string {
  const distinct = [...new Set(names)];
  const hidden = distinct.length - maxNames;
  if (hidden < 2) return listOf(distinct, word);
  return listOf([...distinct.slice(0, maxNames), `${hidden} more`], word);
}

/** Group members appear as the group, such as `@finance`. */
function candidatesShown(people: Pick<People, 'shown' | 'groups'>, names: string[]): string[] {
  return namesShown(
    people,
    names.map((name) => people.groups?.get(name) ?? name),
  );
}

/** `ben`, `one of ben or cleo`, `ben and cleo`, `2 of @finance`. */
function pickOf(people: Pick<People, 'shown' | 'groups'>, n: number, names: string[]): string {
  const count = new Set(namesShown(people, names)).size;
  const distinct = [...new Set(candidatesShown(people, names))];
  // All its names became one person since.
  if (count === 0) return 'someone its rule does not name';
  if (count <= n) return someOf(distinct, 'and');
  return n === 1 ? `one of ${someOf(distinct, 'or')}` : `${n} of ${someOf(distinct, 'and')}`;
}

function describeOthers(people: People, missing: number): string {
  const { requester, configured, same = new Map() } = people;
  const asked = namesShown(people, [requester]).join();
  if (configured.length === 0) return missing > 1 ? 'two people' : `anyone but ${asked}`;
  const others = configured.filter((name) => !isAmong({ same }, [requester], name));
  return others.length === 0
    ? `a configured approver other than ${asked}`
    : missing > 1
      ? pickOf(people, missing, others)
      : someOf(candidatesShown(people, others), 'or');
}

function describeWhom({ policy }: Rule, people: People, needed: number, given: string[]): string {
  switch (policy.kind) {
    case 'requester':
      return someOf(candidatesShown(people, [people.requester, ...people.configured]), 'or');
    case 'anyone':
      return people.known === null ? 'anyone' : 'someone in this conversation';
    case 'named':
      return someOf(candidatesShown(people, policy.people), 'or');
    case 'n_of':
      return pickOf(
        people,
        needed - given.length,
        policy.people.filter((name) => !isAmong(people, given, name)),
      );
    case 'not_requester':
      return describeOthers(people, needed - given.length);
    default:
      return policy satisfies never;
  }
}

function forOperations({ operations }: Rule): string {
  return operations.length === 0 ? '' : ` for ${someOf(operations, 'and')}`;
}

/** `one of ben or cleo for http_request`. */
export function describeMissing({ rule, needed, given }: RuleState, people: People): string {
  return `${describeWhom(rule, people, needed, given)}${forOperations(rule)}`;
}

/** For all open rules; empty if none. */
export function describeAllMissing(states: RuleState[], people: People): string {
  const missing = states
    .filter((state) => !isSatisfied(state))
    .map((state) => describeMissing(state, people));
  // Nested lists need a stronger separator.
  return missing.join(missing.some((words) => / (or|and|for) /.test(words)) ? ', and ' : ' and ');
}

function describeProblem(shown: string, problem: UserGroupState['problem']): string {
  switch (problem) {
    case null:
      return '';
    case 'empty':
      return `Nobody is in ${shown} in Slack.`;
    case 'missing':
      return `${shown} is no user group of this Slack workspace: it was deleted, renamed or never there.`;
    case 'disabled':
      return `${shown} is disabled in Slack.`;
    case 'too_large':
      return `${shown} has more than ${maxUserGroup} members in Slack, too many for a group that approves.`;
    case 'not_permitted':
      return `Countersign may not see who is in ${shown}: install the Slack app again with the scope usergroups:read.`;
    case 'not_offered':
      return `This Slack workspace has no user groups, so nobody is in ${shown}.`;
    case 'elsewhere':
      return `${shown} is a user group of another Slack workspace.`;
    case 'unread':
      return `Slack has not said who is in ${shown} now. Try again in a minute.`;
    default:
      return problem satisfies never;
  }
}

/** Why their members don't count, one sentence per group. */
export function describeUserGroups(groups: ReadonlyMap<string, UserGroupState>): string[] {
  return [...groups.values()].flatMap(({ shown, problem }) =>
    problem === null ? [] : [describeProblem(shown, problem)],
  );
}

/** Null if the rule names no one. */
function countable({ policy }: Rule, people: People): string[] | null {
  const names = 'people' in policy ? policy.people : people.configured;
  if (names.length === 0) return null;
  const can = (person: string) => needsPlatform(person) || people.vouched(person);
  return personsIn(people, names).filter(can);
}

/** Open rules about different people, and how to make them satisfiable. */
export function describeVouching(states: RuleState[], people: People): string {
  const open = states.filter((one) => !isSatisfied(one) && needsVouching(one.rule.policy));
  const [first] = open;
  if (first === undefined) return '';
  const most = Math.max(...open.map(({ needed }) => needed));
  const who = most === 1 ? 'somebody' : `${most === 2 ? 'two' : most} people`;
  const impossible = open.some(({ rule, needed }) => {
    const all = countable(rule, people);
    return all !== null && all.length < needed;
  });
  const rule = `This rule needs ${who} who signed in, or ${most === 1 ? 'is' : 'are'} known from Slack or Teams`;
  return impossible
    ? `${rule}, and names too few of them: name people by their address or account there, see docs/approvals.md.`
    : `${rule}; a typed name proves nothing. Without a sign-in, Slack or Teams, set one up, see docs/approvals.md.`;
}
