// The type of the thirteen tools: name, schema, prerequisites, products, and a function of state and world. A tool changes the
// session only by its result; it decides nothing and writes nothing.
import type { z } from 'zod';
import type { InteractionPolicy } from '#domain/people/policy.ts';
import type { PlanningModes } from '#domain/plan/modes.ts';
import type { ReportActivity } from '#domain/planning/activity.ts';
import type { Stage, StageEvent } from '#domain/planning/stages.ts';
import type { PlanningState, SessionRead } from '#domain/planning/state.ts';
import type { Adaptation, Violation } from '#domain/planning/trace.ts';
import type { PlannerTools } from './ports.ts';
import type { ToolResult } from './tool-result.ts';

/** Names of the thirteen (B4). */
export const toolNames = [
  'select_pattern',
  'generate_nodes',
  'validate_grammar',
  'elicit_context',
  'resolve_dependencies',
  'build_roadmap',
  'generate_schedule',
  'probe_portfolio',
  'handle_approval',
  'summarize',
  'brainstorm',
  'craft_options',
  'probe_preference',
] as const;
export type ToolName = (typeof toolNames)[number];

/** What tools make and need. `draft`: an outline in the making, `outline`: one that was submitted. `valid_…`: it has passed its validator and was not changed since. */
export const productNames = [
  'pattern',
  'draft',
  'outline',
  'valid_outline',
  'dependencies',
  'roadmap',
  'valid_roadmap',
  'schedule',
  'portfolio',
] as const;
export type Product = (typeof productNames)[number];

const afterOutline: Product[] = [
  'valid_outline',
  'dependencies',
  'roadmap',
  'valid_roadmap',
  'schedule',
  'portfolio',
];

/** A product that is made anew makes these worthless. */
export const spoils: Record<Product, Product[]> = {
  pattern: ['outline', ...afterOutline],
  draft: ['outline', ...afterOutline],
  outline: afterOutline,
  valid_outline: [],
  dependencies: ['roadmap', 'valid_roadmap', 'schedule', 'portfolio'],
  roadmap: ['valid_roadmap', 'schedule', 'portfolio'],
  valid_roadmap: [],
  schedule: ['portfolio'],
  portfolio: [],
};

/** What a tool may look at. */
export type ToolContext = {
  state: Readonly<PlanningState>;
  policy: InteractionPolicy;
  modes: PlanningModes;
  /** The person's words this turn. */
  request: string;
  user: string;
  /** They are the requester's own words, not those of somebody else in the conversation. */
  ownWords: boolean;
  /** What the requester wrote in the conversation, or chose as an answer: their words and nobody else's. */
  said: readonly string[];
  tools: PlannerTools;
  settings: {
    allowNewSubtypes: boolean;
    requireRfcForNewSubtype: boolean;
  };
  /** When the turn began. */
  now: Date;
  signal: AbortSignal;
  /** Tells the people who wait how far a call is that takes long. */
  report: ReportActivity;
};

/** The session after a tool: only what it changes. `trace`, caps and the stage are the controller's. */
export type StateChanges = Partial<
  Pick<
    PlanningState,
    | 'pattern'
    | 'rfc'
    | 'outline'
    | 'roadmap'
    | 'schedule'
    | 'portfolio'
    | 'approvals'
    | 'change'
    | 'hints'
    | 'assumed'
    | 'offered'
    | 'questions_asked'
    | 'has_plans'
    | 'pause'
    | 'result'
    | 'reason'
    | 'wish'
    | 'memory'
  >
>;

export type ToolOutcome = {
  result: ToolResult;
  changes?: StateChanges;
  /** What was looked up; the session keeps it. */
  read?: SessionRead;
  violations?: Violation[];
  adaptations?: Adaptation[];
  /** The model's own confidence in what it gave, where the arguments carry one. */
  self?: number | null;
  /** 0..1 by the tool's rules of thumb: how well the result looks. */
  heuristics?: number;
  /** This ends the stage with that event. */
  ends?: StageEvent;
};

export type PlanningTool<Input = unknown> = {
  name: ToolName;
  /** For the model: what it does, in a sentence or two. */
  description: string;
  /** Arguments; a strict object, every key required (null where there is nothing), as strict JSON schemas want it. */
  input: z.ZodType<Input>;
  /** Stages in which it may be called. */
  stages: Stage[];
  prerequisites: Product[];
  produces: Product[];
  /** Arguments with which the controller calls it without a model; null: only a model, or what stands for it, can. */
  automatic: Input | null;
  /** Raised when its rules change, so that remembered results of older rules are not used. */
  revision: number;
  /** May throw; that is a result with `ok: false` and confidence 0. */
  run(input: Input, toolContext: ToolContext): Promise<ToolOutcome>;
};
