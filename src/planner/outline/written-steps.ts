// Steps as a reasoner writes them: whole ones, and changes of those that are there. What servers without strict
// schemas send is read too: arguments as JSON text, tool and operation apart, null for what is not said.
import { z } from 'zod';
import { CountersignError } from '#domain/errors.ts';
import { ConditionOperator } from '#domain/plan/condition.ts';
import { StepDraft } from '#domain/plan/plan.ts';
import { readTemplates } from '#domain/plan/templates.ts';
import { AnyJson, isObject, type Json, JsonObject, line, parseJson } from '#domain/text.ts';
import type { OperationSpec } from '#domain/tool.ts';
import { toMoment } from '#timeline/recurrence.ts';
import { showSchema } from '../define-tool.ts';

/** A condition on the output of an earlier step, as it is written. */
export const writtenCondition = z.strictObject({
  step: z.string(),
  path: z.string().describe('JSON pointer into its output'),
  is: ConditionOperator,
  value: AnyJson.optional(),
});

/** What a model may say of a step; only the first four are needed for a new one. */
export const writtenStepShape = {
  id: z.string().describe('short and unique: 1, 2, 2a'),
  description: z.string().describe('what it does, verb first'),
  operation: z.string().describe('full name of an operation'),
  args: JsonObject,
  after: z
    .array(AnyJson)
    .optional()
    .describe('ids of steps before it, or {"id","type":"SS","lag_minutes":60}'),
  when: z.array(writtenCondition).optional().describe('skipped unless all hold'),
  ask_before: z.boolean().optional().describe('a person confirms just before it runs'),
  phase: z.string().optional().describe('name of the phase it belongs to'),
  not_before: z.string().optional().describe('local ISO 8601 time'),
};

/** What many steps, or shared means, need beside it; shown where there are such. */
export const capacityShape = {
  partition: z.string().optional(),
  tags: z.array(z.string()).optional(),
  priority: z.number().int().optional().describe('higher first'),
  resources: z
    .record(z.string(), z.number())
    .optional()
    .describe('amounts of resource pools, held while it runs: {"gpu":1}'),
  capabilities: z.array(z.string()).optional().describe('what its back end must have'),
  notes: z
    .strictObject({
      prereq_titles: z.array(z.string()).optional(),
      prereq_tags: z.array(z.string()).optional(),
    })
    .optional()
    .describe('steps it waits for whose ids are not known: by description or tag'),
};

/** Looks operations up by tool and operation, or by the full name in either place. */
function indexOperations(
  manifest: OperationSpec[],
): (tool: string, operation: string) => OperationSpec | undefined {
  const byParts = new Map(manifest.map((spec) => [`${spec.tool}\n${spec.operation}`, spec]));
  const byName = new Map(manifest.map((spec) => [spec.name, spec]));
  return (tool, operation) =>
    byParts.get(`${tool}\n${operation}`) ??
    byName.get(operation) ??
    (operation.trim() === '' ? byName.get(tool) : undefined);
}

/** Conditions as a draft has them: none is no key, and `exists` takes no value. */
function readConditions(when: Json | undefined): { when?: Json } {
  if (when === undefined || (Array.isArray(when) && when.length === 0)) return {};
  if (!Array.isArray(when)) return { when };
  return {
    when: when.map((condition) => {
      if (!isObject(condition)) return condition;
      const { value, ...rest } = condition;
      return condition.is === 'exists' && value === null ? rest : condition;
    }),
  };
}

/** A step without phase as the outline of larger work holds it; the reader checks it. */
const { phase: _, ...stepOfOutline } = writtenStepShape;
export const WrittenStep = JsonObject.meta(showSchema(z.strictObject(stepOfOutline)));

/** A whole new step. */
export type NewStep = { step: StepDraft & { id: string }; phase: string | null };

/** What changes of a step. `undefined`: not said; `null`: taken away. */
export type StepChange = {
  step: { [key in Exclude<keyof StepDraft, 'id'>]?: StepDraft[key] | undefined } & { id: string };
  phase: string | null | undefined;
  /** Keys of the step that are taken away. */
  cleared: (keyof StepDraft)[];
  /** The step's arguments change only where these do. */
  argsCleared: string[];
};

type Problems = { problems: string[] };

export type StepReader = {
  readNew(raw: Json): NewStep | Problems;
  readChange(raw: Json): StepChange | Problems;
};

const NewStep = StepDraft.extend({ id: line(200) });
const ChangedStep = StepDraft.partial().extend({ id: line(200) });
const clearable = [
  'after',
  'when',
  'ask_before',
  'not_before',
  'args',
  'partition',
  'tags',
  'priority',
  'resources',
  'capabilities',
  'notes',
] as const;

/** @param timezone in which times without an offset are meant */
export function createStepReader(manifest: OperationSpec[], timezone: string): StepReader {
  const find = indexOperations(manifest);

  function read<T>(raw: Json, schema: z.ZodType<T>): (Said & { step: T }) | Problems {
    const given = typeof raw === 'string' ? parseJson(raw) : raw;
    if (!isObject(given)) return { problems: ['A step is an object.'] };
    const { phase, duration_minutes: _, ...said } = JsonObject.parse(given);
    const id = typeof said.id === 'number' ? String(said.id) : said.id;
    if (typeof id !== 'string' || id.trim() === '')
      return { problems: ['A step has no id. Give each a short one of its own.'] };
    const name = `Step ${id.slice(0, 40)}`;
    const args = readArguments(said.args);
    if (args === undefined) return { problems: [`${name}: args is not a JSON object.`] };
    const present = Object.entries(said).filter(([, value]) => value !== null);
    const { when, ...rest } = JsonObject.parse(Object.fromEntries(present));
    const parsed = schema.safeParse({
      ...rest,
      id: id.trim(),
      ...readConditions(when),
      ...(args === null ? {} : { args }),
      ...nameOperation(rest, find),
      ...readTime(rest.not_before, timezone),
    });
    if (!parsed.success) {
      const problems = parsed.error.issues
        .slice(0, 5)
        .map(({ path, message }) => `${name}: ${path.join('.') || 'it'}: ${message}.`);
      return { problems };
    }
    return { step: parsed.data, phase: readPhase(phase), said };
  }

  return {
    readNew(raw) {
      const one = read(raw, NewStep);
      return 'problems' in one ? one : { step: one.step, phase: one.phase ?? null };
    },
    readChange(raw) {
      const one = read(raw, ChangedStep);
      if ('problems' in one) return one;
      const { step, phase, said } = one;
      const { args, ...rest } = step;
      const kept = Object.entries(args ?? {}).filter(([, value]) => value !== null);
      return {
        step: { ...rest, ...(args === undefined ? {} : { args: Object.fromEntries(kept) }) },
        phase,
        cleared: clearable.filter((key) => said[key] === null),
        argsCleared: Object.keys(args ?? {}).filter((key) => args?.[key] === null),
      };
    },
  };
}

type Said = { phase: string | null | undefined; said: JsonObject };

function readPhase(phase: Json | undefined): string | null | undefined {
  if (phase === null) return null;
  return typeof phase === 'string' && phase.trim() !== '' ? phase.trim() : undefined;
}

/** null: nothing was said; undefined: it is no object. */
function readArguments(value: Json | undefined): JsonObject | null | undefined {
  if (value === undefined || value === null) return null;
  const given = typeof value === 'string' ? (value.trim() === '' ? {} : parseJson(value)) : value;
  return isObject(given) ? readTemplates(JsonObject.parse(given)) : undefined;
}

function nameOperation(
  { tool, operation }: JsonObject,
  find: ReturnType<typeof indexOperations>,
): { tool?: string; operation?: string } {
  const textOf = (value: Json | undefined) => (typeof value === 'string' ? value.trim() : '');
  const [first, second] = [textOf(tool), textOf(operation)];
  if (first === '' && second === '') return {};
  const spec = find(first, second);
  if (spec !== undefined) return { tool: spec.tool, operation: spec.operation };
  // The check of the operation says that there is none of that name.
  return { tool: first || second, operation: second || first };
}

/** A time that cannot be read is left as it is, for the schema to refuse. */
function readTime(value: Json | undefined, timezone: string): { not_before?: string } {
  if (typeof value !== 'string') return {};
  try {
    return { not_before: toMoment(value.trim(), timezone).toISOString() };
  } catch (error) {
    if (error instanceof CountersignError) return { not_before: value };
    throw error;
  }
}
