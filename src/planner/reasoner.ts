// The interface of a reasoner, which fills a stage with content: a language model or the offline reasoner. Both act only by
// calling the stage's tools.
import type { PlanDraft } from '#domain/plan/plan.ts';
import type { PlanOutline } from '#domain/planning/outline.ts';
import type { PlanningRequest } from '#domain/planning/run.ts';
import type { Stage, StageEvent } from '#domain/planning/stages.ts';
import type { JoinedWords, Pause, PlanningState, SessionResult } from '#domain/planning/state.ts';
import type { TraceEntry } from '#domain/planning/trace.ts';
import type { JsonObject } from '#domain/text.ts';
import type { ChatTool } from '#models/chat.ts';
import type { PlannerTools } from './ports.ts';
import type { Tool, ToolOutcome } from './tool.ts';

/** `ends`: the event that ends the stage. */
export type CallAnswer = Pick<ToolOutcome, 'result' | 'ends'>;

/** Every call is prepared, executed and finalised here. */
export type AgentTools = {
  stage: Stage;
  /** Callable now, as shown to a model with the results of its calls so far. */
  offered(): ChatTool[];
  find(name: string): Pick<Tool, 'reads' | 'waits' | 'quotes'> | undefined;
  /** Never throws: failures are results with `ok: false` and confidence 0. */
  call(name: string, args: JsonObject, signal: AbortSignal): Promise<CallAnswer>;
  /** Records model calls and their cost in US dollars. */
  pay(calls: number, usd: number): void;
  note(entry: TraceEntry): void;
  /** For waiting people. @param coming steps that a model has written but not added */
  reportDraft(coming: number): void;
};

/** The tools of a stage, with the session behind them. */
export type StageTools = AgentTools & {
  /** Null if nothing has been drafted. */
  draft(): PlanOutline | null;
  draftedSteps(): number;
  /** The session's final message, unless a tool has set it. */
  say(result: SessionResult, reason: string): void;
  /** Records the reason for the message, kept with the run. */
  explain(reason: string): void;
  /** Messages that have joined the turn. */
  joined(): JoinedWords[];
  /** New messages in the model's form, added to the session. */
  readJoined(): Promise<string[]>;
  /** Pauses the session until the person has answered. */
  ask(result: SessionResult, pause: Pause, reason: string): void;
};

export type StageTask = {
  stage: Stage;
  request: PlanningRequest;
  state: Readonly<PlanningState>;
  /** The plan that is being changed, if any. */
  current: PlanDraft | null;
  stageTools: StageTools;
  tools: PlannerTools;
  /** Epoch milliseconds; nothing begins after it. */
  deadline: number;
  signal: AbortSignal;
};

export type Reasoner = {
  /** As on the card. */
  name: string;
  model: string | null;
  /**
   * Works until a tool ends the stage. In SEEK_APPROVAL it only decides which part of the plan `state.change` concerns, by
   * calling `route_change`. Never throws. @returns the event that ends the stage
   */
  fill(task: StageTask): Promise<StageEvent>;
};
