// Declares operations with a zod schema.
import { z } from 'zod';
import { CountersignError } from '#domain/errors.ts';
import type { JsonObject } from '#domain/text.ts';
import {
  type HumanHandover,
  type LaterHandover,
  type Operation,
  type OperationSpec,
  operationName,
  type ToolContext,
  type ToolOutput,
} from '#domain/tool.ts';

type Definition<S extends z.ZodType> = Omit<Operation, 'name' | 'input' | 'source' | 'call'> & {
  schema: S;
  run(args: z.output<S>, context: ToolContext): Promise<ToolOutput | HumanHandover | LaterHandover>;
};

export function defineOperation<S extends z.ZodType>(definition: Definition<S>): Operation {
  const { schema, run, ...rest } = definition;
  return {
    ...rest,
    name: operationName(rest.tool, rest.operation),
    input: toInputSchema(schema),
    source: 'builtin',
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

/** Non-empty, not trimmed. */
export function text(max: number, describe: string) {
  return z.string().min(1).max(max).describe(describe);
}
