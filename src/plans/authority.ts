// Who may decide about a plan. Checked here for every surface; a model never may.
import type { Actor } from '#contracts/actor.ts';
import { CountersignError } from '#contracts/errors.ts';
import type { ApproverPolicy } from '#contracts/plan.ts';
import { listOf } from '#contracts/words.ts';

type Asked = { requester: string; approver_policy: ApproverPolicy };

/** Whether `user` may approve; `configured` are the approvers named in the configuration. */
export function mayApprove(plan: Asked, configured: string[], user: string): boolean {
  const policy = plan.approver_policy;
  switch (policy.kind) {
    case 'requester':
      return user === plan.requester || configured.includes(user);
    case 'anyone':
      return true;
    case 'named':
    case 'n_of':
      return policy.people.includes(user);
    case 'not_requester':
      return user !== plan.requester && (configured.length === 0 || configured.includes(user));
    default:
      return policy satisfies never;
  }
}

/** How many different people have to approve. */
export function approvalsNeeded(policy: ApproverPolicy): number {
  return policy.kind === 'n_of' ? Math.min(policy.n, new Set(policy.people).size) : 1;
}

function describeOthers(requester: string, configured: string[]): string {
  if (configured.length === 0) return `anyone but ${requester}`;
  const others = configured.filter((name) => name !== requester);
  return others.length === 0
    ? `a configured approver other than ${requester}`
    : listOf(others, 'or');
}

/** Who can approve, for a sentence: `Ana or Ben`. */
export function describeApprovers(plan: Asked, configured: string[]): string {
  const policy = plan.approver_policy;
  switch (policy.kind) {
    case 'requester':
      return listOf([...new Set([plan.requester, ...configured])], 'or');
    case 'anyone':
      return 'anyone in this conversation';
    case 'named':
      return listOf([...new Set(policy.people)], 'or');
    case 'n_of':
      return `${approvalsNeeded(policy)} of ${listOf([...new Set(policy.people)])}`;
    case 'not_requester':
      return describeOthers(plan.requester, configured);
    default:
      return policy satisfies never;
  }
}

/** @throws `not_allowed` unless `actor` is a person who may approve */
export function requireApprover(plan: Asked, configured: string[], actor: Actor): void {
  requirePerson(actor);
  if (mayApprove(plan, configured, actor.id)) return;
  throw new CountersignError(
    'not_allowed',
    `Only ${describeApprovers(plan, configured)} can approve this.`,
  );
}

/** Cancel, pause, resume, retry, refuse: the requester and whoever may approve. @throws `not_allowed` */
export function requireManager(plan: Asked, configured: string[], actor: Actor): void {
  requirePerson(actor);
  if (actor.id === plan.requester || mayApprove(plan, configured, actor.id)) return;
  throw new CountersignError(
    'not_allowed',
    `Only ${listOf([...new Set([plan.requester, describeApprovers(plan, configured)])], 'or')} can decide about this plan.`,
  );
}

function requirePerson(actor: Actor): void {
  if (actor.kind === 'person') return;
  throw new CountersignError(
    'not_allowed',
    'Only a person can decide about a plan. The question stays open for one.',
  );
}
