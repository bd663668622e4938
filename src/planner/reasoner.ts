// The reasoner interface: model or offline; both act through stage tools.
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

/** Prepares, executes and finalises each call. */
export type AgentTools = {
  stage: Stage;
  offered(): ChatTool[];
  find(name: string): Pick<Tool, 'reads' | 'waits' | 'quotes'> | undefined;
  /** Never throws: failures have `ok: false` and confidence 0. */
  call(name: string, args: JsonObject, signal: AbortSignal): Promise<CallAnswer>;
  /** US dollars. */
  pay(calls: number, usd: number): void;
  note(entry: TraceEntry): void;
  reportDraft(coming: number): void;
};

export type StageTools = AgentTools & {
  draft(): PlanOutline | null;
  draftedSteps(): number;
  /** The final message, unless a tool sets it. */
  say(result: SessionResult, reason: string): void;
  /** Kept with the run. */
  explain(reason: string): void;
  joined(): JoinedWords[];
  readJoined(): Promise<string[]>;
  /** Pauses until answered. */
  ask(result: SessionResult, pause: Pause, reason: string): void;
};

export type StageTask = {
  stage: Stage;
  request: PlanningRequest;
  state: Readonly<PlanningState>;
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
  /** Works until a tool ends the stage; in SEEK_APPROVAL, only by `route_change`. Never throws. */
  fill(task: StageTask): Promise<StageEvent>;
};
