// Declares built-in operations with a zod schema; planners see it as JSON Schema.
import { z } from 'zod';
import { CountersignError } from '#domain/errors.ts';
import type { JsonObject } from '#domain/text.ts';
import {
  type HumanHandover,
  type Operation,
  type OperationSpec,
  operationName,
  type ToolContext,
  type ToolOutput,
} from '#domain/tool.ts';

type Definition<S extends z.ZodType> = Omit<OperationSpec, 'name' | 'input' | 'source'> & {
  schema: S;
  check?: NonNullable<Operation['check']>;
  outputOf?: NonNullable<Operation['outputOf']>;
  readsSteps?: NonNullable<Operation['readsSteps']>;
  expectedSeconds?: NonNullable<Operation['expectedSeconds']>;
  inspect?: NonNullable<Operation['inspect']>;
  compare?: NonNullable<Operation['compare']>;
  preview?: NonNullable<Operation['preview']>;
  fingerprintAfter?: NonNullable<Operation['fingerprintAfter']>;
  run(args: z.output<S>, context: ToolContext): Promise<ToolOutput | HumanHandover>;
};

/** A built-in operation. `run` receives parsed arguments with their defaults. */
export function defineOperation<S extends z.ZodType>(definition: Definition<S>): Operation {
  const {
    schema,
    run,
    check,
    outputOf,
    readsSteps,
    expectedSeconds,
    inspect,
    compare,
    preview,
    fingerprintAfter,
    ...spec
  } = definition;
  return {
    ...spec,
    name: operationName(spec.tool, spec.operation),
    input: toInputSchema(schema),
    source: 'builtin',
    ...(check === undefined ? {} : { check }),
    ...(outputOf === undefined ? {} : { outputOf }),
    ...(readsSteps === undefined ? {} : { readsSteps }),
    ...(expectedSeconds === undefined ? {} : { expectedSeconds }),
    ...(inspect === undefined ? {} : { inspect }),
    ...(compare === undefined ? {} : { compare }),
    ...(preview === undefined ? {} : { preview }),
    ...(fingerprintAfter === undefined ? {} : { fingerprintAfter }),
    async call(args: JsonObject, context: ToolContext) {
      const parsed = schema.safeParse(args);
      if (!parsed.success)
        throw new CountersignError('invalid_arguments', z.prettifyError(parsed.error));
      return run(parsed.data, context);
    },
  };
}

function toInputSchema(schema: z.ZodType): OperationSpec['input'] {
  return z.toJSONSchema(schema, { io: 'input' });
}

/** Text that names something: trimmed by nobody, but never empty. */
export function text(max: number, describe: string) {
  return z.string().min(1).max(max).describe(describe);
}
