// A stage runner's context, events and composite confidence (B8).
import type { Clock } from '#domain/clock.ts';
import type { PlanDraft } from '#domain/plan/plan.ts';
import { askedQuestion } from '#domain/planning/asked-question.ts';
import type { PlanningRequest } from '#domain/planning/run.ts';
import type { Stage, StageEvent } from '#domain/planning/stages.ts';
import type { Confidence, Violation } from '#domain/planning/trace.ts';
import type { JsonObject } from '#domain/text.ts';
import type { PlanningLimits } from '../budget/budget.ts';
import type { PlannerTools } from '../ports.ts';
import type { CallAnswer, Reasoner } from '../reasoner.ts';
import type { Product } from '../tool.ts';
import { traceStep } from '../trace-step.ts';
import type { Session } from './session.ts';
import type { SessionTools } from './stage-tools.ts';

export type StageContext = {
  session: Session;
  stageTools: SessionTools;
  reasoner: Reasoner;
  request: PlanningRequest;
  tools: PlannerTools;
  limits: PlanningLimits;
  thresholds: Thresholds;
  clock: Clock;
  /** Epoch milliseconds; no model call after it. */
  deadline: number;
  signal: AbortSignal;
  current(): PlanDraft | null;
};

export type StageRunner = (context: StageContext) => Promise<StageEvent>;

export function fillStage(context: StageContext): Promise<StageEvent> {
  const { session, stageTools, reasoner, request, tools, deadline, signal, current } = context;
  return reasoner.fill({
    stage: session.state.stage,
    request,
    state: session.state,
    current: current(),
    stageTools,
    tools,
    deadline,
    signal,
  });
}

/** Remakes `product` by the pending change request and clears it. */
export async function redraft(context: StageContext, product: Product): Promise<StageEvent> {
  const { session } = context;
  session.discard([product]);
  const event = await fillStage(context);
  if (event === 'drafted') session.change({ change: null });
  return event;
}

export function callTool(
  { stageTools, signal }: StageContext,
  name: string,
  args: JsonObject = {},
): Promise<CallAnswer> {
  return stageTools.call(name, args, signal);
}

/** @returns the event */
export function giveUp({ stageTools }: StageContext, reason: string, text: string): StageEvent {
  stageTools.say({ kind: 'aborted', reason, text }, reason);
  return 'fatal_error';
}

/** The answer leads back to `resume`. */
export function askPerson(
  { stageTools }: StageContext,
  resume: Stage,
  questions: string[],
  reason: string,
): StageEvent {
  stageTools.ask(
    {
      kind: 'question',
      text: questions.join('\n'),
      questions: questions.map((text) => askedQuestion(text)),
    },
    { kind: 'questions', resume, gate: null, digest: null },
    reason,
  );
  return 'needs_clarification';
}

const weights = { self: 0.5, rules: 0.3, heuristics: 0.2 };

/** `continue` and above passes, below `escalate` asks a person, between retries. */
export type Thresholds = { continue: number; escalate: number };
export type Verdict = 'continue' | 'retry' | 'escalate';

/** Coarser than rounding errors. */
function round(score: number): number {
  return Math.round(score * 1e9) / 1e9;
}

/** NaN counts as 0. */
function clamp(score: number): number {
  return Number.isNaN(score) ? 0 : Math.min(1, Math.max(0, score));
}

/** 0.50 own score + 0.30 rules + 0.20 heuristics; without an own score, the others proportionally. */
export function composeConfidence(scores: {
  self: number | null;
  rules: number;
  heuristics: number;
}): Confidence {
  const self = scores.self === null || Number.isNaN(scores.self) ? null : clamp(scores.self);
  const rules = clamp(scores.rules);
  const heuristics = clamp(scores.heuristics);
  const others = weights.rules * rules + weights.heuristics * heuristics;
  const composite =
    self === null ? others / (weights.rules + weights.heuristics) : weights.self * self + others;
  return { self, rules, heuristics, composite: clamp(round(composite)) };
}

export function judgeConfidence(confidence: number, thresholds: Thresholds): Verdict {
  const score = round(clamp(confidence));
  if (score >= round(thresholds.continue)) return 'continue';
  return score >= round(thresholds.escalate) ? 'retry' : 'escalate';
}

export function weighStage(
  { session, thresholds }: Pick<StageContext, 'session' | 'thresholds'>,
  parts: Pick<Confidence, 'self' | 'rules' | 'heuristics'>,
): Verdict {
  const confidence = composeConfidence(parts);
  session.setConfidence(session.state.stage, confidence);
  return judgeConfidence(confidence.composite, thresholds);
}

/** Counts this as a try. */
export function mayRetry({ session, limits }: StageContext, stage: Stage): boolean {
  if ((session.state.retries[stage] ?? 0) >= limits.retries) return false;
  session.retry(stage);
  return true;
}

/** VALIDATE_OUTLINE adds the rules' confidence. */
export function keepSureness(session: StageContext['session']): void {
  const { self, heuristics } = session.sureness;
  if (self === null && heuristics === null) return;
  session.setConfidence(
    'DRAFT_OUTLINE',
    composeConfidence({ self, rules: 1, heuristics: heuristics ?? 1 }),
  );
}

/** A blocking violation costs a half, a doubt a tenth. */
export function scoreViolations(violations: readonly Violation[]): number {
  const blocking = violations.filter((violation) => violation.blocking).length;
  return Math.max(0, 1 - 0.5 * blocking - 0.1 * (violations.length - blocking));
}

/** @param sound message without findings */
export function noteCheck(
  { session, clock }: StageContext,
  at: Date,
  violations: Violation[],
  sound: string,
): void {
  const { stage, confidence } = session.state;
  session.note({
    ...traceStep({
      stage,
      tool: 'controller',
      startedAt: at,
      endedAt: clock.now(),
      ok: violations.every(({ blocking }) => !blocking),
      confidence: confidence[stage]?.composite ?? null,
      explanation: violations.map(({ text }) => text).join(' ') || sound,
    }),
    ...(violations.length === 0 ? {} : { violations }),
  });
}
