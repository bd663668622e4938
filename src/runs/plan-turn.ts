// One planning turn: calls the planner and stores its outcome once.
import { writeMessage } from '#cards/message-text.ts';
import { recordAudit } from '#db/audit/audit.ts';
import { readJoined } from '#db/chat/messages.ts';
import type { Transaction } from '#db/database.ts';
import { giveRequests } from '#db/people/data-requests.ts';
import { storeArtifacts } from '#db/planning/artifacts.ts';
import { lockRun, type RunRow, readRun, updateRun } from '#db/planning/runs.ts';
import { lockPlan, type PlanRow, readPlanRow } from '#db/plans/plans.ts';
import type { MessageParts } from '#domain/chat/message-parts.ts';
import { CountersignError } from '#domain/errors.ts';
import { type Actor, system } from '#domain/people/actor.ts';
import type { Plan, PlanDraft } from '#domain/plan/plan.ts';
import type { ReportActivity } from '#domain/planning/activity.ts';
import type { PlanningOutcome } from '#domain/planning/run.ts';
import type { PlanVersion } from '#domain/planning/state.ts';
import { span } from '#domain/telemetry.ts';
import { shorten } from '#domain/words.ts';
import { type ConversationContext, readsCommands } from '#messages/context.ts';
import { describeProposal, speakAsBot } from '#messages/store-message.ts';
import { newsKey } from '#notices/announce.ts';
import { readPolicyOf } from '#people/policy.ts';
import { planPause } from '#planner/controller/checkpoints.ts';
import { tellConflicts } from '#planner/schedule/time-words.ts';
import { preparePropose, prepareRevise } from '#plans/change/propose.ts';
import { readContext } from '#plans/content/context.ts';
import { giveBack } from '#plans/decisions/keep.ts';
import { mayBeApproved, nextStatus } from '#plans/lifecycle/lifecycle-table.ts';
import { askPlanner, followPlanner } from './ask-planner.ts';
import { followVersion, mayChange, requesterOf, speakersOf, suggest } from './change-waiting.ts';
import {
  closing,
  type Ended,
  endsRevision,
  hasEnded,
  saysOf,
  sessionColumns,
  traceWith,
} from './close-turn.ts';
import { tellMissingParts } from './missing-parts.ts';
import { requireFewWaiting } from './person-limits.ts';
import { prepareChange } from './plans-at-hand.ts';
import { nextRunStatus, type RunEvent, tellGivenBack, waitsAgain } from './run-table.ts';
import { joins, queueTurn } from './start-run.ts';

async function readRefused(context: ConversationContext, run: RunRow): Promise<PlanRow | null> {
  if (run.plan_id === null) return null;
  const row = await readPlanRow(context.db.query, run.plan_id);
  return row.status === 'rejected' && row.revising && row.run_id === run.id ? row : null;
}

const notesKept = 20;

type Stored = { plan: Plan; says: MessageParts; once: string };
/** `about`: the plan being changed, or null for a new one. */
type Storing = {
  about: string | null;
  event: Extract<RunEvent, 'propose' | 'answer'>;
  store(tx: Transaction): Promise<Stored>;
};

function withModes(
  { modes: usual }: Pick<ConversationContext, 'modes'>,
  { modes }: Pick<RunRow, 'modes'>,
  draft: PlanDraft,
): PlanDraft {
  const { plan_reasoning_mode, planning_mode, reasoning_level } = modes;
  const isUsual =
    plan_reasoning_mode === 'normal' &&
    planning_mode === 'normal' &&
    reasoning_level === usual.reasoning_level;
  return isUsual ? draft : { ...draft, context: { ...readContext(draft.context), modes } };
}

/** Outside the transaction; one that can't run is not stored. */
async function prepareProposal(
  context: ConversationContext,
  run: RunRow,
  refused: PlanRow | null,
  outcome: PlanningOutcome,
  { draft: drafted, again, target }: Extract<Ended['result'], { kind: 'proposal' }>,
): Promise<Storing> {
  const revised = refused ?? (await readTarget(context, target));
  if (refused === null && revised !== null && !(await mayChange(context, run, revised)))
    return suggesting(context, run, revised);
  const draft = withModes(context, run, drafted);
  // A repeated plan takes no planning time, so the limit of open requests does not apply.
  if (again !== undefined) await requireFewWaiting(context.db.query, context, run.user);
  // A model does not choose approvers. A plan that is run again keeps the rule that people set.
  const actor: Actor =
    again?.keepsApprovers === true && run.agent === null
      ? requesterOf(run)
      : { kind: 'model', id: outcome.planner, via: 'system' };
  const origin = {
    planner: outcome.planner,
    executorModel: context.executorModel,
    confidence: outcome.confidence,
    costUsd: outcome.cost_usd,
  };
  const store =
    revised === null
      ? await preparePropose(
          context,
          draft,
          {
            ...origin,
            requester: run.user,
            agent: run.agent,
            conversation: run.conversation,
            runId: run.id,
          },
          actor,
        )
      : await prepareRevise(context, revised, draft, origin, actor);
  const propose = async (tx: Transaction) => {
    const plan = await store(tx);
    await tellMissingParts(context, tx, run, plan.id, draft);
    await giveRequests(tx, run.id, plan.id);
    const { outline = null, roadmap = null, schedule = null } = outcome.session ?? {};
    const conflicts = outcome.session === null ? [] : tellConflicts(outcome.session);
    const at = context.clock.now().toISOString();
    const weeks = outcome.session?.portfolio?.weeks ?? [];
    const notes = [
      ...conflicts
        .slice(0, notesKept)
        .map(({ text, move }) => ({ at, text, ...(move === null ? {} : { move }) })),
      ...weeks.slice(0, notesKept).map((week) => ({
        at,
        text: `${week.person}: ${Math.round(week.share * 100)} % booked from ${week.from}`,
        week,
      })),
    ];
    await storeArtifacts(tx, plan.id, plan.version, { outline, roadmap, schedule, notes });
    const { tone } = await readPolicyOf(tx, run);
    const says = describeProposal(
      plan,
      tone,
      conflicts.map(({ text }) => text),
    );
    return { plan, says, once: newsKey(plan, 'proposed') };
  };
  if (revised === null || refused !== null)
    return { about: refused?.id ?? null, event: 'propose', store: propose };
  return {
    ...aboutWaiting(run, revised),
    async store(tx) {
      const stored = await propose(tx);
      await followVersion(tx, await lockPlan(tx, revised.id));
      return stored;
    },
  };
}

/** Another run is done with the plan; its own waits for the decision. */
function aboutWaiting(run: RunRow, { id, run_id }: PlanRow): Pick<Storing, 'about' | 'event'> {
  return { about: id, event: run_id === run.id ? 'propose' : 'answer' };
}

/** The draft is its next version. @throws `stale_version` if it has changed since */
async function readTarget(
  { db }: ConversationContext,
  target: PlanVersion | undefined,
): Promise<PlanRow | null> {
  if (target === undefined) return null;
  const row = await readPlanRow(db.query, target.plan_id);
  nextStatus(row.status, 'revise');
  if (row.version === target.version) return row;
  throw new CountersignError(
    'stale_version',
    `${row.id} is already at version ${row.version}. Say again what should change.`,
  );
}

function suggesting(context: ConversationContext, run: RunRow, row: PlanRow): Storing {
  return { ...aboutWaiting(run, row), store: (tx) => suggest(context, tx, run, row.id) };
}

async function prepareContinuation(
  context: ConversationContext,
  run: RunRow,
  planner: string,
  proposed: Extract<Ended['result'], { kind: 'patch' }>,
): Promise<Storing> {
  const row = await readPlanRow(context.db.query, proposed.plan_id);
  const waits = mayBeApproved(row.status);
  if (waits && !(await mayChange(context, run, row))) return suggesting(context, run, row);
  const store = await prepareChange(context, run, proposed, planner);
  return waits ? { ...aboutWaiting(run, row), store } : { about: row.id, event: 'answer', store };
}

/** A command without a session is answered by code. */
function isModels({ planner }: Pick<ConversationContext, 'planner'>, { session }: Ended): boolean {
  const kind = session?.result?.kind;
  return (kind === 'answer' || kind === 'cannot') && !readsCommands({ planner });
}

/** Null if it doesn't wait for a decision. */
function keepOpen(row: PlanRow | null): PlanRow | null {
  return row !== null && mayBeApproved(row.status) ? row : null;
}

/** A card shortens the text above it, so a longer answer gets its own message. */
const aboveCard = { characters: 500, lines: 6 };

function cardUnder(result: Ended['result']): string | null {
  if (result.kind !== 'answer' || result.plan_id === undefined) return null;
  const { text } = result;
  const fits = text.length <= aboveCard.characters && text.split('\n').length <= aboveCard.lines;
  return fits ? result.plan_id : null;
}

/** If messages arrived that this one did not read. @returns whether it did */
async function queueTurnForNewMessages(
  context: ConversationContext,
  tx: Transaction,
  run: RunRow,
  { session }: Ended,
  { cost_usd, trace }: Pick<RunRow, 'cost_usd' | 'trace'>,
): Promise<boolean> {
  const more = await readJoined(tx, run, session?.joined.at(-1)?.message ?? 0);
  const last = more.at(-1);
  if (last === undefined) return false;
  const [speaker = requesterOf(run), ...joined] = speakersOf(run);
  try {
    await updateRun(tx, run.id, { cost_usd, trace });
    await queueTurn(context, tx, run, speaker, { text: last.text, message: last.id }, null, {
      ...joins,
      joined,
    });
    return true;
  } catch (error) {
    // Without money for another turn, this one ends with what it has.
    if (error instanceof CountersignError && error.code === 'rate_limited') return false;
    throw error;
  }
}

async function storeOutcome(
  context: ConversationContext,
  run: RunRow,
  refused: PlanRow | null,
  outcome: Ended,
  storing: Storing | null,
): Promise<void> {
  await context.db.transaction(async (tx) => {
    // Plans before runs: every transaction that locks both takes them in this order.
    const about = refused?.id ?? storing?.about ?? null;
    const locked = about === null ? null : await lockPlan(tx, about);
    const now = await lockRun(tx, run.id);
    if (now.turn !== run.turn || now.planning_status !== 'running') return;
    const model: Actor = { kind: 'model', id: outcome.planner, via: 'system' };
    const common = {
      planner: outcome.planner,
      confidence: outcome.confidence,
      cost_usd: now.cost_usd + outcome.cost_usd,
      trace: traceWith(now, outcome.trace),
      decision_reason: outcome.reason,
      questions: null,
      ...sessionColumns(outcome, now),
    };
    if (await queueTurnForNewMessages(context, tx, now, outcome, common)) return;
    const say = (says: MessageParts, planId: string | null, once = `${run.id}:${run.turn}`) =>
      speakAsBot(context, tx, {
        conversation: run.conversation,
        says,
        runId: run.id,
        planId,
        once,
      });
    if (storing !== null) {
      const { plan, says, once } = await storing.store(tx);
      const message = await say(says, plan.id, once);
      await updateRun(tx, run.id, {
        ...common,
        pause: storing.event === 'propose' ? (common.pause ?? planPause) : null,
        response_message: message,
        planning_status: nextRunStatus(now.planning_status, storing.event),
        response_text: writeMessage(says, ''),
        plan_id: plan.id,
        plan_version: plan.version,
        plan_digest: plan.digest,
      });
      return;
    }
    const { result } = outcome;
    if (result.kind === 'proposal' || result.kind === 'patch')
      throw new Error('storeOutcome: not prepared');
    const kept =
      locked !== null &&
      locked.version === refused?.version &&
      endsRevision(outcome) &&
      (await giveBack(context, tx, locked, { actor: model, reason: shorten(result.text, 500) }));
    if (result.kind === 'cannot' && result.wanted !== null) {
      await recordAudit(tx, [
        {
          planId: null,
          actor: system,
          action: 'tool_gap',
          reason: result.wanted,
          data: { run: run.id },
        },
      ]);
    }
    const waiting = now.plan_id === null ? null : await readPlanRow(tx, now.plan_id);
    const open = keepOpen(waiting);
    const { tone } = await readPolicyOf(tx, run);
    const card = cardUnder(result);
    const asked = card === null ? open : keepOpen(await readPlanRow(tx, card));
    const says = saysOf(result, common.pause, asked, tone, isModels(context, outcome));
    const message = await say(says, card);
    await updateRun(tx, run.id, {
      ...common,
      ...(kept ? waitsAgain(now) : closing(result, common.pause, open !== null)),
      response_text: writeMessage(says, ''),
      response_message: message,
    });
    if (kept && waiting !== null) await tellGivenBack(context, tx, now, waiting);
  });
}

/** No effect for a repeated or outdated turn. @param onWaiting it starts to wait for its parts' planners */
export async function planTurn(
  context: ConversationContext,
  runId: string,
  turn: number,
  signal: AbortSignal,
  onWaiting: () => void,
): Promise<void> {
  const stored = await readRun(context.db.query, runId);
  if (stored.turn !== turn || stored.planning_status !== 'running') return;
  const attributes = {
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.agent.name': 'planner',
    'gen_ai.conversation.id': stored.conversation,
    'countersign.run.id': runId,
    'countersign.run.turn': turn,
  };
  const log = { run_id: runId, turn };
  await span('planning_turn', 'invoke_agent planner', { attributes, log }, async (planning) => {
    const kind = await planStored(context, stored, signal, onWaiting);
    if (kind !== null) planning.set({ 'countersign.outcome': kind });
  });
}

/** @returns the outcome's kind, or null if the turn had ended or another planner continues it */
async function planStored(
  context: ConversationContext,
  stored: RunRow,
  signal: AbortSignal,
  onWaiting: () => void,
): Promise<Ended['result']['kind'] | null> {
  const refused = await readRefused(context, stored);
  const followed = followPlanner(context, stored);
  const ended = AbortSignal.any([signal, followed.over]);
  const report: ReportActivity = (activity) => {
    if (activity.kind === 'parts') onWaiting();
    followed.report(activity);
  };
  const answer = await askPlanner(context, stored, refused, ended, report);
  await followed.close();
  if (followed.over.aborted) return null;
  if (signal.aborted) throw signal.reason;
  if (!hasEnded(answer)) return null;
  const override = answer.session?.wish?.override;
  // Speakers who joined during planning count for a change of a waiting plan.
  const { decision } = await readRun(context.db.query, stored.id);
  const run = { ...stored, decision, policy: { ...stored.policy, ...override } };
  try {
    const storing = await prepareStoring(context, run, refused, answer);
    await storeOutcome(context, run, refused, answer, storing);
    return answer.result.kind;
  } catch (error) {
    if (!(error instanceof CountersignError) || error.passesAfterMs !== null) throw error;
    const { result } = answer;
    const again = result.kind === 'proposal' && result.again !== undefined;
    const what = again
      ? 'It cannot run again with these values'
      : 'The planner proposed something that cannot run';
    const reason = `${what}: ${error.message}`;
    const outcome: Ended = { ...answer, reason, result: { kind: 'aborted', text: reason, reason } };
    await storeOutcome(context, run, refused, outcome, null);
    return 'aborted';
  }
}

/** Outside the transaction. Null if it only talks. */
async function prepareStoring(
  context: ConversationContext,
  run: RunRow,
  refused: PlanRow | null,
  outcome: Ended,
): Promise<Storing | null> {
  const { result, planner } = outcome;
  if (result.kind === 'proposal') return prepareProposal(context, run, refused, outcome, result);
  return result.kind === 'patch' ? prepareContinuation(context, run, planner, result) : null;
}
