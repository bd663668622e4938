// What waits for one person in all plans, by the same rules that check decisions. The number of statements does not grow with the
// number of plans.
import { readApprovalsOf } from '#db/plans/approvals.ts';
import {
  type GroupFilter,
  type GroupPlace,
  type OpenPlan,
  type OpenProblem,
  type OpenQuestion,
  readOpenPlans,
  readOpenProblems,
  readOpenQuestions,
} from '#db/plans/groups.ts';
import { isSamePerson, personKey } from '#domain/people/names.ts';
import type { InboxWait } from '#domain/plan/inbox.ts';
import { operationName } from '#domain/tool.ts';
import type { ConversationContext } from '#messages/context.ts';
import { mayCount, rulesOf } from '#plans/authority/approver-rules.ts';
import { readAskedNames } from '#plans/authority/asked-person.ts';
import {
  type Authority,
  mayApproveNow,
  mayConfirm,
  mayManage,
  readAuthorities,
} from '#plans/authority/authority.ts';

export type Asking = Pick<
  ConversationContext,
  'db' | 'approvers' | 'guardedApprovers' | 'grouping' | 'delegates'
>;

/** What waits for the reader in one plan, and since when (µs since 1970). */
export type Waiting = GroupPlace & {
  waits: InboxWait;
  step_id: string | null;
  may_approve: boolean;
};

const maySayWhatBecame = (
  context: Asking,
  plan: OpenPlan,
  { status, tool, operation, confirm }: OpenQuestion,
  authority: Authority,
  user: string,
): boolean =>
  mayManage(authority, user) &&
  (status === 'unknown' ||
    !confirm ||
    mayConfirm(context, plan, operationName(tool, operation), authority, user));

/** Whom a task is for: where nobody is named, the requester. */
const isTaskOf = (names: string[], { requester }: OpenPlan, question: OpenQuestion): boolean =>
  question.tool === 'human' &&
  question.status === 'waiting' &&
  names.some((name) => isSamePerson(name, question.assignee ?? requester));

/** What is read of one plan to tell what waits in it. */
type Evidence = {
  plan: OpenPlan;
  authority: Authority;
  approved: string[];
  /** Of the change that waits. */
  patch: { authority: Authority; approved: string[] } | null;
  questions: OpenQuestion[];
  problem: OpenProblem | undefined;
};

/** The oldest of what is found, by the step it is about. */
const oldest = (found: OpenQuestion[]) =>
  found.reduce<OpenQuestion | null>(
    (first, one) => (first === null || one.since < first.since ? one : first),
    null,
  );

/** null: nothing waits for `user`, whose names are `names`. Things that only they can do come before things that others can do too. */
function judge(
  context: Asking,
  { plan, authority, approved, patch, questions, problem }: Evidence,
  user: string,
  names: string[],
): Waiting | null {
  const { id } = plan;
  const isProposed = plan.status === 'proposed' || plan.status === 'needs_review';
  if (isProposed && !plan.revising && mayApproveNow(authority, approved, user))
    return { id, waits: 'approval', at: plan.proposed_at, step_id: null, may_approve: true };
  const mayChange = patch !== null && mayApproveNow(patch.authority, patch.approved, user);
  const task = oldest(questions.filter((one) => isTaskOf(names, plan, one)));
  if (task !== null) {
    const { since: at, step_id } = task;
    return { id, waits: 'task', at, step_id, may_approve: mayChange };
  }
  if (mayChange && plan.patch !== null)
    return { id, waits: 'change', at: plan.patch.created_at, step_id: null, may_approve: true };
  const theirs = questions.filter(
    (one) => one.tool !== 'human' && maySayWhatBecame(context, plan, one, authority, user),
  );
  const unsettled = oldest(theirs);
  if (unsettled !== null) {
    const { since: at, step_id } = unsettled;
    return { id, waits: 'outcome', at, step_id, may_approve: false };
  }
  if (!mayManage(authority, user)) return null;
  if (plan.status === 'stalled' || plan.asks)
    return { id, waits: 'outcome', at: plan.updated_at, step_id: null, may_approve: false };
  if (problem === undefined) return null;
  const { since: at, step_id } = problem;
  return { id, waits: 'problem', at, step_id, may_approve: false };
}

/** Whether a plan may wait for a person with these name keys, judged by its own row. */
function mayWaitFor(
  { approvers: configured, guardedApprovers }: Asking,
  { requester, approver_policy, tools_required, patch }: OpenPlan,
  questions: OpenQuestion[],
  keys: ReadonlySet<string>,
): boolean {
  if (keys.has(personKey(requester))) return true;
  if (questions.some(({ assignee }) => assignee !== null && keys.has(personKey(assignee))))
    return true;
  const operations = [...tools_required, ...(patch?.operations ?? [])];
  return rulesOf(approver_policy, operations, guardedApprovers).some((rule) =>
    mayCount(rule, { requester, configured }, keys),
  );
}

/** What waits for a person, what has waited longest first. */
export async function findWaiting(
  context: Asking,
  user: string,
  filter: GroupFilter,
): Promise<Waiting[]> {
  const { query: db } = context.db;
  const { own, lent } = await readAskedNames(db, context, user);
  const names = [...own, ...lent];
  const keys = new Set(names.map(personKey));
  const all = await readOpenPlans(db, filter);
  const underWay = all.flatMap(({ id, status }) =>
    status === 'executing' || status === 'stalled' ? [id] : [],
  );
  const asked = underWay.length === 0 ? [] : await readOpenQuestions(db, underWay);
  const questions = Map.groupBy(asked, ({ plan_id }) => plan_id);
  const open = all.filter((plan) => mayWaitFor(context, plan, questions.get(plan.id) ?? [], keys));
  if (open.length === 0) return [];
  const ids = open.map(({ id }) => id);
  const changes = open.flatMap((plan) =>
    plan.patch === null ? [] : [{ plan, id: plan.id, ...plan.patch }],
  );
  const approved = await readApprovalsOf(db, open);
  const approvedChange = await readApprovalsOf(db, changes);
  const authorities = await readAuthorities(
    db,
    context,
    open.map((plan) => ({ plan, approved: approved.get(plan.id) ?? [], viewer: user })),
  );
  const ofChanges =
    changes.length === 0
      ? []
      : await readAuthorities(
          db,
          context,
          changes.map(({ plan, version, operations }) => ({
            plan,
            version,
            operations: [...new Set([...plan.tools_required, ...operations])],
            approved: approvedChange.get(plan.id) ?? [],
            viewer: user,
          })),
        );
  const changeOf = new Map(
    changes.map(({ id }, index) => [
      id,
      { authority: ofChanges[index], approved: approvedChange.get(id) ?? [] },
    ]),
  );
  const problems = new Map((await readOpenProblems(db, ids)).map((one) => [one.plan_id, one]));
  const waiting = open.flatMap((plan, index) => {
    const authority = authorities[index];
    if (authority === undefined) return [];
    const { authority: ofChange, approved: given = [] } = changeOf.get(plan.id) ?? {};
    const found = judge(
      context,
      {
        plan,
        authority,
        approved: approved.get(plan.id) ?? [],
        patch: ofChange === undefined ? null : { authority: ofChange, approved: given },
        questions: questions.get(plan.id) ?? [],
        problem: problems.get(plan.id),
      },
      user,
      names,
    );
    return found ?? [];
  });
  return waiting.sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1));
}
