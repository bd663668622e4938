// Approver rules over names. All must be satisfied. Pure.
import { groupIn } from '#domain/people/groups.ts';
import { isSamePerson, personKey } from '#domain/people/names.ts';
import type { ApproverPolicy } from '#domain/plan/plan.ts';

/** `operations`: empty for the plan's own rule. */
export type Rule = { policy: ApproverPolicy; operations: string[] };

export type People = {
  requester: string;
  configured: string[];
  /** Belong to the plan's conversation; null without one. */
  known: Set<string> | null;
  /** A person's several names to the person; omitted if no one has two. */
  same?: ReadonlyMap<string, string>;
  /** Person to the chat group that makes them an approver, unless a rule names them. */
  groups?: ReadonlyMap<string, string>;
  /** Display names; default: the name itself. */
  shown?: ReadonlyMap<string, string>;
  /** People who were one when the plan was requested, so that unlinking accounts adds no approver. */
  former?: ReadonlyMap<string, string>;
  /** Verified identity; a typed name never counts as a second person. */
  vouched: (person: string) => boolean;
  /** An unverified requester may be any of the approvers. */
  requesterVouched: boolean;
  refused?: ReadonlyMap<string, unknown>;
  guests?: ReadonlySet<string>;
};

/** Keeps one person from counting twice. */
export function personIn({ same }: Pick<People, 'same'>, name: string): string {
  return same?.get(name) ?? name;
}

export function isAmong(people: Pick<People, 'same'>, names: string[], user: string): boolean {
  const person = personIn(people, user);
  return names.some((name) => isSamePerson(personIn(people, name), person));
}

/** The name counted in rules about different people. */
function countedAs(people: Pick<People, 'same' | 'former'>, name: string): string {
  const person = personIn(people, name);
  return people.former?.get(person) ?? person;
}

/** Is `user`, or was when the plan was requested. */
export function wasAmong(
  people: Pick<People, 'same' | 'former'>,
  names: string[],
  user: string,
): boolean {
  const counted = countedAs(people, user);
  return names.some((name) => isSamePerson(countedAs(people, name), counted));
}

export function personsIn(people: Pick<People, 'same'>, names: string[]): string[] {
  const persons = names.map((name) => personIn(people, name));
  const once = new Map<string, string>();
  for (const person of persons)
    if (!once.has(personKey(person))) once.set(personKey(person), person);
  return [...once.values()];
}

export type RuleState = { rule: Rule; needed: number; given: string[] };

/** Policies that count the same people share a key. */
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

export function samePolicy(a: ApproverPolicy, b: ApproverPolicy): boolean {
  return keyOf(a) === keyOf(b);
}

const namesOf = (people: string[]): string[] => [...new Set(people.map(personKey))].sort();

/** The plan's own first; equal rules are one. */
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

/** An unverified requester may be one of two. */
function neededFor(policy: ApproverPolicy, people: Pick<People, 'requesterVouched'>): number {
  if (policy.kind === 'n_of') return policy.n;
  return policy.kind === 'not_requester' && !people.requesterVouched ? 2 : 1;
}

/** Policies about different people count only verified ones. */
export function needsVouching({ kind }: ApproverPolicy): boolean {
  return kind === 'n_of' || kind === 'not_requester';
}

export const isGuest = (people: Pick<People, 'same' | 'guests'>, user: string): boolean =>
  people.guests?.has(personIn(people, user)) === true;

export function counts(policy: ApproverPolicy, people: People, user: string): boolean {
  const { requester, configured, known, refused } = people;
  if (refused?.has(personIn(people, user))) return false;
  // A group that is too small stays in the list, but no user may match it by name.
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

/** Drops people who were one at the request. */
function differentIn(people: People, persons: string[]): string[] {
  return persons.filter((person, index) => !wasAmong(people, persons.slice(0, index), person));
}

export function judge(rules: Rule[], people: People, approved: string[]): RuleState[] {
  return rules.map((rule) => ({
    rule,
    needed: neededFor(rule.policy, people),
    given: differentIn(
      people,
      personsIn(people, approved).filter((user) => counts(rule.policy, people, user)),
    ),
  }));
}

export function isSatisfied({ needed, given }: RuleState): boolean {
  return given.length >= needed;
}

/** Null for anyone, or anyone but the requester. */
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

/** @param keys of their names and groups @param people as rules name them */
export function mayCount(
  rule: Rule,
  people: Pick<People, 'requester' | 'configured'>,
  keys: ReadonlySet<string>,
): boolean {
  const named = candidatesOf(rule, people);
  return named === null || named.some((name) => keys.has(personKey(name)));
}

/**
 * Including those given. Greedy: each next person counts for the most open rules; at most one above the minimum for few rules.
 */
export function approvalsThatSuffice(rules: Rule[], now: People, approved: string[]): number {
  // Future approvers are assumed to be verified.
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
    const open = judge(rules, people, given).filter((state) => !isSatisfied(state));
    if (open.length === 0) return given.length;
    let best: { user: string; n: number } | null = null;
    for (const user of all) {
      const n = open.filter(
        (one) => counts(one.rule.policy, people, user) && !wasAmong(people, one.given, user),
      ).length;
      if (n > (best?.n ?? 0)) best = { user, n };
    }
    // The remaining rules name no one in particular.
    if (best === null) return given.length + 1;
    given.push(best.user);
  }
}
