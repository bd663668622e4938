// The context of a stage runner, and the event it returns to the controller's table.
import type { Clock } from '#domain/clock.ts';
import type { PlanDraft } from '#domain/plan/plan.ts';
import { askedQuestion } from '#domain/planning/asked-question.ts';
import type { PlanningRequest } from '#domain/planning/run.ts';
import type { Stage, StageEvent } from '#domain/planning/stages.ts';
import type { JsonObject } from '#domain/text.ts';
import type { PlanningLimits } from '../budget/limits.ts';
import type { PlannerTools } from '../ports.ts';
import type { CallAnswer, Reasoner } from '../reasoner.ts';
import type { Product } from '../tool.ts';
import type { Thresholds } from './confidence.ts';
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
  /** Milliseconds since the epoch; no model is called after it. */
  deadline: number;
  signal: AbortSignal;
  /** The plan as the session has it, where it has one. */
  current(): PlanDraft | null;
};

export type StageRunner = (context: StageContext) => Promise<StageEvent>;

/** Lets the reasoner work at the stage. */
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

/** Lets the reasoner make `product` anew, as the wish for changes says that waits for this stage; then it waits no more. */
export async function redraft(context: StageContext, product: Product): Promise<StageEvent> {
  const { session } = context;
  session.discard([product]);
  const event = await fillStage(context);
  if (event === 'drafted') session.change({ change: null });
  return event;
}

/** Calls a tool that needs nothing from a model. */
export function callTool(
  { stageTools, signal }: StageContext,
  name: string,
  args: JsonObject = {},
): Promise<CallAnswer> {
  return stageTools.call(name, args, signal);
}

/** The session ends: something that must not happen did. @returns the event for that */
export function giveUp({ stageTools }: StageContext, reason: string, text: string): StageEvent {
  stageTools.say({ kind: 'aborted', reason, text }, reason);
  return 'fatal_error';
}

/** The session stands still with questions; the answer leads back to `resume`. */
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
