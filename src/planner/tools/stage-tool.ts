// A tool as stages offer it: one of the thirteen, a read operation, or a conversation tool.
import type { PlanningModes } from '#domain/plan/modes.ts';
import type { Stage } from '#domain/planning/stages.ts';
import type { PlanningState } from '#domain/planning/state.ts';
import { isObject } from '#domain/text.ts';
import type { JsonSchema } from '#domain/tool.ts';
import type { PlanningTool, Product, ToolContext, ToolOutcome } from '../tool.ts';
import { fromSchema } from '../tool-result.ts';

/** Where there is still something to find out. */
export const openStages: Stage[] = ['COLLECT_CONTEXT', 'DRAFT_OUTLINE'];

export type StageTool = {
  /** Letters, digits, `_` and `-`, at most 64. */
  name: string;
  description: string;
  parameters: JsonSchema;
  /** The same with what only plans of many steps, or of shared means, need. */
  wide?: JsonSchema;
  stages: Stage[];
  prerequisites: Product[];
  produces: Product[];
  /** Changes nothing of the session, so it may run beside others. */
  reads: boolean;
  /** What it says may be in the words of files, servers or other people, as with those that only look. */
  quotes?: boolean;
  /** It waits for other planners; that time is none of the turn's. */
  waits?: boolean;
  /** Whether a model is told of it where it may be called; left out: it is. */
  isOffered?(state: Readonly<PlanningState>, modes: PlanningModes): boolean;
  /** Raised when its rules change; remembered results of older rules are not used. null: never remembered. */
  revision: number | null;
  /** Problems of the arguments as sentences; empty when they fit. */
  check(args: object): string[];
  /** May throw. */
  run(args: object, toolContext: ToolContext): Promise<ToolOutcome>;
};

/** What tools have in common that make nothing the stages wait for, and are never remembered. */
export const besideStages = {
  stages: openStages,
  prerequisites: [],
  produces: [],
  reads: false,
  revision: null,
} satisfies Partial<StageTool>;

function toObject(value: unknown): object {
  return typeof value === 'object' && value !== null ? value : {};
}

/** One of the thirteen as a stageTools tool: arguments are parsed by its schema. */
export function toStageTool<Input>(
  tool: PlanningTool<Input>,
  isOffered?: StageTool['isOffered'],
): StageTool {
  const { name, description, stages, prerequisites, produces, revision, input } = tool;
  const { parameters, whole, check } = fromSchema(input);
  return {
    name,
    description,
    parameters,
    stages,
    prerequisites,
    produces,
    reads: false,
    ...(isOffered === undefined ? {} : { isOffered }),
    revision,
    check: (args) => check(toObject(fillMissing(args, whole))),
    run: (args, toolContext) => tool.run(input.parse(fillMissing(args, whole)), toolContext),
  };
}

// Arguments as models send them: what was left out is null or empty.
/** The schemas that `schema` may mean. */
function waysOf(schema: unknown): JsonSchema[] {
  if (!isObject(schema)) return [];
  return Array.isArray(schema.anyOf) ? schema.anyOf.flatMap(waysOf) : [schema];
}

function allows(schema: unknown, type: string): boolean {
  return waysOf(schema).some(
    ({ type: one }) => one === type || (Array.isArray(one) && one.includes(type)),
  );
}

/** `value` with what was left out, as far as that is plain; what does not fit is left for the check. */
function fillMissing(value: unknown, schema: unknown): unknown {
  const ways = waysOf(schema);
  if (Array.isArray(value)) {
    const items = ways.find(({ type }) => type === 'array')?.items;
    return items === undefined ? value : value.map((item) => fillMissing(item, items));
  }
  if (!isObject(value)) return value;
  const properties = ways.find(({ type }) => type === 'object')?.properties;
  if (!isObject(properties)) return value;
  const filled = Object.entries(properties).flatMap(([name, inner]): [string, unknown][] => {
    const given = value[name];
    if (given !== undefined) return [[name, fillMissing(given, inner)]];
    if (allows(inner, 'null')) return [[name, null]];
    return allows(inner, 'array') ? [[name, []]] : [];
  });
  return { ...value, ...Object.fromEntries(filled) };
}
