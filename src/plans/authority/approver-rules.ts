// Approver rules over names: the plan's own and those of its guarded operations. Pure. All rules must be satisfied; one person
// may count for several.
import { groupIn } from '#domain/people/groups.ts';
import { isSamePerson, personKey } from '#domain/people/names.ts';
import type { ApproverPolicy } from '#domain/plan/plan.ts';

/** `operations`: those that require the rule; empty for the plan's own rule. */
export type Rule = { policy: ApproverPolicy; operations: string[] };

/** The facts that a plan's rules are evaluated against. */
export type People = {
  requester: string;
  /** Approvers from the configuration. */
  configured: string[];
  /** The people asked about who belong to the plan's conversation, or null if there is no conversation. */
  known: Set<string> | null;
  /** Maps each of a person's several names to the person. Omitted if no one has two names. */
  same?: ReadonlyMap<string, string>;
  /** Maps a person to the chat user group through which they are an approver, unless a rule names them directly. */
  groups?: ReadonlyMap<string, string>;
  /** Maps a name to the name that readers see. A missing entry shows the name itself. */
  shown?: ReadonlyMap<string, string>;
  /**
   * Maps persons who were one when the plan was requested to a common name, which rules about different people count. Unlinking
   * accounts thus adds no approver.
   */
  former?: ReadonlyMap<string, string>;
  /** Whether the person's identity is verified. A typed name never counts as a second person. */
  vouched: (person: string) => boolean;
  /** Whether the requester's identity is verified; a requester with a typed name may be any of the approvers. */
  requesterVouched: boolean;
  /** Blocked people, whose approvals don't count. */
  refused?: ReadonlyMap<string, unknown>;
  /** Persons who are guests in this chat. */
  guests?: ReadonlySet<string>;
};

/** The person behind a name. Comparing persons instead of names keeps one person from counting twice. */
export function personIn({ same }: Pick<People, 'same'>, name: string): string {
  return same?.get(name) ?? name;
}

export function isAmong(people: Pick<People, 'same'>, names: string[], user: string): boolean {
  const person = personIn(people, user);
  return names.some((name) => isSamePerson(personIn(people, name), person));
}

/** The name a person counts under in rules about different people. */
function countedAs(people: Pick<People, 'same' | 'former'>, name: string): string {
  const person = personIn(people, name);
  return people.former?.get(person) ?? person;
}

/** Whether one of `names` is `user`, or was when the plan was requested. */
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

/** Policies that count the same people the same way share a key. */
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

/** How many different people a policy needs. If the requester is unverified, one of two people may be the requester. */
function neededFor(policy: ApproverPolicy, people: Pick<People, 'requesterVouched'>): number {
  if (policy.kind === 'n_of') return policy.n;
  return policy.kind === 'not_requester' && !people.requesterVouched ? 2 : 1;
}

/** Whether a policy requires different people, in which case it only counts verified ones. */
export function needsVouching({ kind }: ApproverPolicy): boolean {
  return kind === 'n_of' || kind === 'not_requester';
}

export const isGuest = (people: Pick<People, 'same' | 'guests'>, user: string): boolean =>
  people.guests?.has(personIn(people, user)) === true;

/** Whether an approval by `user` counts for `policy`. */
export function counts(policy: ApproverPolicy, people: People, user: string): boolean {
  const { requester, configured, known, refused } = people;
  if (refused?.has(personIn(people, user))) return false;
  // A group that is too small remains in the list; a user must not match it by name.
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

/** Keeps only the first of persons who were one when the plan was requested. */
function differentIn(people: People, persons: string[]): string[] {
  return persons.filter((person, index) => !wasAmong(people, persons.slice(0, index), person));
}

/** The state of each rule once `approved` have approved. */
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

/** The people a rule names, or null if it counts anyone or anyone but the requester. */
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
 * How many approvals suffice, including those given. Greedy: each next one is by the person who counts for the most open rules.
 * (The minimum is a covering problem; for the few rules of a plan this finds it or is one above.)
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
    // The remaining rules name no one: any participant, or anyone but the requester.
    if (best === null) return given.length + 1;
    given.push(best.user);
  }
}
