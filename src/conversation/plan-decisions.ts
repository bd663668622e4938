// Decisions that change plan, run and conversation together.
import { eq } from 'drizzle-orm';
import { decisionWords, refusalWords } from '#cards/decision-words.ts';
import { appendMessage, readTextsOfRun } from '#db/chat/messages.ts';
import type { Commit, Transaction } from '#db/database.ts';
import { isOnePerson, showName } from '#db/people/identities.ts';
import { readArtifacts, storeArtifacts } from '#db/planning/artifacts.ts';
import { insertRun, lockRun, type RunRow, updateRun } from '#db/planning/runs.ts';
import { readFinding } from '#db/plans/findings.ts';
import { lockPlan, type PlanRow, readPlan, readPlanRow } from '#db/plans/plans.ts';
import { plans } from '#db/schema.ts';
import { plainMessage } from '#domain/chat/message-parts.ts';
import { CountersignError } from '#domain/errors.ts';
import type { Actor } from '#domain/people/actor.ts';
import type { FindingAction } from '#domain/plan/finding.ts';
import type { PlanPatch } from '#domain/plan/patch.ts';
import type { PatchOutcome } from '#domain/plan/patch-outcome.ts';
import type { Plan } from '#domain/plan/plan.ts';
import type {
  Approval,
  Decision,
  GoBack,
  RequestedChanges,
  Rerun,
  Settlement,
} from '#domain/service.ts';
import type { ConversationContext } from '#messages/context.ts';
import { requireReadable, speakAsBot } from '#messages/store-message.ts';
import { readZoneOf } from '#people/policy.ts';
import { requireManager } from '#plans/authority/authority.ts';
import { refreshUserGroups } from '#plans/authority/members.ts';
import { prepareRevise } from '#plans/change/propose.ts';
import { checkPatch } from '#plans/change/receive.ts';
import { isGated } from '#plans/change/write-version.ts';
import { findVersion } from '#plans/content/preflight.ts';
import { planApproval } from '#plans/decisions/approve.ts';
import { changeApproval, findPatchToApprove } from '#plans/decisions/approve-change.ts';
import { takingBack } from '#plans/decisions/keep.ts';
import { requireVersion } from '#plans/decisions/repeated.ts';
import { rerun, resumption } from '#plans/decisions/resume.ts';
import { cancellation, failing, pausing, refusal } from '#plans/decisions/stop.ts';
import { decide, type Ruling } from '#plans/lifecycle/decide.ts';
import { mayBeApproved, notPossible } from '#plans/lifecycle/lifecycle-table.ts';
import { readDraft, revisableSteps } from '#plans/views/draft.ts';
import { followVersion } from '#runs/change-waiting.ts';
import { type TracedDecision, traceDecision } from '#runs/planning-trace.ts';
import { nothingWaits, tellGivenBack, waitsAgain } from '#runs/run-table.ts';
import { endTurn, queueTurn } from '#runs/start-run.ts';
import { composeFeedback } from './step-comments.ts';

/** Requires the plan's lock. */
export async function closeRun(
  context: ConversationContext,
  tx: Transaction,
  row: PlanRow,
  text: string,
  traced: TracedDecision | null = null,
): Promise<void> {
  if (row.run_id === null) return;
  const run = await lockRun(tx, row.run_id);
  const trace = traced === null ? run.trace : await traceDecision(context, tx, run, row, traced);
  // An earlier plan doesn't close a run that has moved on.
  if (run.plan_id !== row.id || (run.pause !== null && run.pause.kind !== 'plan')) {
    if (traced !== null) await updateRun(tx, run.id, { trace });
    return;
  }
  await updateRun(tx, run.id, { ...nothingWaits(run, text), trace });
  await endTurn(tx, run);
}

/** Before the transaction. @throws `plan_not_found` */
export async function refreshDeciders(context: ConversationContext, id: string): Promise<void> {
  if (context.userGroups === undefined) return;
  await refreshUserGroups(context, await readPlanRow(context.db.query, id));
}

/** @param follow runs only if something changed */
async function decidePlan<Authority, Outcome>(
  context: ConversationContext,
  id: string,
  ruling: Ruling<PlanRow, Authority, Outcome>,
  follow: (tx: Transaction, outcome: Outcome) => Promise<void> = async () => {},
): Promise<Commit<Plan>> {
  await refreshDeciders(context, id);
  const commit = await decide(context.db, ruling);
  return async (tx) => {
    const done = await commit(tx);
    if (done !== null) await follow(tx, done.outcome);
    return readPlan(tx, id);
  };
}

type Verb<D> = (
  context: ConversationContext,
  id: string,
  decision: D,
  actor: Actor,
  typed?: boolean,
) => Promise<Commit<Plan>>;

/** Or its pending change, if named. */
export const approve: Verb<Approval> = async (context, id, approval, actor) => {
  const change = await findPatchToApprove(context.db.query, id, approval);
  if (change !== null)
    return decidePlan(context, id, changeApproval(context, change, approval, actor));
  return decidePlan(context, id, planApproval(context, id, approval, actor), async (tx, row) => {
    if (row === null) return;
    const by = await showName(tx, actor.id);
    await closeRun(context, tx, row, decisionWords.approved({ id, by }), {
      word: 'approve',
      actor,
    });
  });
};

async function adoptRun(
  context: ConversationContext,
  tx: Transaction,
  row: PlanRow,
  actor: Actor,
): Promise<RunRow> {
  const id = `run-${context.random.hex(8)}`;
  const conversation = row.conversation ?? `conv-${context.random.hex(6)}`;
  await insertRun(tx, {
    id,
    user: row.requester,
    via: actor.via,
    verified: row.requester_verified,
    tenant: row.tenant,
    conversation,
    planning_status: 'complete',
    turn: 0,
    request: row.title,
    modes: context.modes,
    plan_id: row.id,
    plan_version: row.version,
    plan_digest: row.digest,
  });
  await tx.update(plans).set({ run_id: id, conversation }).where(eq(plans.id, row.id));
  return lockRun(tx, id);
}

async function reviseFor(
  context: ConversationContext,
  tx: Transaction,
  row: PlanRow,
  feedback: string,
  { word, actor }: TracedDecision,
  typed: boolean,
): Promise<void> {
  const run =
    row.run_id === null ? await adoptRun(context, tx, row, actor) : await lockRun(tx, row.run_id);
  const message = typed
    ? null
    : await appendMessage(tx, {
        conversation: run.conversation,
        author: 'person',
        name: actor.id,
        text: `propose changes: ${feedback}`,
        parts: plainMessage,
        runId: run.id,
      });
  await updateRun(tx, run.id, {
    plan_id: row.id,
    plan_version: row.version,
    plan_digest: row.digest,
    trace: await traceDecision(context, tx, run, row, { word, actor }),
  });
  const change = { kind: 'changes' as const, by: actor.id, feedback };
  const zone = await readZoneOf(tx, actor, run);
  await queueTurn(context, tx, run, actor, { text: feedback, message }, zone, change);
}

/** With feedback, the planner revises it while versions are left. */
async function refuse(
  context: ConversationContext,
  id: string,
  decision: RequestedChanges,
  actor: Actor,
  event: 'reject' | 'request_changes',
  typed: boolean,
): Promise<Commit<Plan>> {
  requireReadable(decision.feedback ?? '');
  const ruling = refusal(context, id, decision, actor, event);
  return decidePlan(context, id, ruling, async (tx, refused) => {
    if (refused === null) return;
    const { row, replan } = refused;
    const traced: TracedDecision = {
      word: event === 'reject' ? 'reject' : 'propose changes',
      actor,
    };
    if (replan) return reviseFor(context, tx, row, decision.feedback ?? '', traced, typed);
    const text =
      row.status === 'needs_review'
        ? decisionWords.rejectedOften({ id })
        : decisionWords.rejected({ id, by: await showName(tx, actor.id) });
    await closeRun(context, tx, row, text, traced);
  });
}

/** @param typed the text is already in the conversation */
export const reject: Verb<Decision> = (context, id, decision, actor, typed = false) =>
  refuse(context, id, decision, actor, 'reject', typed);

/** @param typed the text is already in the conversation */
export const proposeChanges: Verb<RequestedChanges> = async (
  context,
  id,
  requested,
  actor,
  typed = false,
) => {
  const note = requested.feedback?.trim() ?? '';
  if (requested.comments === undefined || requested.comments.length === 0) {
    if (note === '')
      throw new CountersignError('feedback_required', refusalWords.whatChangesUndecided);
    return refuse(context, id, { ...requested, feedback: note }, actor, 'request_changes', typed);
  }
  const whole = note === '' ? [] : [{ step_id: null, text: note }];
  const comments = [...requested.comments, ...whole];
  const feedback = await composeFeedback(context, id, requested.version, comments);
  return refuse(context, id, { ...requested, feedback, comments }, actor, 'request_changes', typed);
};

export const cancel: Verb<Decision> = (context, id, decision, actor) =>
  decidePlan(context, id, cancellation(context, id, decision, actor), async (tx, row) => {
    const undecided = row.execution_started_at === null && row.approved_digest === null;
    const text = decisionWords.cancelled({ id, by: await showName(tx, actor.id) });
    await closeRun(context, tx, row, text, undecided ? { word: 'cancel', actor } : null);
  });

/** One under revision is restored. */
export const resume: Verb<Settlement> = async (context, id, settlement, actor) => {
  const { status, rejection_history: history } = await readPlanRow(context.db.query, id);
  const sentBack = status === 'rejected' || (status === 'proposed' && history.length > 0);
  if (!sentBack) return decidePlan(context, id, resumption(context, id, settlement, actor));
  return decidePlan(context, id, takingBack(context, id, settlement, actor), async (tx, row) => {
    if (row.run_id === null) return;
    const run = await lockRun(tx, row.run_id);
    if (run.plan_id === id) {
      await updateRun(tx, run.id, waitsAgain(run));
      await endTurn(tx, run);
    }
    await tellGivenBack(context, tx, run, row, await showName(tx, actor.id));
  });
};

export const pause: Verb<Decision> = (context, id, decision, actor) =>
  decidePlan(context, id, pausing(context, id, decision, actor));

export const markFailed: Verb<Decision> = (context, id, decision, actor) =>
  decidePlan(context, id, failing(context, id, decision, actor));

export const retry: Verb<Rerun> = (context, id, decision, actor) =>
  decidePlan(context, id, rerun(context, id, decision, actor));

/** @throws `invalid_transition`, `stale_version` */
function requireUndecided(row: PlanRow, version: number): void {
  requireVersion(row, version);
  if (!mayBeApproved(row.status)) throw notPossible(row.status, 'revise');
}

const maxGivenBack = 4000;

/** In its first version; the requester gets their words back. */
async function withdraw(
  context: ConversationContext,
  id: string,
  version: number,
  actor: Actor,
): Promise<Commit<string>> {
  await refreshDeciders(context, id);
  const commit = await decide(context.db, {
    ...cancellation(context, id, { version }, actor),
    requireCurrent: async (_: unknown, row: PlanRow) => requireUndecided(row, version),
  });
  return async (tx) => {
    const done = await commit(tx);
    const row = done?.outcome ?? (await lockPlan(tx, id));
    const [asked = ''] = row.run_id === null ? [] : await readTextsOfRun(tx, row.run_id);
    const words = asked === '' || asked.length > maxGivenBack ? null : asked;
    const text = decisionWords.withdrawn({ id, words });
    if (done !== null) await closeRun(context, tx, row, text, { word: 'cancel', actor });
    return text;
  };
}

/** Withdraws a first version or waiting change. @returns a commit that yields the reply */
export async function prepareGoBack(
  context: ConversationContext,
  id: string,
  { version, to }: GoBack,
  actor: Actor,
): Promise<Commit<string>> {
  const { query } = context.db;
  const row = await readPlanRow(query, id);
  if (version === row.version + 1 && to === null) {
    const commit = await reject(context, id, { version }, actor);
    return async (tx) => {
      await commit(tx);
      return decisionWords.changeWithdrawn({ id, by: await showName(tx, actor.id) });
    };
  }
  if (row.version === 1 && to === null) return withdraw(context, id, version, actor);
  await refreshDeciders(context, id);
  await requireManager(query, context, row, actor);
  requireUndecided(row, version);
  const as = to ?? version - 1;
  if (as < 1 || as >= version)
    throw new CountersignError(
      'invalid_request',
      refusalWords.noSuchVersion({ asked: as, current: version }),
    );
  const { total } = (await findVersion(query, { id, version: as })) ?? { total: 0 };
  if (total > revisableSteps)
    throw new CountersignError(
      'limit_exceeded',
      refusalWords.versionTooLarge({ asked: as, total }),
    );
  const { planner_model: planner, confidence, executor_model: executorModel } = row;
  const origin = { planner, confidence, costUsd: 0, executorModel };
  const store = await prepareRevise(context, row, await readDraft(query, id, as), origin, actor);
  return async (tx) => {
    const locked = await lockPlan(tx, id);
    await requireManager(tx, context, locked, actor);
    requireUndecided(locked, version);
    const next = await store(tx);
    await storeArtifacts(tx, id, next.version, await readArtifacts(tx, id, as));
    await followVersion(tx, await lockPlan(tx, id));
    const by = await showName(tx, actor.id);
    return decisionWords.wentBack({ id, by, version: next.version, as });
  };
}

export const goBack: Verb<GoBack> = async (context, id, decision, actor) => {
  const commit = await prepareGoBack(context, id, decision, actor);
  return async (tx) => {
    const says = await commit(tx);
    const { conversation, run_id: runId } = await lockPlan(tx, id);
    if (conversation !== null)
      await speakAsBot(context, tx, { conversation, runId, says, planId: id });
    return readPlan(tx, id);
  };
};

/** A proposal's run and conversation get the new content. */
export async function patch(
  context: ConversationContext,
  id: string,
  change: PlanPatch,
  actor: Actor,
): Promise<Commit<PatchOutcome>> {
  await refreshDeciders(context, id);
  return checkPatch(context, id, change, actor, async (tx, row) => {
    if (isGated(row)) return;
    await followVersion(tx, row);
    if (row.conversation === null) return;
    await speakAsBot(context, tx, {
      conversation: row.conversation,
      runId: row.run_id,
      says: {
        kind: 'notice',
        facts: {
          code: 'plan_changed',
          plan_id: id,
          title: row.title,
          by: await showName(tx, actor.id),
          version: row.version,
        },
        action: null,
      },
      planId: id,
    });
  });
}

/** Null for another action or finding. */
export async function takeSuggestion(
  context: ConversationContext,
  id: string,
  findingId: string,
  action: FindingAction,
  actor: Actor,
): Promise<Commit<Plan> | null> {
  const found = await readFinding(context.db.query, id, findingId);
  if (action !== 'replan' || found?.category !== 'suggestion' || found.status !== 'open')
    return null;
  const { query } = context.db;
  const { version } = await readPlanRow(query, id);
  const { raised_by: name, message: text } = found;
  const feedback = (await isOnePerson(query, name, actor.id))
    ? text
    : decisionWords.suggested({ by: await showName(query, name), text });
  return proposeChanges(context, id, { version, feedback }, actor);
}
