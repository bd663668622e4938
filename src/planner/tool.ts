// The planner tool type: prepared, executed, finalised by stage-tools.ts.
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

/** Failures are results, never exceptions. */
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

/** `draft`: in progress, `outline`: submitted. `valid_…`: unchanged since validated. */
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
  /** `request` is the requester's own text. */
  ownWords: boolean;
  /** Includes the options they chose. */
  ownMessages: readonly string[];
  tools: PlannerTools;
  settings: {
    allowNewSubtypes: boolean;
    requireRfcForNewSubtype: boolean;
    profile: StrategyProfile;
  };
  now: Date;
  signal: AbortSignal;
  report: ReportActivity;
};

/** Only what the tool changes. */
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
  found?: string[];
  violations?: Violation[];
  adaptations?: Adaptation[];
  self?: number | null;
  /** How well the result looks, 0..1. */
  heuristics?: number;
  /** Ends the stage. */
  ends?: StageEvent;
};

export type Prepared<Input> = { input: Input } | { problems: string[] };

export type Tool<Input = unknown, Context = ToolContext> = {
  /** Letters, digits, `_` and `-`, at most 64. */
  name: string;
  description: string;
  parameters: JsonSchema;
  /** For plans with many steps or shared means. */
  wide?: JsonSchema;
  stages: Stage[];
  prerequisites: Product[];
  produces: Product[];
  /** Leaves the session alone, so it may run in parallel. */
  reads: boolean;
  /** May quote outside text; untrusted. */
  quotes?: boolean;
  /** For other planners; not counted in the turn. */
  waits?: boolean;
  /** Unlisted but callable. */
  hidden?: true;
  /** Default: unless hidden. */
  isOffered?(state: Readonly<PlanningState>, modes: PlanningModes): boolean;
  revision: number | null;
  prepare(args: JsonObject): Prepared<Input>;
  execute(input: Input, context: Context): Promise<ToolOutcome>;
};
