// Decisions of people, from every surface. Each is checked outside a transaction and returns a commit that changes the plan, its run
// and the conversation together.
import { eq } from 'drizzle-orm';
import { decisionWords, refusalWords } from '#cards/decision-words.ts';
import { appendMessage } from '#db/chat/messages.ts';
import type { Commit, Transaction } from '#db/database.ts';
import { showName } from '#db/people/identities.ts';
import { insertRun, lockRun, type RunRow, updateRun } from '#db/planning/runs.ts';
import { type PlanRow, readPlan, readPlanRow } from '#db/plans/plans.ts';
import { plans } from '#db/schema.ts';
import { heardParts } from '#domain/chat/message-parts.ts';
import { CountersignError } from '#domain/errors.ts';
import type { Actor } from '#domain/people/actor.ts';
import type { PlanPatch } from '#domain/plan/patch.ts';
import type { PatchOutcome } from '#domain/plan/patch-outcome.ts';
import type { Plan } from '#domain/plan/plan.ts';
import type { Approval, Decision, Rerun, Settlement, Wish } from '#domain/service.ts';
import type { ConversationContext } from '#messages/context.ts';
import { requireReadable } from '#messages/message-length.ts';
import { speakAsBot } from '#messages/speak.ts';
import { readZoneOf } from '#people/zone.ts';
import { refreshUserGroups } from '#plans/authority/members.ts';
import { isGated } from '#plans/change/apply.ts';
import { checkPatch } from '#plans/change/receive.ts';
import { checkApproval } from '#plans/decisions/approve.ts';
import { rejectPatch } from '#plans/decisions/approve-change.ts';
import { takeBackChanges } from '#plans/decisions/keep.ts';
import { resumePlan, retryPlan } from '#plans/decisions/resume.ts';
import { cancelPlan, pausePlan, refusePlan } from '#plans/decisions/stop.ts';
import { nothingWaits, tellGivenBack, waitsAgain } from '#runs/given-back.ts';
import { endTurn, queueTurn } from '#runs/start-run.ts';
import { type Deed, traceDeed } from '#runs/trace-deed.ts';
import { composeFeedback } from './step-comments.ts';

/** The run of a plan is settled: what its planner was asked for is decided. The caller holds the plan's lock. */
export async function closeRun(
  context: ConversationContext,
  tx: Transaction,
  row: PlanRow,
  text: string,
  deed: Deed | null = null,
): Promise<void> {
  if (row.run_id === null) return;
  const run = await lockRun(tx, row.run_id);
  const trace = deed === null ? run.trace : await traceDeed(context, tx, run, row, deed);
  // A run whose session has gone on to something else is not closed by what becomes of an earlier plan.
  if (run.plan_id !== row.id || (run.pause !== null && run.pause.kind !== 'plan')) {
    if (deed !== null) await updateRun(tx, run.id, { trace });
    return;
  }
  await updateRun(tx, run.id, { ...nothingWaits(run, text), trace });
  await endTurn(tx, run);
}

/** Has the user groups read anew that may decide about a plan: before the transaction that decides. @throws `plan_not_found` */
export async function refreshDeciders(context: ConversationContext, id: string): Promise<void> {
  if (context.userGroups === undefined) return;
  await refreshUserGroups(context, await readPlanRow(context.db.query, id));
}

export async function approve(
  context: ConversationContext,
  id: string,
  approval: Approval,
  actor: Actor,
): Promise<Commit<Plan>> {
  await refreshDeciders(context, id);
  return checkApproval(context, id, approval, actor, async (tx, row) => {
    const by = await showName(tx, actor.id);
    await closeRun(context, tx, row, decisionWords.approved({ id, by }), {
      word: 'approve',
      actor,
    });
  });
}

/** A run for a plan that came without one, so that a planner can revise it. */
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

/** Refuses a plan; with feedback the planner is asked again, as long as versions are left. */
async function refuse(
  context: ConversationContext,
  id: string,
  decision: Wish,
  actor: Actor,
  event: 'reject' | 'request_changes',
  said: boolean,
): Promise<Commit<Plan>> {
  requireReadable(decision.feedback ?? '');
  await refreshDeciders(context, id);
  return async (tx) => {
    if (event === 'reject' && (await rejectPatch(context, tx, id, decision, actor))) {
      return readPlan(tx, id);
    }
    const refused = await refusePlan(context, tx, id, decision, actor, event);
    const { row, replan } = refused;
    if (refused.repeated) return readPlan(tx, id);
    const word = event === 'reject' ? 'reject' : 'propose changes';
    if (!replan) {
      const text =
        row.status === 'needs_review'
          ? decisionWords.rejectedOften({ id })
          : decisionWords.rejected({ id, by: await showName(tx, actor.id) });
      await closeRun(context, tx, row, text, { word, actor });
      return readPlan(tx, id);
    }
    const run =
      row.run_id === null ? await adoptRun(context, tx, row, actor) : await lockRun(tx, row.run_id);
    const feedback = decision.feedback ?? '';
    const message = said
      ? null
      : await appendMessage(tx, {
          conversation: run.conversation,
          author: 'person',
          name: actor.id,
          text: `propose changes: ${feedback}`,
          parts: heardParts,
          runId: run.id,
        });
    await updateRun(tx, run.id, {
      plan_id: id,
      plan_version: row.version,
      plan_digest: row.digest,
      trace: await traceDeed(context, tx, run, row, { word, actor }),
    });
    const change = { kind: 'changes' as const, by: actor.id, feedback };
    const zone = await readZoneOf(tx, actor, run);
    await queueTurn(context, tx, run, actor, { text: feedback, message }, zone, change);
    return readPlan(tx, id);
  };
}

export function reject(
  context: ConversationContext,
  id: string,
  decision: Decision,
  actor: Actor,
  said = false,
): Promise<Commit<Plan>> {
  return refuse(context, id, decision, actor, 'reject', said);
}

export async function proposeChanges(
  context: ConversationContext,
  id: string,
  wish: Wish,
  actor: Actor,
  said = false,
): Promise<Commit<Plan>> {
  const note = wish.feedback?.trim() ?? '';
  if (wish.comments === undefined || wish.comments.length === 0) {
    if (note === '')
      throw new CountersignError('feedback_required', refusalWords.whatChangesUndecided);
    return refuse(context, id, { ...wish, feedback: note }, actor, 'request_changes', said);
  }
  const whole = note === '' ? [] : [{ step_id: null, text: note }];
  const comments = [...wish.comments, ...whole];
  const feedback = await composeFeedback(context, id, wish.version, comments);
  return refuse(context, id, { ...wish, feedback, comments }, actor, 'request_changes', said);
}

export async function cancel(
  context: ConversationContext,
  id: string,
  decision: Decision,
  actor: Actor,
): Promise<Commit<Plan>> {
  await refreshDeciders(context, id);
  return async (tx) => {
    const row = await cancelPlan(context, tx, id, decision, actor);
    if (row === null) return readPlan(tx, id);
    const undecided = row.execution_started_at === null && row.approved_digest === null;
    await closeRun(
      context,
      tx,
      row,
      decisionWords.cancelled({ id, by: await showName(tx, actor.id) }),
      undecided ? { word: 'cancel', actor } : null,
    );
    return readPlan(tx, id);
  };
}

/** Changes a plan. Where a proposal was changed, its run speaks of what it says now, and its conversation is shown that. */
export async function patch(
  context: ConversationContext,
  id: string,
  change: PlanPatch,
  actor: Actor,
): Promise<Commit<PatchOutcome>> {
  await refreshDeciders(context, id);
  return checkPatch(context, id, change, actor, async (tx, row) => {
    if (isGated(row)) return;
    if (row.run_id !== null) {
      const run = await lockRun(tx, row.run_id);
      if (run.plan_id === id) {
        await updateRun(tx, run.id, { plan_version: row.version, plan_digest: row.digest });
      }
    }
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

type Verb<D> = (
  context: ConversationContext,
  tx: Transaction,
  id: string,
  decision: D,
  actor: Actor,
) => Promise<PlanRow>;

/** A verb that touches the plan only and has nothing to check beforehand. */
function decideWith<D>(verb: Verb<D>) {
  return async (
    context: ConversationContext,
    id: string,
    decision: D,
    actor: Actor,
  ): Promise<Commit<Plan>> => {
    await refreshDeciders(context, id);
    return async (tx) => {
      await verb(context, tx, id, decision, actor);
      return readPlan(tx, id);
    };
  };
}

const resumeRun = decideWith<Settlement>(resumePlan);

/** Goes on with a plan; one whose changes are being made is taken back as it was. */
export async function resume(
  context: ConversationContext,
  id: string,
  settlement: Settlement,
  actor: Actor,
): Promise<Commit<Plan>> {
  const { status, rejection_history: history } = await readPlanRow(context.db.query, id);
  const sentBack = status === 'rejected' || (status === 'proposed' && history.length > 0);
  if (!sentBack) return resumeRun(context, id, settlement, actor);
  await refreshDeciders(context, id);
  return async (tx) => {
    const row = await takeBackChanges(context, tx, id, settlement, actor);
    if (row === null || row.run_id === null) return readPlan(tx, id);
    const run = await lockRun(tx, row.run_id);
    if (run.plan_id === id) {
      await updateRun(tx, run.id, waitsAgain(run));
      await endTurn(tx, run);
    }
    await tellGivenBack(context, tx, run, row, await showName(tx, actor.id));
    return readPlan(tx, id);
  };
}

export const pause = decideWith<Decision>(pausePlan);
export const retry = decideWith<Rerun>(retryPlan);
