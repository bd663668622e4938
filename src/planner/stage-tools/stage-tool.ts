// A tool as it lies on the stage tools: one of the thirteen, a reading operation, or a verb of the conversation.
import type { Stage } from '#contracts/planning/stages.ts';
import type { JsonSchema } from '#contracts/tool.ts';
import { fromSchema } from '../agent/agent-tool.ts';
import { fillMissing } from '../agent/fill-missing.ts';
import type { PlanningTool, Product, ToolContext, ToolOutcome } from '../tools/planning-tool.ts';

export type StageTool = {
  /** Letters, digits, `_` and `-`, at most 64. */
  name: string;
  description: string;
  parameters: JsonSchema;
  /** A model's server holds the model to the schema. */
  strict: boolean;
  stages: Stage[];
  prerequisites: Product[];
  produces: Product[];
  /** Changes nothing of the session, so it may run beside others. */
  reads: boolean;
  /** Raised when its rules change; remembered results of older rules are not used. null: never remembered. */
  revision: number | null;
  /** Problems of the arguments as sentences; empty when they fit. */
  check(args: object): string[];
  /** May throw. */
  run(args: object, toolContext: ToolContext): Promise<ToolOutcome>;
};

function toObject(value: unknown): object {
  return typeof value === 'object' && value !== null ? value : {};
}

/** One of the thirteen as a stageTools tool: arguments are parsed by its schema. */
export function toStageTool<Input>(tool: PlanningTool<Input>): StageTool {
  const { name, description, stages, prerequisites, produces, revision, input } = tool;
  const { parameters, check } = fromSchema(input);
  return {
    name,
    description,
    parameters,
    strict: true,
    stages,
    prerequisites,
    produces,
    reads: false,
    revision,
    check: (args) => check(toObject(fillMissing(args, parameters))),
    run: (args, toolContext) => tool.run(input.parse(fillMissing(args, parameters)), toolContext),
  };
}
