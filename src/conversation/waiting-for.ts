// Finds everything that waits for a person.
import type { Queryable } from '#db/database.ts';
import {
  findSpoken,
  type GroupPlace,
  type LivePlan,
  type OpenQuestion,
  type PlacedPlan,
} from '#db/plans/groups.ts';
import { isSamePerson, lowerAscii, personKey } from '#domain/people/names.ts';
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
import type { KeptPlan } from './live-plans.ts';

export type Asking = Pick<
  ConversationContext,
  'db' | 'approvers' | 'guardedApprovers' | 'grouping' | 'delegates'
>;

/** µs since 1970. */
export type Waiting = PlacedPlan & Wait;

type Wait = GroupPlace & {
  waits: InboxWait;
  step_id: string | null;
  may_approve: boolean;
};

const maySayWhatBecame = (
  context: Asking,
  plan: LivePlan,
  { status, tool, operation, confirm }: OpenQuestion,
  authority: Authority,
  user: string,
): boolean =>
  mayManage(authority, user) &&
  (status === 'unknown' ||
    !confirm ||
    mayConfirm(context, plan, operationName(tool, operation), authority, user));

/** Or the requester's, without an assignee. */
const isTaskOf = (names: string[], { requester }: LivePlan, question: OpenQuestion): boolean =>
  question.tool === 'human' &&
  question.status === 'waiting' &&
  names.some((name) => isSamePerson(name, question.assignee ?? requester));

type Evidence = {
  plan: KeptPlan;
  authority: Authority;
  ofChange: Authority | undefined;
};

const oldest = (found: OpenQuestion[]) =>
  found.reduce<OpenQuestion | null>(
    (first, one) => (first === null || one.since < first.since ? one : first),
    null,
  );

/** Null if nothing waits. Tasks only they can do come first. */
function judge(
  context: Asking,
  { plan, authority, ofChange }: Evidence,
  user: string,
  names: string[],
): Wait | null {
  const { id, patch, problem, questions } = plan;
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

/** `lent`: as a delegate; `groups`: of any age, judged later. */
type Reader = { own: string[]; lent: string[]; groups: string[] };

async function readReader(context: Asking, user: string): Promise<Reader> {
  const { query: db } = context.db;
  const asked = await readAskedNames(db, context, user);
  return { ...asked, groups: await readGroupNames(db, context.grouping, asked.own, 'any') };
}

/** May select too many, never too few. */
async function findReaching(
  db: Queryable,
  { approvers: configured, guardedApprovers }: Asking,
  { own, lent, groups }: Reader,
  plans: KeptPlan[],
): Promise<KeptPlan[]> {
  const keys = new Set([...own, ...lent, ...groups].map(personKey));
  const counts = (policy: ApproverPolicy) =>
    mayCount({ policy, operations: [] }, { requester: '', configured }, keys);
  const countsApprover = counts({ kind: 'requester' });
  const countsOthers = counts({ kind: 'not_requester' });
  const guarded = new Set(
    Object.entries(guardedApprovers).flatMap(([name, policy]) => (counts(policy) ? [name] : [])),
  );
  const isAnyone = ({ approver_policy: { kind } }: KeptPlan) => kind === 'anyone';
  const asked = plans.flatMap((plan) => (isAnyone(plan) ? (plan.conversation ?? []) : []));
  const spoken = await findSpoken(db, [...new Set(asked)], [...keys]);
  const written = [...keys].map(lowerAscii);
  return plans.filter((plan) => {
    const { approver_policy: policy, conversation, tools_required, patch, names } = plan;
    if (policy.kind === 'not_requester' && countsOthers) return true;
    // Where anyone may approve, the requester's approvers may too.
    if (countsApprover && (policy.kind === 'requester' || isAnyone(plan))) return true;
    if (isAnyone(plan) && (conversation === null || spoken.has(conversation))) return true;
    if (guarded.size > 0 && (patch !== null || tools_required.some((one) => guarded.has(one))))
      return true;
    return names.some((name) => written.some((key) => name.includes(key)));
  });
}

/** Newest first. @param reading the plans, meanwhile */
export async function findWaiting(
  context: Asking,
  user: string,
  reading: Promise<readonly KeptPlan[]>,
): Promise<Waiting[]> {
  const { query: db } = context.db;
  const [asked, plans] = await Promise.all([readReader(context, user), reading]);
  const asking = plans.filter(({ attention, problem }) => attention || problem !== null);
  const open = await findReaching(db, context, asked, asking);
  if (open.length === 0) return [];
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
    const evidence = { plan, authority, ofChange: ofChanges.get(plan.id) };
    const wait = judge(context, evidence, user, [...asked.own, ...asked.lent]);
    return wait === null ? [] : { ...wait, requester: plan.requester };
  });
  return waiting.sort((a, b) => b.at - a.at || (a.id < b.id ? 1 : -1));
}
