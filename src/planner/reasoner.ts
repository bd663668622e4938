// Who fills a stage with content: a language model, or rules. Both act only by calling the tools that the stage offers.

import type { Stage, StageEvent } from '#contracts/planning/stages.ts';
import type { SessionResult } from '#contracts/planning/state.ts';
import type { PlanningRequest, TraceEntry } from '#contracts/run.ts';
import type { Json, JsonObject } from '#contracts/text.ts';
import type { ToolResult } from './agent/agent-tool.ts';

/** One call's answer as a reasoner sees it. `ends`: the stage is over with that event. */
export type CallAnswer = { result: ToolResult; ends?: StageEvent };

/** The tools of a stage, with the session behind them. Every call is checked, run, remembered and traced here. */
export type Workbench = {
  stage: Stage;
  /** What may be called now: its prerequisites hold. */
  offered(): { name: string; description: string; parameters: JsonObject; strict: boolean }[];
  /** Never throws: what goes wrong is a result with `ok: false` and confidence 0. */
  call(name: string, args: JsonObject, signal: AbortSignal): Promise<CallAnswer>;
  /** What the session says in the end, unless a tool has set it: an answer, or what cannot be done. */
  say(result: SessionResult, reason: string): void;
  note(entry: TraceEntry): void;
};

export type StageTask = {
  stage: Stage;
  request: PlanningRequest;
  /** The session's artifacts for the prompt, as JSON. */
  briefing: Json;
  /** What the last try of this stage lacked; ask for less. */
  hints: string[];
  bench: Workbench;
  signal: AbortSignal;
};

export type Reasoner = {
  /** What the card calls it. */
  name: string;
  /** Works until a tool ends the stage. Never throws. @returns the event that ends the stage */
  fill(task: StageTask): Promise<StageEvent>;
};
