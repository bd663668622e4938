// Reads a plan card's facts for a viewer.
import type { Queryable } from '#db/database.ts';
import { readTenantOf } from '#db/people/identities.ts';
import { readNotes, readRoadmapChoice } from '#db/planning/artifacts.ts';
import { readOpenFindings, toFinding } from '#db/plans/findings.ts';
import { readPassedStarts } from '#db/plans/passed-starts.ts';
import { type PlanRow, readPlan, readPlanRow } from '#db/plans/plans.ts';
import {
  readAsking,
  readDifferentCalls,
  readLabels,
  readNextSteps,
  readSteps,
} from '#db/steps/pages.ts';
import { countPartitionProgress, countPartitions } from '#db/steps/partitions.ts';
import type { ApprovalRule, PatchFacts, PlanCardFacts } from '#domain/chat/card.ts';
import { CountersignError } from '#domain/errors.ts';
import type { ShownStep } from '#domain/plan/call.ts';
import { type Finding, Severity } from '#domain/plan/finding.ts';
import type { Plan, Step, StepStatus } from '#domain/plan/plan.ts';
import { maxNumbered } from '#domain/plan/step-numbers.ts';
import type { VersionDiff } from '#domain/plan/views.ts';
import { openMoves } from '#domain/planning/artifacts.ts';
import type { Catalogue } from '#domain/tool.ts';
import type { ConversationContext } from '#messages/context.ts';
import { nameOnCard } from '#people/people-named.ts';
import { readApprovers } from '#plans/authority/approvals.ts';
import { approvalsThatSuffice, isSatisfied, judge } from '#plans/authority/approver-rules.ts';
import {
  describeAllMissing,
  describeMissing,
  describeVouching,
} from '#plans/authority/approver-words.ts';
import { readAskedNames } from '#plans/authority/asked-person.ts';
import { mayApproveNow, readAuthority } from '#plans/authority/authority.ts';
import { diffVersions } from '#plans/change/version-diff.ts';
import { describeTerms } from '#plans/content/terms.ts';
import { operationsWith } from '#plans/decisions/approve-change.ts';
import { findNextOccurrence } from '#plans/series/next-occurrence.ts';
import { isNamedFor } from '#plans/series/occurrences.ts';
import { findBlocked } from '#plans/views/blocked.ts';
import { readPartitionSummaries } from '#plans/views/views.ts';
import { describeSteps, sourcesOf } from '#tools/describe-call.ts';
import { compared, readTimes } from './plan-times.ts';
import { readShownChanges } from './shown-changes.ts';

const namedShown = 5;
const findingsShown = 5;

const underWay = new Set<StepStatus>(['running', 'waiting']);

/** If nothing is ready: steps that wait only for those in progress; if not all are loaded, the first pending one. */
export function findNext<S extends Step>(
  plan: Pick<Plan, 'total_steps'>,
  steps: S[],
  pending: S[],
): S[] {
  if (plan.total_steps > steps.length) return pending.slice(0, 1);
  const statuses = new Map(steps.map(({ id, status }) => [id, status]));
  const over = (id: string) => {
    const status = statuses.get(id);
    return status === undefined || status === 'succeeded' || underWay.has(status);
  };
  const next = steps.filter(
    ({ status, after }) => status === 'pending' && after.every(({ id }) => over(id)),
  );
  return next.slice(0, namedShown);
}

async function readDiff(db: Queryable, plan: Plan): Promise<VersionDiff | null> {
  if (plan.version < 2 || !compared.has(plan.status)) return null;
  try {
    return await diffVersions(db, plan.id, plan.version - 1, plan.version);
  } catch (error) {
    // A newer version, or the previous one is gone: no comparison.
    if (error instanceof CountersignError && error.code === 'not_found') return null;
    throw error;
  }
}

type Asked = Plan & Pick<PlanRow, 'requester_verified'>;

async function readApprovalFacts(context: ConversationContext, plan: Asked, user: string) {
  const approved = plan.approvals.map(({ by }) => by);
  const authority = await readAuthority(context.db.query, context, {
    plan,
    approved,
    viewer: user,
  });
  const { rules, people } = authority;
  const states = judge(rules, people, approved);
  return {
    needed: describeVouching(states, people),
    approvers: describeAllMissing(states, people),
    approvals_needed: approvalsThatSuffice(rules, people, approved),
    approval_rules: states.map(
      (state): ApprovalRule => ({
        operations: state.rule.operations,
        needed: state.needed,
        given: state.given,
        missing: isSatisfied(state) ? '' : describeMissing(state, people),
      }),
    ),
    may_approve: mayApproveNow(authority, approved, user),
  };
}

async function readPendingPatch(
  context: ConversationContext,
  plan: Asked,
  user: string,
): Promise<Omit<PatchFacts, 'shown' | 'changes_hidden' | 'passed'> | null> {
  const patch = plan.pending_patch;
  if (patch === null) return null;
  const db = context.db.query;
  const approved = await readApprovers(db, { ...plan, version: patch.version });
  const operations = await operationsWith(db, plan, patch.patch_id);
  const authority = await readAuthority(db, context, {
    plan,
    version: patch.version,
    approved,
    viewer: user,
    operations,
  });
  const { rules, people } = authority;
  return {
    ...patch,
    approved,
    approvals_needed: approvalsThatSuffice(rules, people, approved),
    approvers: describeAllMissing(judge(rules, people, approved), people),
    may_approve: mayApproveNow(authority, approved, user),
  };
}

const worstFirst = Severity.options.toReversed();

/** Worst and oldest first. */
async function readFindingFacts(
  db: Queryable,
  { id: planId, findings_open: counts }: Plan,
): Promise<PlanCardFacts['findings']> {
  const total = Object.values(counts).reduce((sum, n) => sum + n, 0);
  if (total === 0) return { open: [], more: 0 };
  const open: Finding[] = [];
  for (const severity of worstFirst) {
    const room = findingsShown - open.length;
    if (room === 0 || counts[severity] === 0) continue;
    open.push(...(await readOpenFindings(db, planId, severity, room)).map(toFinding));
  }
  return { open, more: Math.max(0, total - open.length) };
}

/** With alternative times and people's load. */
async function readConflicts({ db, clock }: ConversationContext, plan: Plan) {
  if (!compared.has(plan.status)) return { conflicts: [] };
  const notes = await readNotes(db.query, plan.id, plan.version);
  const now = clock.now().toISOString();
  const moves = openMoves(
    notes.map(({ move }) => move),
    now,
  );
  const conflicts = notes.flatMap(({ text, week }) => (week === undefined ? [text] : []));
  const weeks = notes.flatMap(({ week }) => week ?? []);
  return {
    conflicts,
    ...(moves.length === 0 ? {} : { moves }),
    ...(weeks.length === 0 ? {} : { weeks }),
  };
}

/** Fewer have no order worth a line. */
const leastOrdered = 4;

async function readOrders({ db }: ConversationContext, plan: Plan) {
  if (!compared.has(plan.status) || plan.total_steps < leastOrdered) return {};
  const orders = await readRoadmapChoice(db.query, plan.id, plan.version);
  return orders === null || orders.options_tried.length < 2 ? {} : { orders };
}

const partitionsShown = 5;

async function readPartitions({ db }: ConversationContext, catalogue: Catalogue, planId: string) {
  const total = await countPartitions(db.query, planId);
  const shown =
    total === 0
      ? []
      : await readPartitionSummaries(db.query, catalogue, planId, null, partitionsShown);
  return { shown, total };
}

async function readLabelsOf(
  db: Queryable,
  planId: string,
  steps: Step[],
  others: string[],
): Promise<Map<string, string>> {
  const known = new Map(steps.map(({ id, label }) => [id, label]));
  const asked = steps.flatMap(({ when }) => when.map(({ step }) => step));
  const missing = [...sourcesOf(steps), ...asked, ...others].filter((id) => !known.has(id));
  for (const [id, label] of await readLabels(db, planId, missing)) known.set(id, label);
  return known;
}

const partsShown = 12;

async function readParts(context: ConversationContext, catalogue: Catalogue, { id, status }: Plan) {
  const partitions = await readPartitions(context, catalogue, id);
  const { total } = partitions;
  const runs = status === 'executing' || status === 'stalled';
  if (total === 0 || !runs) return { partitions };
  const shown = await countPartitionProgress(context.db.query, id, partsShown);
  return { partitions, parts: { shown, total } };
}

/** @throws `plan_not_found` */
export async function readCardFacts(
  context: ConversationContext,
  planId: string,
  viewer: { user: string; timezone: string },
): Promise<PlanCardFacts> {
  const db = context.db.query;
  const plan = await readPlan(db, planId);
  const some = async (status: StepStatus): Promise<Step[]> =>
    plan.counts[status] === 0 ? [] : readSteps(db, planId, { status: [status] }, 0, namedShown);
  const first = await readSteps(db, planId, {}, 0, maxNumbered);
  const inStatus = {
    running: await some('running'),
    failed: await some('failed'),
    unknown: await some('unknown'),
    waiting: await some('waiting'),
  };
  const { calls, ...counted } = await readDifferentCalls(db, planId, maxNumbered);
  const { requester_verified } = await readPlanRow(db, planId);
  const asked = { ...plan, requester_verified };
  const patch = await readPendingPatch(context, asked, viewer.user);
  const isRunning = plan.counts.running + plan.counts.waiting > 0;
  const { needed, ...approval } = await readApprovalFacts(context, asked, viewer.user);
  const waits = plan.status === 'proposed' || plan.status === 'needs_review';
  const next =
    plan.counts.ready > 0
      ? await readNextSteps(db, planId, namedShown)
      : isRunning
        ? findNext(plan, first, plan.total_steps > first.length ? await some('pending') : [])
        : [];
  const findings = await readFindingFacts(db, plan);
  const passed = waits ? await readPassedStarts(db, plan, null) : null;
  const blocked = await findBlocked(db, { ...plan, ready: plan.counts.ready });
  const labels = await readLabelsOf(
    db,
    planId,
    [first, ...Object.values(inStatus), next, calls.map(({ step }) => step)].flat(),
    [
      ...findings.open.flatMap(({ step_id }) => step_id ?? []),
      ...blocked.flatMap(({ step_ids }) => step_ids),
    ],
  );
  const catalogue = context.catalogue.of(await readTenantOf(db, planId));
  const mentioned = [first, ...Object.values(inStatus), next, calls.map(({ step }) => step)].flat();
  const asking = [...first, ...(await readAsking(db, planId, mentioned))];
  const show = (some: Step[]): ShownStep[] => describeSteps(catalogue, some, labels, asking);
  const steps = show(first);
  return nameOnCard(db, {
    plan,
    patch:
      patch === null
        ? null
        : {
            ...patch,
            ...(await readShownChanges(context.db, catalogue, planId, patch, context.clock.now())),
          },
    steps,
    labels: Object.fromEntries(labels),
    review: {
      ...counted,
      calls: calls.flatMap(({ step, times, moments }) => {
        // Occurrences start at the series' times, which the card shows.
        const agreed = moments?.every(([id, at]) => isNamedFor(plan.series, id, at)) ?? true;
        return show([step]).map((shown) => ({ step: shown, times, uneven: !agreed }));
      }),
    },
    ...(plan.total_steps > maxNumbered ? await readParts(context, catalogue, plan) : {}),
    diff: await readDiff(db, plan),
    running: show(inStatus.running),
    next: show(next),
    failed: show(inStatus.failed),
    unknown: show(inStatus.unknown),
    waiting: show(inStatus.waiting),
    findings,
    blocked,
    ...(await readConflicts(context, plan)),
    ...(await readOrders(context, plan)),
    terms: [
      ...describeTerms(plan, context.clock.now()),
      ...(needed === '' || !waits ? [] : [needed]),
    ],
    ...(passed === null ? {} : { passed }),
    next_at: await findNextOccurrence(db, plan),
    ...(await readTimes(context, plan, steps)),
    ...approval,
    viewer:
      viewer.user === '' || inStatus.waiting.length === 0
        ? viewer
        : { ...viewer, names: await readAskedNames(db, context, viewer.user) },
    now: context.clock.now().toISOString(),
    ...(context.modelHost === null ? {} : { model_host: context.modelHost }),
    link: context.linkTo(planId),
  });
}
