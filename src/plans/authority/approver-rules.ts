// Approver rules over names: the plan's own and those of its guarded operations. Pure. All rules must be satisfied; one person may
// count for several.
import { groupIn } from '#domain/people/groups.ts';
import { isSamePerson, personKey } from '#domain/people/names.ts';
import type { ApproverPolicy } from '#domain/plan/plan.ts';

/** `operations`: those that ask for it; empty: the plan's own rule. */
export type Rule = { policy: ApproverPolicy; operations: string[] };

/** What the rules of one plan are read against. */
export type People = {
  requester: string;
  /** The approvers of the configuration. */
  configured: string[];
  /** Those who belong to the plan's conversation, of the people that are asked about; null: there is none. */
  known: Set<string> | null;
  /** Who stands behind a name that is one of several of a person; left out: nobody has two. */
  same?: ReadonlyMap<string, string>;
  /** The user group of a chat that somebody is among the approvers for, unless they are named themselves. */
  groups?: ReadonlyMap<string, string>;
  /** What readers are shown in the place of a name; left out, or of one that is not in it: the name. */
  shown?: ReadonlyMap<string, string>;
  /**
   * Of persons that were one when the plan was asked for, whom they all count as where different people are asked for: nobody
   * becomes two by an unlink. Left out: nobody was.
   */
  former?: ReadonlyMap<string, string>;
  /** Whether it is certain who this person is. A name that was typed is never a second person. */
  vouched: (person: string) => boolean;
  /** Whether it is certain who asked; a requester with a typed name may be any of those who approve. */
  requesterVouched: boolean;
  /** Blocked people, whose approvals don't count. Left out: none. */
  refused?: ReadonlyMap<string, unknown>;
  /** Persons who are guests in this chat. Left out: none. */
  guests?: ReadonlySet<string>;
};

/** The person behind a name. Names are compared by their persons, so that nobody counts twice and nobody is left out. */
export function personIn({ same }: Pick<People, 'same'>, name: string): string {
  return same?.get(name) ?? name;
}

/** Whether one of `names` is `user`. */
export function isAmong(people: Pick<People, 'same'>, names: string[], user: string): boolean {
  const person = personIn(people, user);
  return names.some((name) => isSamePerson(personIn(people, name), person));
}

/** Whom a name counts as where different people are asked for. */
function countedAs(people: Pick<People, 'same' | 'former'>, name: string): string {
  const person = personIn(people, name);
  return people.former?.get(person) ?? person;
}

/** Whether one of `names` is `user`, or was when the plan was asked for. */
export function wasAmong(
  people: Pick<People, 'same' | 'former'>,
  names: string[],
  user: string,
): boolean {
  const counted = countedAs(people, user);
  return names.some((name) => isSamePerson(countedAs(people, name), counted));
}

/** The persons behind `names`, each once. */
export function personsIn(people: Pick<People, 'same'>, names: string[]): string[] {
  const persons = names.map((name) => personIn(people, name));
  const once = new Map<string, string>();
  for (const person of persons)
    if (!once.has(personKey(person))) once.set(personKey(person), person);
  return [...once.values()];
}

/** A rule, and who of those it counts has approved. */
export type RuleStanding = { rule: Rule; needed: number; given: string[] };

/** Policies that count the same people the same way have one key. */
function keyOf(policy: ApproverPolicy): string {
  switch (policy.kind) {
    case 'named':
      return JSON.stringify([policy.kind, namesOf(policy.people)]);
    case 'n_of':
      return JSON.stringify([policy.kind, namesOf(policy.people), policy.n]);
    case 'requester':
      return policy.kind;
    case 'anyone':
    case 'not_requester':
      return policy.guests === true ? `${policy.kind} guests` : policy.kind;
    default:
      return policy satisfies never;
  }
}

/** Whether two policies ask for the same. */
export function samePolicy(a: ApproverPolicy, b: ApproverPolicy): boolean {
  return keyOf(a) === keyOf(b);
}

const namesOf = (people: string[]): string[] => [...new Set(people.map(personKey))].sort();

/** The plan's own rule, then those of `operations`; equal ones are one rule. */
export function rulesOf(
  own: ApproverPolicy,
  operations: string[],
  guarded: Record<string, ApproverPolicy>,
): Rule[] {
  const first: Rule = { policy: own, operations: [] };
  const rules = new Map([[keyOf(own), first]]);
  for (const operation of [...operations].sort()) {
    const policy = Object.hasOwn(guarded, operation) ? guarded[operation] : undefined;
    if (policy === undefined) continue;
    const key = keyOf(policy);
    const rule = rules.get(key);
    if (rule === undefined) rules.set(key, { policy, operations: [operation] });
    else if (rule !== first) rule.operations.push(operation);
  }
  return [...rules.values()];
}

/** How many different people a policy needs. If the requester is unknown, one of two people is not them. */
function neededFor(policy: ApproverPolicy, people: Pick<People, 'requesterVouched'>): number {
  if (policy.kind === 'n_of') return policy.n;
  return policy.kind === 'not_requester' && !people.requesterVouched ? 2 : 1;
}

/** Whether a policy is about different people, so that it counts only those whom a platform vouches for. */
export function needsVouching({ kind }: ApproverPolicy): boolean {
  return kind === 'n_of' || kind === 'not_requester';
}

export const isGuest = (people: Pick<People, 'same' | 'guests'>, user: string): boolean =>
  people.guests?.has(personIn(people, user)) === true;

/** Whether an approval by `user` counts for `policy`. */
export function counts(policy: ApproverPolicy, people: People, user: string): boolean {
  const { requester, configured, known, refused } = people;
  if (refused?.has(personIn(people, user))) return false;
  // A group that has too few members stands among them: nobody becomes it by its name.
  const among = (names: string[]) => groupIn(user) === null && isAmong(people, names, user);
  if (needsVouching(policy) && !people.vouched(personIn(people, user))) return false;
  const isOwn = ('guests' in policy && policy.guests === true) || !isGuest(people, user);
  switch (policy.kind) {
    case 'requester':
      return among([requester, ...configured]);
    case 'anyone':
      return (isOwn && (known === null || among([...known]))) || among([requester, ...configured]);
    case 'named':
    case 'n_of':
      return among(policy.people);
    case 'not_requester':
      return (
        !wasAmong(people, [requester], user) &&
        (configured.length === 0 ? isOwn : among(configured))
      );
    default:
      return policy satisfies never;
  }
}

/** Of those who were one when the plan was made the first. */
function differentIn(people: People, persons: string[]): string[] {
  return persons.filter((person, index) => !wasAmong(people, persons.slice(0, index), person));
}

/** How each rule stands once `approved` have approved. */
export function judge(rules: Rule[], people: People, approved: string[]): RuleStanding[] {
  return rules.map((rule) => ({
    rule,
    needed: neededFor(rule.policy, people),
    given: differentIn(
      people,
      personsIn(people, approved).filter((user) => counts(rule.policy, people, user)),
    ),
  }));
}

/** Whether a rule needs nobody any more. */
export function isSatisfied({ needed, given }: RuleStanding): boolean {
  return given.length >= needed;
}

/** The people a rule names beforehand; null where it counts anyone, or anyone but one. */
function candidatesOf(
  { policy }: Rule,
  people: Pick<People, 'requester' | 'configured'>,
): string[] | null {
  switch (policy.kind) {
    case 'requester':
      return [people.requester, ...people.configured];
    case 'named':
    case 'n_of':
      return policy.people;
    case 'not_requester':
      return people.configured.length === 0 ? null : people.configured;
    case 'anyone':
      return null;
    default:
      return policy satisfies never;
  }
}

/**
 * Whether a rule may count a person.
 * @param keys of their names and of those of their groups
 * @param people as rules name them
 */
export function mayCount(
  rule: Rule,
  people: Pick<People, 'requester' | 'configured'>,
  keys: ReadonlySet<string>,
): boolean {
  const named = candidatesOf(rule, people);
  return named === null || named.some((name) => keys.has(personKey(name)));
}

/**
 * How many approvals suffice, those given among them: each next one by the person who counts for most open rules.
 * (The least number is a covering problem; with the few rules of a plan this finds it or comes one above.)
 */
export function approvalsThatSuffice(rules: Rule[], now: People, approved: string[]): number {
  // Those who come yet are vouched for, where that is needed.
  const before = personsIn(now, approved);
  const people: People = {
    ...now,
    vouched: (person) => now.vouched(person) || !isAmong(now, before, person),
  };
  const all = personsIn(
    people,
    rules.flatMap((rule) => candidatesOf(rule, people) ?? []),
  );
  const given = personsIn(people, approved);
  for (;;) {
    const open = judge(rules, people, given).filter((standing) => !isSatisfied(standing));
    if (open.length === 0) return given.length;
    let best: { user: string; n: number } | null = null;
    for (const user of all) {
      const n = open.filter(
        (one) => counts(one.rule.policy, people, user) && !wasAmong(people, one.given, user),
      ).length;
      if (n > (best?.n ?? 0)) best = { user, n };
    }
    // Somebody none of the rules names: anybody in the conversation, or anybody but the requester.
    if (best === null) return given.length + 1;
    given.push(best.user);
  }
}
