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

/** One call's answer as a reasoner sees it. `ends`: the event that ends the stage. */
export type CallAnswer = Pick<ToolOutcome, 'result' | 'ends'>;

/** Tools as an agent calls them. Every call is prepared, executed and finalised here. */
export type AgentTools = {
  stage: Stage;
  /** Those that may be called now, as a model is shown them. */
  offered(): ChatTool[];
  /** The tool of that name; operations that only look are tools as well. */
  find(name: string): Pick<Tool, 'reads' | 'waits' | 'quotes'> | undefined;
  /** Never throws: what goes wrong is a result with `ok: false` and confidence 0. */
  call(name: string, args: JsonObject, signal: AbortSignal): Promise<CallAnswer>;
  /** Model calls that were made, and what they cost in US dollars. */
  pay(calls: number, usd: number): void;
  note(entry: TraceEntry): void;
  /** Shows the people who wait how far the draft is. @param coming steps that a model has written and not yet added */
  reportDraft(coming: number): void;
};

/** The tools of a stage, with the session behind them. */
export type StageTools = AgentTools & {
  /** The current draft, or null if nothing has been drafted. */
  draft(): PlanOutline | null;
  /** Steps of the draft as it is now. */
  draftedSteps(): number;
  /** Sets the session's final message, unless a tool has set it: an answer, or what cannot be done. */
  say(result: SessionResult, reason: string): void;
  /** Records the reason for the message; kept with the run. */
  explain(reason: string): void;
  /** Words that have joined the turn so far. */
  joined(): JoinedWords[];
  /** New words from people, in the model's form; they are part of the session from then on. */
  hearMore(): Promise<string[]>;
  /** Pauses the session until the person has answered. */
  ask(result: SessionResult, pause: Pause, reason: string): void;
};

export type StageTask = {
  stage: Stage;
  request: PlanningRequest;
  /** The session as the stage found it. */
  state: Readonly<PlanningState>;
  /** The current plan, if one is being changed. */
  current: PlanDraft | null;
  stageTools: StageTools;
  tools: PlannerTools;
  /** Milliseconds since the epoch; nothing begins after it. */
  deadline: number;
  signal: AbortSignal;
};

export type Reasoner = {
  /** Its name on the card. */
  name: string;
  /** The model behind it, or null if there is none. */
  model: string | null;
  /**
   * Works until a tool ends the stage. In SEEK_APPROVAL it is asked only which part of the plan `state.change` concerns,
   * and answers by calling `route_change`. Never throws. @returns the event that ends the stage
   */
  fill(task: StageTask): Promise<StageEvent>;
};
