// Finds everything that waits for a person, by the rules that check decisions. The number of queries doesn't grow with the number
// of plans.
import type { Queryable } from '#db/database.ts';
import {
  type GroupFilter,
  type GroupPlace,
  type OpenPlan,
  type OpenQuestion,
  type Reach,
  readOpenPlans,
  readOpenQuestions,
} from '#db/plans/groups.ts';
import { isSamePerson, personKey } from '#domain/people/names.ts';
import type { InboxWait } from '#domain/plan/inbox.ts';
import type { ApproverPolicy } from '#domain/plan/plan.ts';
import { operationName } from '#domain/tool.ts';
import type { ConversationContext } from '#messages/context.ts';
import { mayCount } from '#plans/authority/approver-rules.ts';
import { readAskedNames } from '#plans/authority/asked-person.ts';
import {
  type Authority,
  mayApproveNow,
  mayConfirm,
  mayManage,
  readAuthorities,
} from '#plans/authority/authority.ts';
import { readGroupNames } from '#plans/authority/members.ts';

export type Asking = Pick<
  ConversationContext,
  'db' | 'approvers' | 'guardedApprovers' | 'grouping' | 'delegates'
>;

/** One plan's waiting item, and since when (µs since 1970). */
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

/** Without an assignee, a task is the requester's. */
const isTaskOf = (names: string[], { requester }: OpenPlan, question: OpenQuestion): boolean =>
  question.tool === 'human' &&
  question.status === 'waiting' &&
  names.some((name) => isSamePerson(name, question.assignee ?? requester));

/** Facts of one plan for deciding what waits. */
type Evidence = {
  plan: OpenPlan;
  authority: Authority;
  /** For the pending change. */
  ofChange: Authority | undefined;
  questions: OpenQuestion[];
};

/** The oldest of the findings, by step. */
const oldest = (found: OpenQuestion[]) =>
  found.reduce<OpenQuestion | null>(
    (first, one) => (first === null || one.since < first.since ? one : first),
    null,
  );

/** Null if nothing waits for `user` with these `names`. What only they can do comes first. */
function judge(
  context: Asking,
  { plan, authority, ofChange, questions }: Evidence,
  user: string,
  names: string[],
): Waiting | null {
  const { id, patch, problem } = plan;
  const isProposed = plan.status === 'proposed' || plan.status === 'needs_review';
  if (isProposed && !plan.revising && mayApproveNow(authority, plan.approved, user))
    return { id, waits: 'approval', at: plan.proposed_at, step_id: null, may_approve: true };
  const mayChange =
    patch !== null && ofChange !== undefined && mayApproveNow(ofChange, patch.approved, user);
  const task = oldest(questions.filter((one) => isTaskOf(names, plan, one)));
  if (task !== null) {
    const { since: at, step_id } = task;
    return { id, waits: 'task', at, step_id, may_approve: mayChange };
  }
  if (mayChange)
    return { id, waits: 'change', at: patch.created_at, step_id: null, may_approve: true };
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
  if (problem === null) return null;
  const { since: at, step_id } = problem;
  return { id, waits: 'problem', at, step_id, may_approve: false };
}

/** How plans can address a person with these names. Includes groups of any age, which are judged later. */
async function readReach(
  db: Queryable,
  { approvers: configured, guardedApprovers, grouping }: Asking,
  { own, lent }: { own: string[]; lent: string[] },
): Promise<Reach> {
  const groups = await readGroupNames(db, grouping, own, 'any');
  const keys = new Set([...own, ...lent, ...groups].map(personKey));
  const reaches = (policy: ApproverPolicy) =>
    mayCount({ policy, operations: [] }, { requester: '', configured }, keys);
  return {
    keys: [...keys],
    kinds: [
      // Where anyone may approve, so may those who approve for the requester.
      ...(reaches({ kind: 'requester' }) ? (['requester', 'anyone'] as const) : []),
      ...(reaches({ kind: 'not_requester' }) ? (['not_requester'] as const) : []),
    ],
    operations: Object.entries(guardedApprovers).flatMap(([operation, policy]) =>
      reaches(policy) ? [operation] : [],
    ),
  };
}

/** Everything that waits for a person, longest first. */
export async function findWaiting(
  context: Asking,
  user: string,
  filter: GroupFilter,
): Promise<Waiting[]> {
  const { query: db } = context.db;
  const asked = await readAskedNames(db, context, user);
  const open = await readOpenPlans(db, filter, await readReach(db, context, asked));
  if (open.length === 0) return [];
  const asking = open.flatMap(({ id, asks_steps }) => (asks_steps ? [id] : []));
  const found = asking.length === 0 ? [] : await readOpenQuestions(db, { ids: asking });
  const questions = Map.groupBy(found, ({ plan_id }) => plan_id);
  const changes = open.flatMap(({ patch, ...plan }) =>
    patch === null
      ? []
      : [
          {
            ...patch,
            plan,
            operations: [...new Set([...plan.tools_required, ...patch.operations])],
            viewer: user,
          },
        ],
  );
  const asIs = open.map((plan) => ({ plan, approved: plan.approved, viewer: user }));
  const authorities = await readAuthorities(db, context, asIs);
  const read = changes.length === 0 ? [] : await readAuthorities(db, context, changes);
  const ofChanges = new Map(changes.map(({ plan: { id } }, index) => [id, read[index]]));
  const waiting = open.flatMap((plan, index) => {
    const authority = authorities[index];
    if (authority === undefined) return [];
    const { id } = plan;
    const evidence = {
      ...{ plan, authority, ofChange: ofChanges.get(id) },
      questions: questions.get(id) ?? [],
    };
    return judge(context, evidence, user, [...asked.own, ...asked.lent]) ?? [];
  });
  return waiting.sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1));
}
