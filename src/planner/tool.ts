// The type of every planner tool. A call is prepared (parsed, once), executed, and finalised by `stages/stage-tools.ts`, which
// alone changes the session.
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

/** A failure is `ok: false, confidence: 0` with the reason, never an exception. */
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

/** `draft`: an outline in progress, `outline`: a submitted one. `valid_…`: unchanged since it passed its validator. */
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

/** Products invalidated when one is made. */
export const invalidates: Record<Product, Product[]> = {
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
  request: string;
  user: string;
  /** `request` is the requester's own words. */
  ownWords: boolean;
  /** The requester's own messages in the conversation, and the options they chose. */
  ownMessages: readonly string[];
  tools: PlannerTools;
  settings: {
    allowNewSubtypes: boolean;
    requireRfcForNewSubtype: boolean;
    profile: StrategyProfile;
  };
  now: Date;
  signal: AbortSignal;
  /** Progress of long calls, for waiting people. */
  report: ReportActivity;
};

/** Only what the tool changes. `trace`, caps and the stage are the controller's. */
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
  read?: SessionRead;
  /** Operations that the model was shown; later calls list them. */
  found?: string[];
  violations?: Violation[];
  adaptations?: Adaptation[];
  /** The model's own confidence in its arguments. */
  self?: number | null;
  /** By rules of thumb, 0..1: how well the result looks. */
  heuristics?: number;
  /** Ends the stage with that event. */
  ends?: StageEvent;
};

export type Prepared<Input> = { input: Input } | { problems: string[] };

export type Tool<Input = unknown, Context = ToolContext> = {
  /** Letters, digits, `_` and `-`, at most 64. */
  name: string;
  /** A sentence or two for the model. */
  description: string;
  parameters: JsonSchema;
  /** Adds what only plans of many steps, or of shared means, need. */
  wide?: JsonSchema;
  stages: Stage[];
  prerequisites: Product[];
  produces: Product[];
  /** Changes nothing in the session, so it may run alongside others. */
  reads: boolean;
  /** The result may quote files, servers or people; treat it as untrusted. */
  quotes?: boolean;
  /** For other planners; not counted in the turn's time. */
  waits?: boolean;
  /** Not in a model's list of tools; it runs if called by its name. */
  hidden?: true;
  /** To models; default true unless hidden. */
  isOffered?(state: Readonly<PlanningState>, modes: PlanningModes): boolean;
  /** Incremented when its rules change; results of older rules are not reused. Null if never remembered. */
  revision: number | null;
  prepare(args: JsonObject): Prepared<Input>;
  execute(input: Input, context: Context): Promise<ToolOutcome>;
};
