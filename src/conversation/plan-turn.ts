// One turn of planning: the planner is given what it may know, and its outcome is stored once, for the turn it was asked for.

import { eq } from 'drizzle-orm';
import type { Actor } from '#contracts/actor.ts';
import { CountersignError, errorMessage } from '#contracts/errors.ts';
import type { Plan, PlanDraft } from '#contracts/plan.ts';
import { applyOverride, defaultPolicy } from '#contracts/policy.ts';
import type { PlanningOutcome, PlanningRequest } from '#contracts/run.ts';
import { preparePropose, prepareRevise } from '#plans/propose.ts';
import { recordDeeds } from '#store/audit.ts';
import type { Transaction } from '#store/database.ts';
import { touchPlan } from '#store/events.ts';
import { readLatestMessages } from '#store/messages.ts';
import { lockPlan, type PlanRow, readPlan, readPlanRow } from '#store/plans.ts';
import { lockRun, type RunRow, readRun, updateRun } from '#store/runs.ts';
import { plans } from '#store/schema.ts';
import { iterateSteps } from '#store/steps.ts';
import { newsKey } from './announce.ts';
import { callToAction, describeProposal } from './call-to-action.ts';
import type { ConversationContext } from './conversation-context.ts';
import { nextRunStatus, type RunEvent } from './run-table.ts';
import { speakAsBot } from './speak.ts';

const historyLength = 30;
const graceSeconds = 5;
/** A larger plan is not put before a planner as a whole. */
const revisableSteps = 2000;

/** The stored plan as a draft, for a planner that revises it. */
export async function readDraft(context: ConversationContext, planId: string): Promise<PlanDraft> {
  const plan = await readPlan(context.db.query, planId);
  const steps: PlanDraft['steps'] = [];
  for await (const step of iterateSteps(context.db.query, planId)) {
    steps.push({
      id: step.id,
      description: step.description,
      tool: step.tool,
      operation: step.operation,
      args: step.args,
      after: step.after,
      priority: step.priority,
      tags: step.tags,
      resources: step.resources,
      capabilities: step.capabilities,
      ...(step.target === null ? {} : { target: step.target }),
      ...(step.partition === null ? {} : { partition: step.partition }),
      ...(step.notes === null ? {} : { notes: step.notes }),
      ...(step.duration_minutes === null ? {} : { duration_minutes: step.duration_minutes }),
      ...(step.not_before === null ? {} : { not_before: step.not_before }),
    });
  }
  return {
    title: plan.title,
    ...(plan.summary === null ? {} : { summary: plan.summary }),
    steps,
    context: plan.context,
    risks: plan.risks,
    approvers: plan.approver_policy,
  };
}

/** The refused plan this turn is to revise, or null. */
async function readRefused(context: ConversationContext, run: RunRow): Promise<PlanRow | null> {
  if (run.plan_id === null) return null;
  const row = await readPlanRow(context.db.query, run.plan_id);
  return row.status === 'rejected' && row.revising ? row : null;
}

async function buildRequest(
  context: ConversationContext,
  run: RunRow,
  refused: PlanRow | null,
): Promise<PlanningRequest> {
  const said = await readLatestMessages(context.db.query, run.conversation, historyLength);
  const latest = said.findLastIndex(({ author }) => author === 'person');
  return {
    runId: run.id,
    text: run.request,
    user: run.user,
    conversation: run.conversation,
    history: said.slice(0, Math.max(0, latest)).map(({ author, text }) => ({ author, text })),
    revision:
      refused === null
        ? null
        : {
            previous: await readDraft(context, refused.id),
            feedback: refused.rejection_history.flatMap(({ feedback }) =>
              feedback === null ? [] : [feedback],
            ),
          },
    policy: applyOverride(defaultPolicy, run.policy),
    modes: run.modes,
    now: context.clock.now(),
    timezone: context.timezone,
  };
}

function aborted(context: ConversationContext, reason: string): PlanningOutcome {
  return {
    result: { kind: 'aborted', text: reason, reason },
    reason,
    planner: context.planner.name,
    confidence: null,
    cost_usd: 0,
    trace: [],
  };
}

async function askPlanner(
  context: ConversationContext,
  run: RunRow,
  refused: PlanRow | null,
  signal: AbortSignal,
): Promise<PlanningOutcome> {
  if (refused !== null && refused.total > revisableSteps) {
    return aborted(
      context,
      `A plan of ${refused.total} steps is too large to revise in words. Propose the changed plan through the API.`,
    );
  }
  // A planner ends by its own clock; this is for one that does not.
  const deadline = AbortSignal.timeout((context.planningSeconds + graceSeconds) * 1000);
  try {
    const request = await buildRequest(context, run, refused);
    return await context.planner.plan(request, AbortSignal.any([signal, deadline]));
  } catch (error) {
    context.warn(`The planner failed in run ${run.id}.`, error);
    const reason = deadline.aborted
      ? `Planning took longer than ${context.planningSeconds} seconds.`
      : `Planning failed: ${errorMessage(error)}`;
    return aborted(context, `${reason} Ask again, perhaps in smaller parts.`);
  }
}

type Stored = { plan: Plan; text: string };
type StoreProposal = (tx: Transaction) => Promise<Stored>;

/** Checks a proposal outside the transaction; what cannot run is not stored. */
async function prepareProposal(
  context: ConversationContext,
  run: RunRow,
  refused: PlanRow | null,
  outcome: PlanningOutcome,
  draft: PlanDraft,
): Promise<StoreProposal> {
  const actor: Actor = { kind: 'model', id: outcome.planner, via: 'system' };
  const origin = {
    planner: outcome.planner,
    executorModel: context.executorModel,
    confidence: outcome.confidence,
    costUsd: outcome.cost_usd,
  };
  const store =
    refused === null
      ? await preparePropose(
          context,
          draft,
          { ...origin, requester: run.user, conversation: run.conversation, runId: run.id },
          actor,
        )
      : await prepareRevise(context, refused, draft, origin, actor);
  return async (tx) => {
    const plan = await store(tx);
    return { plan, text: describeProposal(plan) };
  };
}

/** Notes on the refused plan that no new version came of the feedback. */
async function giveUpRevision(tx: Transaction, planId: string, why: string): Promise<void> {
  await tx.update(plans).set({ revising: false }).where(eq(plans.id, planId));
  await touchPlan(tx, planId, 'revision_failed', why);
}

/** The outcome of a turn that proposes nothing, as columns of the run. */
function closing(
  result: Exclude<PlanningOutcome['result'], { kind: 'proposal' }>,
  open: Pick<Plan, 'id' | 'status'> | null,
): Partial<RunRow> {
  const after = (event: RunEvent) => nextRunStatus('running', event);
  switch (result.kind) {
    case 'answer':
    case 'cannot':
      return open === null
        ? { planning_status: after('answer'), response_text: result.text }
        : {
            planning_status: after('answer_beside_plan'),
            response_text: `${result.text}\n${callToAction(open)}`,
          };
    case 'question':
      return {
        planning_status: after('ask'),
        response_text: result.text,
        questions: result.questions,
      };
    case 'aborted':
      return {
        planning_status: after('give_up'),
        response_text: result.text,
        escalate_reason: result.reason,
      };
    default:
      return result satisfies never;
  }
}

async function storeOutcome(
  context: ConversationContext,
  run: RunRow,
  refused: PlanRow | null,
  outcome: PlanningOutcome,
  store: StoreProposal | null,
): Promise<void> {
  await context.db.transaction(async (tx) => {
    // Plans before runs: every transaction that locks both takes them in this order.
    if (refused !== null) await lockPlan(tx, refused.id);
    const now = await lockRun(tx, run.id);
    if (now.turn !== run.turn || now.planning_status !== 'running') return;
    const common = {
      planner: outcome.planner,
      confidence: outcome.confidence,
      cost_usd: now.cost_usd + outcome.cost_usd,
      trace: [...now.trace, ...outcome.trace],
      decision_reason: outcome.reason,
    };
    const say = (text: string, planId: string | null, once = `${run.id}:${run.turn}`) =>
      speakAsBot(tx, {
        conversation: run.conversation,
        text,
        runId: run.id,
        planId,
        once,
      });
    if (store !== null) {
      const { plan, text } = await store(tx);
      await say(text, plan.id, newsKey(plan, 'proposed'));
      await updateRun(tx, run.id, {
        ...common,
        planning_status: nextRunStatus(now.planning_status, 'propose'),
        response_text: text,
        questions: null,
        plan_id: plan.id,
        plan_version: plan.version,
        plan_digest: plan.digest,
      });
      return;
    }
    if (outcome.result.kind === 'proposal') throw new Error('storeOutcome: proposal not prepared');
    if (refused !== null && outcome.result.kind !== 'question') {
      await giveUpRevision(tx, refused.id, outcome.reason);
    }
    if (outcome.result.kind === 'cannot') {
      await recordDeeds(tx, [
        {
          planId: null,
          actor: { kind: 'system', id: 'countersign', via: 'system' },
          action: 'tool_gap',
          reason: outcome.result.wanted,
          data: { run: run.id },
        },
      ]);
    }
    const waiting = now.plan_id === null ? null : await readPlanRow(tx, now.plan_id);
    const open =
      waiting !== null && ['proposed', 'needs_review'].includes(waiting.status) ? waiting : null;
    const columns = closing(outcome.result, open);
    await say(columns.response_text ?? outcome.result.text, null);
    await updateRun(tx, run.id, { ...common, questions: null, ...columns });
  });
}

/**
 * Runs the planner for `turn` of a run and stores what came of it. A second call for the same turn, or one that
 * comes after the conversation has gone on, changes nothing.
 */
export async function planTurn(
  context: ConversationContext,
  runId: string,
  turn: number,
  signal: AbortSignal,
): Promise<void> {
  const run = await readRun(context.db.query, runId);
  if (run.turn !== turn || run.planning_status !== 'running') return;
  const refused = await readRefused(context, run);
  let outcome = await askPlanner(context, run, refused, signal);
  if (signal.aborted) throw signal.reason;
  let store: StoreProposal | null = null;
  if (outcome.result.kind === 'proposal') {
    try {
      store = await prepareProposal(context, run, refused, outcome, outcome.result.draft);
    } catch (error) {
      if (!(error instanceof CountersignError)) throw error;
      const reason = `The planner proposed something that cannot run: ${error.message}`;
      outcome = { ...outcome, reason, result: { kind: 'aborted', text: reason, reason } };
    }
  }
  await storeOutcome(context, run, refused, outcome, store);
}
