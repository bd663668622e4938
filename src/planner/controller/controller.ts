// Runs a session's stages by the table until it rests (B2).
import { writeCall } from '#cards/calls-to-action.ts';
import { isDatabaseAway } from '#db/transient.ts';
import { callOf } from '#domain/chat/message-parts.ts';
import type { Clock } from '#domain/clock.ts';
import { passCrashPoint } from '#domain/crash-points.ts';
import { errorMessage } from '#domain/errors.ts';
import type { PlanDraft } from '#domain/plan/plan.ts';
import type { ReportActivity } from '#domain/planning/activity.ts';
import type { Planner, PlanningOutcome, PlanningRequest } from '#domain/planning/run.ts';
import type { Stage, StageEvent } from '#domain/planning/stages.ts';
import type { PlanningState } from '#domain/planning/state.ts';
import type { TraceEntry } from '#domain/planning/trace.ts';
import { explainCap, type PlanningLimits } from '../budget/budget.ts';
import { draftPlan } from '../draft/draft-plan.ts';
import { outlineOfDraft } from '../outline/outline-of-draft.ts';
import { confirmsEach } from '../policy/effects.ts';
import type { PlannerTools } from '../ports.ts';
import type { Reasoner } from '../reasoner.ts';
import { Session } from '../stages/session.ts';
import type { StageContext, Thresholds } from '../stages/stage.ts';
import { createStageTools, type Remember } from '../stages/stage-tools.ts';
import { stages } from '../stages/stages.ts';
import { isResting, nextStage } from '../stages/table.ts';
import type { Tool, ToolContext } from '../tool.ts';
import { scaffoldTool } from '../tools/scaffold.ts';
import {
  type Checkpoints,
  continueSession,
  hasTakenIn,
  nextTurn,
  planPause,
  startSession,
} from './checkpoints.ts';
import { describeFailure, describeOutcome, describeSuperseded } from './outcome.ts';

export type ControllerOptions = {
  reasoner: Reasoner;
  tools: PlannerTools;
  toolset: () => Tool[];
  checkpoints: Checkpoints;
  rememberFor(
    place: { runId: string; turn: number },
    toolContext: Omit<ToolContext, 'state' | 'signal' | 'report' | 'tools'>,
    readState: () => Readonly<PlanningState>,
  ): Remember;
  /** US dollars, crashed planners included; null for the session's own count. */
  readCost(request: PlanningRequest): Promise<number | null>;
  limits: PlanningLimits;
  thresholds: Thresholds;
  settings: ToolContext['settings'];
  clock: Clock;
};

/** Per turn; retry caps end loops long before. */
const maxTransitions = 60;

type Turn = { session: Session; seq: number };

/** Another planner wrote the next checkpoint; this result is discarded. */
class Superseded extends Error {}

export function createController(options: ControllerOptions): Planner {
  const { reasoner } = options;
  return {
    name: reasoner.name,
    async plan(request, signal, report = () => {}) {
      try {
        return await planTurn(options, request, signal, report);
      } catch (error) {
        if (error instanceof Superseded) return describeSuperseded(reasoner.name);
        // Resumes from the last checkpoint once the database is back.
        if (isDatabaseAway(error)) throw error;
        return describeFailure(reasoner.name, errorMessage(error));
      }
    },
  };
}

function currentDraft(state: Readonly<PlanningState>, request: PlanningRequest): PlanDraft | null {
  const { outline, roadmap, schedule } = state;
  if (outline === null) return request.revision?.previous ?? null;
  return draftPlan(outline, roadmap, schedule, {
    confirmEach: confirmsEach(request.policy),
  });
}

/** Adopts a plan that was not planned here. */
function adoptPlan(request: PlanningRequest, previous: PlanDraft, now: Date): PlanningState {
  const outline = outlineOfDraft(previous, null);
  return {
    ...startSession(request, now),
    stage: 'NEEDS_CLARIFICATION',
    pattern: outline.pattern,
    outline,
    produced: ['pattern', 'outline', 'valid_outline'],
    pause: planPause,
  };
}

/** Changed after the proposal. */
function hasMoved(state: PlanningState, request: PlanningRequest, previous: PlanDraft): boolean {
  const own = currentDraft(state, { ...request, revision: null });
  const content = (draft: PlanDraft) =>
    JSON.stringify(
      draft.steps.map(({ id, tool, operation, args }) => [id, tool, operation, args ?? {}]),
    );
  return own === null || content(own) !== content(previous);
}

async function openTurn(options: ControllerOptions, request: PlanningRequest): Promise<Turn> {
  const { checkpoints, clock } = options;
  const now = clock.now();
  const stored = await checkpoints.read(request.runId);
  const seq = stored?.seq ?? 0;
  // This turn's planner was interrupted, or its outcome not stored.
  if (stored !== null && stored.state.turn === request.turn)
    return { session: new Session(stored.state), seq };
  if (stored !== null && stored.state.turn > request.turn) throw new Superseded();
  let before = stored?.state ?? null;
  const refused = request.revision;
  const revision =
    refused === null || before === null || !hasTakenIn(before, refused) ? refused : null;
  if (
    revision !== null &&
    (before?.outline == null ||
      // Unsubmitted edits do not count as a plan.
      !before.produced.includes('outline') ||
      hasMoved(before, request, revision.previous))
  )
    before = adoptPlan(request, revision.previous, now);
  if (before === null) {
    const session = new Session(startSession(request, now));
    return { session, seq: await store(options, session, null, seq) };
  }
  const resting = isResting(before.stage) ? before.stage : 'NEEDS_CLARIFICATION';
  const state: PlanningState = {
    ...nextTurn({ ...before, stage: resting }, request, now),
    ...(refused === null ? {} : { refusals: refused.feedback.length }),
  };
  const { event, changes } = continueSession(state, { ...request, revision });
  const session = new Session({ ...state, ...changes });
  const by = decisionOf(request, before);
  return { session, seq: await move(options, session, resting, event, seq, by) };
}

function decisionOf(
  { decision, policy }: PlanningRequest,
  { pause }: Readonly<PlanningState>,
): Pick<TraceEntry, 'decision' | 'call_to_action'> {
  if (decision.kind === 'said') return {};
  const asked = pause === null || pause.kind === 'questions' ? null : callOf(pause, policy.tone);
  return {
    decision: `${decision.kind} by ${decision.by}`,
    ...(asked === null ? {} : { call_to_action: writeCall(asked) }),
  };
}

/** @returns the checkpoint's number */
async function move(
  options: ControllerOptions,
  session: Session,
  from: Stage,
  event: StageEvent,
  seq: number,
  by: Pick<TraceEntry, 'decision' | 'call_to_action'> = {},
): Promise<number> {
  const to = nextStage(from, event);
  session.noteTransition(from, event, to, options.clock.now(), by);
  session.enter(to);
  passCrashPoint(`planner_before_${to}`);
  const stored = await store(options, session, { from, event }, seq);
  passCrashPoint(`planner_after_${to}`);
  return stored;
}

async function store(
  { checkpoints }: ControllerOptions,
  session: Session,
  transition: { from: Stage; event: StageEvent } | null,
  seq: number,
): Promise<number> {
  const next = await checkpoints.append(session.state, transition, seq);
  if (next !== null) return next;
  throw new Superseded();
}

/** Milliseconds, without time lost in a crash. */
function timeLeft(state: Readonly<PlanningState>, limits: PlanningLimits): number {
  const used = state.trace.reduce((sum, { duration_ms }) => sum + duration_ms, 0);
  return limits.wallSeconds * 1000 - (used - timeWaited(state));
}

/** Milliseconds. */
function timeWaited({ trace }: Readonly<PlanningState>): number {
  return trace.reduce((sum, one) => sum + (one.tool === scaffoldTool ? one.duration_ms : 0), 0);
}

async function planTurn(
  options: ControllerOptions,
  asked: PlanningRequest,
  signal: AbortSignal,
  report: ReportActivity,
): Promise<PlanningOutcome> {
  const { clock, limits, reasoner, tools } = options;
  const { session, seq: opened } = await openTurn(options, asked);
  const toolset = options.toolset();
  const toolContext = {
    policy: asked.policy,
    modes: asked.modes,
    request: asked.text,
    user: asked.user,
    ownWords: asked.ownWords ?? true,
    ownMessages: asked.ownMessages ?? [asked.text],
    settings: options.settings,
    now: new Date(session.state.now),
  };
  const remember = options.rememberFor(asked, toolContext, () => session.state);
  const firstDeadline = clock.now().getTime() + timeLeft(session.state, limits);
  const waitedBefore = timeWaited(session.state);
  let seq = opened;
  for (let count = 0; ; count++) {
    const { stage } = session.state;
    if (isResting(stage)) break;
    const deadline = firstDeadline + timeWaited(session.state) - waitedBefore;
    const stageTools = createStageTools({
      stage,
      session,
      tools: toolset,
      clock,
      remember,
      report,
      toolContext: { ...toolContext, tools },
    });
    const context: StageContext = {
      session,
      stageTools,
      reasoner,
      request: asked,
      tools,
      limits,
      thresholds: options.thresholds,
      clock,
      deadline,
      signal,
      current: () => currentDraft(session.state, asked),
    };
    let event: StageEvent;
    // After a submitted draft, the remaining stages need no model.
    const drafts = stage === 'COLLECT_CONTEXT' || stage === 'DRAFT_OUTLINE';
    const late = drafts && !session.has('outline') && clock.now().getTime() >= deadline;
    if (late || count >= maxTransitions) {
      const cap = late ? 'time' : 'transitions';
      const reason = `cap_${cap}`;
      stageTools.say({ kind: 'aborted', reason, text: explainCap(cap, limits) }, reason);
      event = 'cap_reached';
    } else event = await stages[stage](context);
    // A stopped planner has no outcome; the next one resumes.
    if (signal.aborted) break;
    seq = await move(options, session, stage, event, seq);
  }
  const request = asked;
  const cost = (await options.readCost(request)) ?? session.state.cost_usd;
  return describeOutcome(session.state, request, {
    cost,
    planner: reasoner.name,
    tools,
    stopped: signal.aborted,
    draft: () => currentDraft(session.state, asked),
  });
}
