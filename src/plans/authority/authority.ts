// Decides who may decide about a plan; never a model.
import type { Queryable } from '#db/database.ts';
import { type FormerLink, readLinks, readTenantsOf } from '#db/people/identities.ts';
import { type PlanRow, readAskedAt, readGivenWithRole, readVerified } from '#db/plans/plans.ts';
import { CountersignError } from '#domain/errors.ts';
import { type Actor, isVerified } from '#domain/people/actor.ts';
import { isSamePerson, needsPlatform } from '#domain/people/names.ts';
import { hasRole, signInAgain } from '#domain/people/principal.ts';
import { listOf } from '#domain/words.ts';
import type { PlansContext } from '../plans-context.ts';
import {
  counts,
  isAmong,
  isGuest,
  isSatisfied,
  judge,
  needsVouching,
  type People,
  personIn,
  type Rule,
  type RuleState,
  rulesOf,
  wasAmong,
} from './approver-rules.ts';
import {
  describeAllMissing,
  describeUserGroups,
  describeVouching,
  namesShown,
} from './approver-words.ts';
import {
  findPresent,
  type Groups,
  groupMembers,
  namesUserGroups,
  openPolicy,
  readGroups,
  showGroups,
  withMembers,
} from './members.ts';
import { type Blocking, readLostRoles, readRefusals } from './refused.ts';

export type Asked = Pick<
  PlanRow,
  | 'id'
  | 'version'
  | 'requester'
  | 'requester_verified'
  | 'approver_policy'
  | 'conversation'
  | 'tools_required'
>;
export type Configured = Pick<
  PlansContext,
  'approvers' | 'guardedApprovers' | 'grouping' | 'identity'
>;
export type Authority = { rules: Rule[]; people: People; groups: Groups };

function namesIn(rules: Rule[]): string[] {
  return rules.flatMap(({ policy }) => ('people' in policy ? policy.people : []));
}

/**
 * `actor` decides now, with this request's identity; `viewer` only reads. `operations`, `version`: if not the whole current plan.
 */
export type Question = {
  plan: Asked;
  approved?: string[];
  actor?: Actor;
  viewer?: string;
  operations?: string[];
  version?: number;
};

const usersOf = ({ approved = [], actor, viewer }: Question): string[] => [
  ...approved,
  ...(actor === undefined ? [] : [actor.id]),
  ...(viewer === undefined ? [] : [viewer]),
];

/** Earlier approvers as of their approval, viewers by name. */
function judgeVouched(
  { actor, viewer }: Question,
  before: ReadonlySet<string>,
  same: ReadonlyMap<string, string>,
): People['vouched'] {
  const now = [
    ...(actor !== undefined && isVerified(actor) ? [actor.id] : []),
    ...(viewer !== undefined && needsPlatform(viewer) ? [viewer] : []),
  ];
  const all = [...before, ...now].map((name) => personIn({ same }, name));
  return (person) => all.some((one) => isSamePerson(one, person));
}

function findGuests({ actor }: Question, same: ReadonlyMap<string, string>): Set<string> {
  return new Set(actor?.guest === true ? [personIn({ same }, actor.id)] : []);
}

const asksWhoIsHere = (rules: Rule[]) => rules.some(({ policy }) => policy.kind === 'anyone');

/** Maps people who were one at the request to the first by name. */
function groupFormer(links: FormerLink[], askedAt: Date): Map<string, string> {
  const groups = new Map<string, Set<string>>();
  for (const { names, ended_at } of links) {
    if (new Date(ended_at) <= askedAt) continue;
    const group = new Set(names.flatMap((name) => [...(groups.get(name) ?? [name])]));
    for (const name of group) groups.set(name, group);
  }
  return new Map([...groups].map(([name, group]) => [name, [...group].sort()[0] ?? name]));
}

/** Except the acting person. */
async function findLostRoles(
  db: Queryable,
  blocking: Blocking,
  questions: Question[],
): Promise<(question: Question) => [string, 'role_lost'][]> {
  const versions = questions.flatMap(
    ({ plan: { id, version }, version: of = version, approved }) =>
      approved === undefined || approved.length === 0 ? [] : [{ id, version: of }],
  );
  const given = await readGivenWithRole(db, versions);
  const persons = [...given.values()].flatMap((those) => [...those]);
  const lost = await readLostRoles(db, blocking, persons);
  return ({ plan, actor }) =>
    [...(given.get(plan.id) ?? [])]
      .filter((one) => lost.has(one) && one !== actor?.id)
      .map((one) => [one, 'role_lost']);
}

/** Plans share an empty map that nothing is added to. */
const addTo = <Key, Value>(
  map: ReadonlyMap<Key, Value>,
  more: (readonly [Key, Value])[],
): ReadonlyMap<Key, Value> => (more.length === 0 ? map : new Map([...map, ...more]));

/** In order, with a fixed number of statements. */
export async function readAuthorities(
  db: Queryable,
  { approvers, guardedApprovers, grouping, identity }: Configured,
  questions: Question[],
): Promise<Authority[]> {
  const raw = questions.map((question) => {
    const { plan, operations = plan.tools_required } = question;
    return { question, rules: rulesOf(plan.approver_policy, operations, guardedApprovers) };
  });
  const written = [...approvers, ...raw.flatMap(({ rules }) => namesIn(rules))];
  const tenants = namesUserGroups(written, grouping)
    ? await readTenantsOf(
        db,
        questions.map(({ plan }) => plan.id),
      )
    : new Map<string, string>();
  const tenantOf = ({ id }: Asked) => tenants.get(id) ?? null;
  const all = questions.map(({ plan }) => tenantOf(plan));
  const groupsFor = await readGroups(db, grouping, written, all);
  const read = raw.map(({ question, rules: own }) => {
    const { plan, version = plan.version } = question;
    const groups = groupsFor(tenantOf(plan), question.actor !== undefined, question.approved ?? []);
    const configured = withMembers(approvers, groups);
    const rules = own.map((rule) => ({ ...rule, policy: openPolicy(rule.policy, groups) }));
    const named = [plan.requester, ...approvers, ...namesIn(own)];
    return { question, plan, version, users: usersOf(question), rules, configured, named, groups };
  });
  const names = read.flatMap(({ plan, users, rules, configured }) => [
    plan.requester,
    ...configured,
    ...namesIn(rules),
    ...users,
  ]);
  const { same, shown, links } = await readLinks(db, [...new Set(names)]);
  const asking = [...new Set(read.flatMap(({ users }) => users))];
  const refused = await readRefusals(
    db,
    { identity, grouping },
    asking.map((name) => personIn({ same }, name)),
  );
  const ids = read.map(({ plan }) => plan.id);
  const strict = read.filter(({ rules }) => rules.some(({ policy }) => needsVouching(policy)));
  const versions = strict.flatMap(({ question: { approved }, plan: { id }, version }) =>
    approved?.length === 0 ? [] : [{ id, version }],
  );
  const vouched = await readVerified(db, versions);
  const lostIn = await findLostRoles(db, { identity, grouping }, questions);
  const askedAt = links.length === 0 ? new Map<string, Date>() : await readAskedAt(db, ids);
  const open = read.flatMap(({ plan: { conversation }, users, rules }) =>
    conversation !== null && asksWhoIsHere(rules) ? [{ conversation, users }] : [],
  );
  const present = open.length === 0 ? null : await findPresent(db, open, same);
  const knownOf = ({ plan: { conversation }, users, rules }: (typeof read)[number]) => {
    if (conversation === null) return null;
    if (present === null || !asksWhoIsHere(rules)) return new Set<string>();
    return present(conversation, users);
  };
  return read.map((one) => ({
    groups: one.groups,
    rules: one.rules,
    people: {
      requester: one.plan.requester,
      configured: one.configured,
      known: knownOf(one),
      same,
      shown: addTo(shown, showGroups(one.groups)),
      groups: groupMembers(one.named, one.groups),
      // Not stored yet, so without a request time.
      former: groupFormer(links, askedAt.get(one.plan.id) ?? new Date(0)),
      vouched: judgeVouched(one.question, vouched.get(one.plan.id) ?? new Set(), same),
      requesterVouched: one.plan.requester_verified,
      refused: addTo<string, unknown>(refused, lostIn(one.question)),
      guests: findGuests(one.question, same),
    },
  }));
}

/** People belong to the plan's conversation once they have written there; the requester and configured approvers always do. */
export async function readAuthority(
  db: Queryable,
  context: Configured,
  question: Question,
): Promise<Authority> {
  const [authority] = await readAuthorities(db, context, [question]);
  if (authority === undefined) throw new Error('readAuthority: nothing was read');
  return authority;
}

const joinSentences = (sentences: string[]) =>
  sentences.map((words) => (words === '' ? '' : ` ${words}`)).join('');

export function isApprover(
  { rules, people }: Pick<Authority, 'rules' | 'people'>,
  user: string,
): boolean {
  return rules.some(({ policy }) => counts(policy, people, user));
}

/** Open rules that count `user` and none of their former identities. */
function findHelped({ people }: Authority, open: RuleState[], user: string): RuleState[] {
  return open.filter(
    ({ rule, given }) => counts(rule.policy, people, user) && !wasAmong(people, given, user),
  );
}

export function mayApproveNow(authority: Authority, approved: string[], user: string): boolean {
  const states = judge(authority.rules, authority.people, approved);
  const open = states.filter((state) => !isSatisfied(state));
  return findHelped(authority, open, user).length > 0;
}

/** @throws `not_allowed` */
export function requirePerson(actor: Actor): void {
  if (actor.kind === 'person') return;
  throw new CountersignError(
    'not_allowed',
    'Only a person can decide about a plan. It is still waiting for one.',
  );
}

/** Roles restrict the rules; chats give none. @throws `not_allowed` */
function requireDecider({ role, stale }: Actor): void {
  if (role === undefined || hasRole(role, 'approver')) return;
  throw new CountersignError(
    'not_allowed',
    `You are signed in as a ${role}, and this needs the role approver.${signInAgain({ stale }) || ' Ask an admin for it.'}`,
  );
}

function describeApprovers({ rules, people }: Authority): string {
  return describeAllMissing(judge(rules, people, []), people);
}

/** @throws `not_allowed` unless a rule counts the person */
export function requireApprover(authority: Authority, actor: Actor): void {
  requirePerson(actor);
  requireDecider(actor);
  if (isApprover(authority, actor.id)) return;
  throw new CountersignError(
    'not_allowed',
    `Only ${describeApprovers(authority)} can approve this.${describeStranger(authority, actor)}${describeSetup(authority)}`,
  );
}

/** How to satisfy them, and why chat groups don't count. */
function describeSetup({ rules, people, groups }: Authority, approved: string[] = []): string {
  const vouching = describeVouching(judge(rules, people, approved), people);
  return joinSentences([vouching, ...describeUserGroups(groups.userGroups)]);
}

function describeStranger({ rules, people, groups }: Authority, { id }: Actor): string {
  const namesNobody = rules.some(
    ({ policy: { kind } }) => kind === 'anyone' || kind === 'not_requester',
  );
  if (isGuest(people, id) && namesNobody)
    return ' Guests and people of other organisations count only if a rule names them.';
  if (groups.stale.has(personIn(people, id))) return signInAgain({ stale: true });
  const stranger = people.known !== null && asksWhoIsHere(rules);
  return stranger ? ' You have not written there yet.' : '';
}

/** Includes the actor. @throws `not_allowed` if no open rule counts them */
export function requireUseful(authority: Authority, before: string[], actor: Actor): RuleState[] {
  requireDecider(actor);
  const { rules, people } = authority;
  const open = judge(rules, people, before).filter((state) => !isSatisfied(state));
  const helped = findHelped(authority, open, actor.id);
  if (open.length > 0 && helped.length === 0 && !isAmong(people, before, actor.id)) {
    const former = before.filter((name) => wasAmong(people, [name], actor.id));
    const why =
      former.length === 0
        ? `Everything you can approve is already approved${before.length === 0 ? '' : ` (${listOf(namesShown(people, before))})`}.`
        : `You and ${listOf(namesShown(people, former))} were linked accounts when this plan was requested, so you count as one approver.`;
    throw new CountersignError(
      'not_allowed',
      `${why} It still needs ${describeAllMissing(open, people)}.${describeSetup(authority, before)}`,
    );
  }
  return judge(rules, people, [...before, actor.id]);
}

export function mayManage({ rules, people }: Authority, user: string): boolean {
  if (isAmong(people, [people.requester], user)) return true;
  // Stopping and resuming take one person, so unverified names count.
  return isApprover({ rules, people: { ...people, vouched: () => true } }, user);
}

/** Requester and approvers may cancel, pause, resume, retry and refuse. @throws `not_allowed` */
export async function requireManager(
  db: Queryable,
  context: Configured,
  plan: Asked,
  actor: Actor,
): Promise<void> {
  requirePerson(actor);
  const authority = await readAuthority(db, context, { plan, actor });
  if (!isAmong(authority.people, [plan.requester], actor.id)) requireDecider(actor);
  if (mayManage(authority, actor.id)) return;
  const others = describeApprovers(authority);
  const asked = namesShown(authority.people, [plan.requester]);
  throw new CountersignError(
    'not_allowed',
    `Only ${listOf([...new Set([...asked, others])], 'or')} can decide about this plan.${joinSentences(describeUserGroups(authority.groups.userGroups))}`,
  );
}

/** Whether {@link requireManager} passes. */
export async function isManager(...asked: Parameters<typeof requireManager>): Promise<boolean> {
  try {
    await requireManager(...asked);
    return true;
  } catch (error) {
    if (error instanceof CountersignError && error.code === 'not_allowed') return false;
    throw error;
  }
}

/** An operation's own rule is its last. */
function confirmersOf(
  { guardedApprovers }: Configured,
  { approver_policy: own }: Pick<Asked, 'approver_policy'>,
  operations: string[],
): Rule[] {
  return operations.flatMap((operation) => rulesOf(own, [operation], guardedApprovers).slice(-1));
}

export function mayConfirm(
  configured: Configured,
  plan: Pick<Asked, 'approver_policy'>,
  operation: string,
  { people, groups }: Authority,
  user: string,
): boolean {
  return confirmersOf(configured, plan, [operation]).every(({ policy }) =>
    counts(openPolicy(policy, groups), people, user),
  );
}

/** By one person of the operations' rules or, without any, the plan's own. @throws `not_allowed` */
export async function requireConfirmer(
  db: Queryable,
  context: Configured,
  plan: Asked,
  operations: string[],
  actor: Actor,
): Promise<void> {
  requirePerson(actor);
  requireDecider(actor);
  const authority = await readAuthority(db, context, { plan, actor, operations });
  // An earlier approval didn't cover these values, so it doesn't verify the actor.
  const people: People = { ...authority.people, vouched: () => isVerified(actor) };
  const missing = confirmersOf(context, plan, operations)
    .map((rule) => ({ ...rule, policy: openPolicy(rule.policy, authority.groups) }))
    .filter(({ policy }) => !counts(policy, people, actor.id))
    .map((rule) => ({ rule, needed: 1, given: [] }));
  if (missing.length === 0) return;
  throw new CountersignError(
    'not_allowed',
    `Only ${describeAllMissing(missing, people)} can confirm these values.${joinSentences(describeUserGroups(authority.groups.userGroups))}`,
  );
}
