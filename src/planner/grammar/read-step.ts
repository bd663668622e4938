// Parses a step as a model writes it: arguments from JSON text, the operation by any of its names.
import { z } from 'zod';
import { ConditionOperator, conditionsOf } from '#domain/plan/condition.ts';
import { describeCondition } from '#domain/plan/condition-words.ts';
import { StepDraft } from '#domain/plan/plan.ts';
import { readTemplates } from '#domain/plan/templates.ts';
import { isObject, type Json, JsonObject } from '#domain/text.ts';
import type { OperationSpec } from '#domain/tool.ts';

const WrittenCondition = z.strictObject({
  step: z.string().describe('Id of an earlier step.'),
  path: z.string().describe('JSON pointer into its output, such as /fields/answer.'),
  is: ConditionOperator,
  value: z.union([z.string(), z.number(), z.boolean()]).nullable().describe('null for exists.'),
});

export const WrittenStep = z.strictObject({
  id: z.string().describe('Unique in the whole outline.'),
  description: z.string().describe('What the step does, verb first.'),
  tool: z.string().describe('The tool of a listed operation.'),
  operation: z.string().describe('The operation inside that tool.'),
  args: z
    .string()
    .describe(
      'The arguments as a JSON object in text. {"$from": "1", "path": "/text"} takes a value from the output of step 1; "Text: {{1/text}}" puts one into a text.',
    ),
  after: z
    .array(z.string())
    .describe('Ids of steps of the same node that must be done before; empty when none.'),
  notes: z.string().nullable(),
  when: z
    .array(WrittenCondition)
    .nullable()
    .describe('The step is skipped unless all of these hold; null: it always runs.'),
  ask_before: z
    .boolean()
    .nullable()
    .describe('true: a person confirms the final arguments just before it runs.'),
});
type WrittenStep = z.infer<typeof WrittenStep>;

/** Looks operations up by tool and operation, or by the full name in either place. */
export function indexOperations(
  manifest: OperationSpec[],
): (tool: string, operation: string) => OperationSpec | undefined {
  const byParts = new Map(manifest.map((spec) => [`${spec.tool}\n${spec.operation}`, spec]));
  const byName = new Map(manifest.map((spec) => [spec.name, spec]));
  return (tool, operation) =>
    byParts.get(`${tool}\n${operation}`) ??
    byName.get(operation) ??
    (operation.trim() === '' ? byName.get(tool) : undefined);
}

/**
 * Conditions of a draft as they are written.
 * @throws for one that compares with a list, an object or null, which nobody can write so: none is ever dropped
 */
export function writeConditions(when: StepDraft['when']): WrittenStep['when'] {
  const conditions = conditionsOf(when);
  if (conditions.length === 0) return null;
  return conditions.map(({ value, ...rest }) => {
    if (value === undefined) return { ...rest, value: null };
    if (typeof value !== 'object') return { ...rest, value };
    throw new Error(`The condition that ${describeCondition({ ...rest, value })} can't be kept.`);
  });
}

/** Conditions as a draft has them: none is no key, and `exists` takes no value. */
export function readConditions(when: Json | undefined): { when?: Json } {
  if (!Array.isArray(when) || when.length === 0) return {};
  return {
    when: when.map((condition) => {
      if (!isObject(condition)) return condition;
      const { value, ...rest } = condition;
      return condition.is === 'exists' && value === null ? rest : condition;
    }),
  };
}

export function readStep(
  step: WrittenStep,
  find: ReturnType<typeof indexOperations>,
): { step: StepDraft } | { problems: string[] } {
  const { id, description, after, notes } = step;
  const name = `Step ${id.slice(0, 40) || '?'}`;
  const args = readArgs(step.args);
  if (args === null) return { problems: [`${name}: args is not a JSON object in text.`] };
  const spec = find(step.tool, step.operation);
  const parsed = StepDraft.safeParse({
    id,
    description,
    tool: spec?.tool ?? step.tool,
    operation: spec?.operation ?? step.operation,
    args,
    ...(after.length === 0 ? {} : { after }),
    ...(notes === null || notes.trim() === '' ? {} : { notes }),
    ...readConditions(step.when),
    ...(step.ask_before === true ? { ask_before: true } : {}),
  });
  if (parsed.success) return { step: parsed.data };
  const problems = parsed.error.issues
    .slice(0, 5)
    .map(({ path, message }) => `${name}: ${path.join('.')}: ${message}.`);
  return { problems };
}

function readArgs(text: string): JsonObject | null {
  if (text.trim() === '') return {};
  try {
    const parsed = JsonObject.safeParse(JSON.parse(text));
    return parsed.success ? readTemplates(parsed.data) : null;
  } catch {
    return null; // the model is told that it was no JSON
  }
}
