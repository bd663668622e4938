// Who may decide about a plan. Checked here for every surface; a model never may.
// A plan moves when every rule is satisfied: its own, and that of each guarded operation it uses.
import type { Actor } from '#contracts/actor.ts';
import { CountersignError } from '#contracts/errors.ts';
import { listOf } from '#contracts/words.ts';
import type { Queryable } from '#store/database.ts';
import { readNamesOf, readPersons } from '#store/identities.ts';
import { findSpeakers } from '#store/messages.ts';
import type { PlanRow } from '#store/plans.ts';
import {
  counts,
  isAmong,
  isSatisfied,
  judge,
  type People,
  type Rule,
  type RuleStanding,
  rulesOf,
} from './approver-rules.ts';
import { describeAllMissing } from './approver-words.ts';
import type { PlansContext } from './plans-context.ts';

export type Asked = Pick<
  PlanRow,
  'requester' | 'approver_policy' | 'conversation' | 'tools_required'
>;
type Configured = Pick<PlansContext, 'approvers' | 'guardedApprovers'>;
export type Authority = { rules: Rule[]; people: People };

function namesIn(rules: Rule[]): string[] {
  return rules.flatMap(({ policy }) => ('people' in policy ? policy.people : []));
}

/** Those of `users` who have written in the conversation, under whatever name they had. */
async function findPresent(
  db: Queryable,
  conversation: string,
  users: string[],
  same: Map<string, string>,
): Promise<Set<string>> {
  const persons = users.map((user) => same.get(user) ?? user);
  const names = await readNamesOf(db, persons);
  const speakers = await findSpeakers(
    db,
    conversation,
    names.map(({ name }) => name),
  );
  return new Set(names.flatMap(({ name, person }) => (speakers.has(name) ? [person] : [])));
}

/**
 * The rules of a plan and what they are read against. Whoever is asked about (`users`) belongs to the plan's
 * conversation when they have written a message there; the requester and configured approvers always do.
 * @param operations those the approval is about, when it is not about the whole plan
 */
export async function readAuthority(
  db: Queryable,
  { approvers: configured, guardedApprovers }: Configured,
  plan: Asked,
  users: string[],
  operations: string[] = plan.tools_required,
): Promise<Authority> {
  const rules = rulesOf(plan.approver_policy, operations, guardedApprovers);
  const names = [plan.requester, ...configured, ...namesIn(rules), ...users];
  const same = await readPersons(db, names);
  const asksWhoIsHere = rules.some(({ policy }) => policy.kind === 'anyone');
  const known =
    plan.conversation === null
      ? null
      : asksWhoIsHere
        ? await findPresent(db, plan.conversation, users, same)
        : new Set<string>();
  return { rules, people: { requester: plan.requester, configured, known, same } };
}

/** Whether an approval by `user` can count for any rule at all. */
export function isApprover({ rules, people }: Authority, user: string): boolean {
  return rules.some(({ policy }) => counts(policy, people, user));
}

/** Whether an approval by `user` would bring the plan nearer to its start. */
export function mayApproveNow(
  { rules, people }: Authority,
  approved: string[],
  user: string,
): boolean {
  return (
    !isAmong(people, approved, user) &&
    judge(rules, people, approved).some(
      (standing) => !isSatisfied(standing) && counts(standing.rule.policy, people, user),
    )
  );
}

/** @throws `not_allowed` unless a person decides */
export function requirePerson(actor: Actor): void {
  if (actor.kind === 'person') return;
  throw new CountersignError(
    'not_allowed',
    'Only a person can decide about a plan. The question stays open for one.',
  );
}

/** Whom the rules ask for when nobody has approved, in words. */
function describeApprovers({ rules, people }: Authority): string {
  return describeAllMissing(judge(rules, people, []), people);
}

/** @throws `not_allowed` unless `actor` is a person whom at least one rule counts */
export function requireApprover(authority: Authority, actor: Actor): void {
  requirePerson(actor);
  if (isApprover(authority, actor.id)) return;
  throw new CountersignError(
    'not_allowed',
    `Only ${describeApprovers(authority)} can approve this.${describeStranger(authority)}`,
  );
}

function describeStranger({ rules, people }: Authority): string {
  const asksWhoIsHere =
    people.known !== null && rules.some((rule) => rule.policy.kind === 'anyone');
  return asksWhoIsHere ? ' You have not written there yet.' : '';
}

/**
 * How the rules stand with `approved`, the actor among them.
 * @throws `not_allowed` when the actor is new and no open rule counts them
 */
export function requireUseful(
  { rules, people }: Authority,
  before: string[],
  actor: Actor,
): RuleStanding[] {
  const open = judge(rules, people, before).filter((standing) => !isSatisfied(standing));
  const useful = open.some(({ rule }) => counts(rule.policy, people, actor.id));
  if (open.length > 0 && !useful && !isAmong(people, before, actor.id)) {
    throw new CountersignError(
      'not_allowed',
      `What you can approve is approved already (${listOf(before)}). It still needs ${describeAllMissing(open, people)}.`,
    );
  }
  return judge(rules, people, [...before, actor.id]);
}

/**
 * Cancel, pause, resume, retry, refuse: the requester and whoever may approve.
 * @throws `not_allowed`
 */
export async function requireManager(
  db: Queryable,
  context: Configured,
  plan: Asked,
  actor: Actor,
): Promise<void> {
  requirePerson(actor);
  const authority = await readAuthority(db, context, plan, [actor.id]);
  if (isAmong(authority.people, [plan.requester], actor.id)) return;
  if (isApprover(authority, actor.id)) return;
  const others = describeApprovers(authority);
  throw new CountersignError(
    'not_allowed',
    `Only ${listOf([...new Set([plan.requester, others])], 'or')} can decide about this plan.`,
  );
}

/**
 * The final values of guarded calls: the calls are approved, so one person is enough, but one whom the rules of those
 * operations count; where none of them has a rule, one whom the plan's own rule counts.
 * @throws `not_allowed`
 */
export async function requireConfirmer(
  db: Queryable,
  context: Configured,
  plan: Asked,
  operations: string[],
  actor: Actor,
): Promise<void> {
  requirePerson(actor);
  const { people } = await readAuthority(db, context, plan, [actor.id], operations);
  // The last rule for one operation is its own, where it has one.
  const asked = operations.flatMap((operation) =>
    rulesOf(plan.approver_policy, [operation], context.guardedApprovers).slice(-1),
  );
  const missing = asked
    .filter(({ policy }) => !counts(policy, people, actor.id))
    .map((rule) => ({ rule, needed: 1, given: [] }));
  if (missing.length === 0) return;
  throw new CountersignError(
    'not_allowed',
    `Only ${describeAllMissing(missing, people)} can confirm these values.`,
  );
}
