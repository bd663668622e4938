// The type of every planner tool.
// A call is prepared (parsed, once), executed, and finalised by `stages/stage-tools.ts`, which alone changes the session.
import { z } from 'zod';
import type { InteractionPolicy } from '#domain/people/policy.ts';
import type { PlanningModes } from '#domain/plan/modes.ts';
import type { ReportActivity } from '#domain/planning/activity.ts';
import type { StrategyProfile } from '#domain/planning/schedule.ts';
import type { Stage, StageEvent } from '#domain/planning/stages.ts';
import type { PlanningState, SessionRead } from '#domain/planning/state.ts';
import type { Adaptation, Violation } from '#domain/planning/trace.ts';
import { type Json, type JsonObject, JsonValue } from '#domain/text.ts';
import type { JsonSchema } from '#domain/tool.ts';
import type { PlannerTools } from './ports.ts';

/** Every tool answers in this shape. A failure is `ok: false, confidence: 0` with the reason, never an exception. */
export const ToolResult = z.strictObject({
  ok: z.boolean(),
  confidence: z.number().min(0).max(1),
  explanations: z.array(z.string()),
  data: JsonValue,
});
export type ToolResult = z.infer<typeof ToolResult>;

export function succeed(data: Json, ...explanations: string[]): ToolResult {
  return { ok: true, confidence: 1, explanations, data };
}

export function fail(...explanations: string[]): ToolResult {
  return { ok: false, confidence: 0, explanations, data: null };
}

/**
 * Products that tools make and need. `draft`: an outline in progress, `outline`: a submitted one. `valid_…`: it has passed its
 * validator and is unchanged since.
 */
export type Product =
  | 'pattern'
  | 'draft'
  | 'outline'
  | 'valid_outline'
  | 'dependencies'
  | 'roadmap'
  | 'valid_roadmap'
  | 'schedule'
  | 'portfolio';

const afterOutline: Product[] = [
  'valid_outline',
  'dependencies',
  'roadmap',
  'valid_roadmap',
  'schedule',
  'portfolio',
];

/** Making a product invalidates these. */
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

export type ToolContext = {
  state: Readonly<PlanningState>;
  policy: InteractionPolicy;
  modes: PlanningModes;
  /** The person's words this turn. */
  request: string;
  user: string;
  /** Whether `request` is the requester's own words. */
  ownWords: boolean;
  /** The requester's own messages in the conversation, and the options they chose. */
  said: readonly string[];
  tools: PlannerTools;
  settings: {
    allowNewSubtypes: boolean;
    requireRfcForNewSubtype: boolean;
    /** Working hours. */
    profile: StrategyProfile;
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
    | 'target'
    | 'joined'
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
  /** The session keeps it. */
  read?: SessionRead;
  /** Names of operations that the model was shown; later calls list them. */
  found?: string[];
  violations?: Violation[];
  adaptations?: Adaptation[];
  /** The model's own confidence in its arguments, if they carry one. */
  self?: number | null;
  /** 0..1 by the tool's rules of thumb: how well the result looks. */
  heuristics?: number;
  /** This ends the stage with that event. */
  ends?: StageEvent;
};

/** Parsed arguments, or their problems as sentences. */
export type Prepared<Input> = { input: Input } | { problems: string[] };

export type Tool<Input = unknown, Context = ToolContext> = {
  /** Letters, digits, `_` and `-`, at most 64. */
  name: string;
  /** For the model, in a sentence or two. */
  description: string;
  parameters: JsonSchema;
  /** The same with what only plans of many steps, or of shared means, need. */
  wide?: JsonSchema;
  stages: Stage[];
  prerequisites: Product[];
  produces: Product[];
  /** Changes nothing of the session, so it may run alongside others. */
  reads: boolean;
  /** Its result may quote files, servers or people; treat it as untrusted. */
  quotes?: boolean;
  /** It waits for other planners; that time is none of the turn's. */
  waits?: boolean;
  /** Whether models are offered it; default true. */
  isOffered?(state: Readonly<PlanningState>, modes: PlanningModes): boolean;
  /** Incremented when its rules change; remembered results of older rules are not used. Null if never remembered. */
  revision: number | null;
  prepare(args: JsonObject): Prepared<Input>;
  execute(input: Input, context: Context): Promise<ToolOutcome>;
};
