// Reads steps and changes as models write them, schemas strict or not.
import { z } from 'zod';
import { CountersignError } from '#domain/errors.ts';
import { flattenIssue } from '#domain/issues.ts';
import { sayLength } from '#domain/length.ts';
import { allFields, type FieldName, StepDraft } from '#domain/plan/step-content.ts';
import type { Written } from '#domain/plan/step-fields.ts';
import { findBareTemplate, readTemplates } from '#domain/plan/templates.ts';
import type { OutlineNode } from '#domain/planning/outline.ts';
import type { StrategyProfile } from '#domain/planning/schedule.ts';
import { isObject, type Json, JsonObject, line, parseJson } from '#domain/text.ts';
import { type OperationSpec, operationName } from '#domain/tool.ts';
import { endSentence } from '#domain/words.ts';
import { parseDuration } from '#timeline/durations.ts';
import { toMoment } from '#timeline/recurrence.ts';
import { showSchema } from '../define-tool.ts';

type Shape = Record<string, z.ZodType>;

function shapeOf(...groups: Written['of'][]): Shape {
  return Object.fromEntries(
    allFields.flatMap(([name, { written }]) =>
      written !== undefined && groups.includes(written.of) ? [[name, written.type]] : [],
    ),
  );
}

/** New steps need the first four. */
export const stepOfOutline = shapeOf('one', 'many');
export const writtenStepShape = {
  ...stepOfOutline,
  phase: z.string().optional(),
};
/** Fields for many steps or shared means. */
export const capacityShape = shapeOf('wide');
export const ofMany = Object.keys(shapeOf('many', 'wide'));
const clearable = allFields.flatMap(([name, { written, empty }]) =>
  written === undefined || empty === undefined ? [] : [name],
);

/** By tool and operation, or the full name in either. */
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

/** No key without conditions; `exists` takes no value. */
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

/** Checked by the reader. */
export const WrittenStep = JsonObject.meta(showSchema(z.strictObject(stepOfOutline)));

export type NewStep = { step: StepDraft & { id: string }; phase: string | null };

/** `undefined` leaves a field, `null` removes it; `args` merge. */
export type StepChange = {
  step: { [key in Exclude<keyof StepDraft, 'id'>]?: StepDraft[key] | undefined } & { id: string };
  phase: string | null | undefined;
  cleared: FieldName[];
};

type Problems = { problems: string[] };

export type StepReader = {
  /** For times without an offset. */
  timezone: string;
  readNew(raw: Json): NewStep | Problems;
  readChange(raw: Json): StepChange | Problems;
};

const NewStep = StepDraft.extend({ id: line(200) });
const ChangedStep = StepDraft.partial().extend({ id: line(200) });
/** @param timezone for times without an offset */
export function createStepReader(manifest: OperationSpec[], timezone: string): StepReader {
  const find = indexOperations(manifest);

  function read<T>(raw: Json, schema: z.ZodType<T>): (ParsedStep & { step: T }) | Problems {
    const given = typeof raw === 'string' ? parseJson(raw) : raw;
    if (!isObject(given)) return { problems: ['A step is an object.'] };
    const { phase, duration_minutes: minutes, ...fields } = JsonObject.parse(given);
    // Minutes count like their words.
    if (typeof minutes === 'number') {
      const words = Number.isInteger(minutes) ? sayLength(minutes) : `${minutes} min`;
      fields.duration ??= words;
    }
    const id = typeof fields.id === 'number' ? String(fields.id) : fields.id;
    if (typeof id !== 'string' || id.trim() === '')
      return { problems: ['A step has no id. Give each a short one of its own.'] };
    const name = `Step ${id.slice(0, 40)}`;
    const args = readArguments(fields.args);
    if (args === undefined) return { problems: [`${name}: args is not a JSON object.`] };
    const bare = findBareTemplate(readJson(fields.args) ?? null, () => true);
    if (bare !== null)
      return {
        problems: [
          `${name}: {{${bare}}} names no value and would stay as it is. A step's value is {{id/path}}, an item's in for_each {{item/path}}; what is known only when the step runs is a whole argument, {"$decide":"…"}. For these very characters write \\{{${bare}}}.`,
        ],
      };
    const present = Object.entries(fields).filter(([, value]) => value !== null);
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
        .flatMap(flattenIssue)
        .map(({ path, message }) => endSentence(`${name}: ${path.join('.') || 'it'}: ${message}`));
      return { problems };
    }
    return { step: parsed.data, phase: readPhase(phase), fields };
  }

  return {
    timezone,
    readNew(raw) {
      const one = read(raw, NewStep);
      return 'problems' in one ? one : { step: one.step, phase: one.phase ?? null };
    },
    readChange(raw) {
      const one = read(raw, ChangedStep);
      if ('problems' in one) return one;
      const { step, phase, fields } = one;
      return { step, phase, cleared: clearable.filter((key) => fields[key] === null) };
    },
  };
}

type ParsedStep = { phase: string | null | undefined; fields: JsonObject };

function readPhase(phase: Json | undefined): string | null | undefined {
  if (phase === null) return null;
  return typeof phase === 'string' && phase.trim() !== '' ? phase.trim() : undefined;
}

const readJson = (value: Json | undefined): Json | undefined =>
  typeof value === 'string' ? (value.trim() === '' ? {} : parseJson(value)) : value;

/** Null if none were given, undefined if unreadable. */
function readArguments(value: Json | undefined): JsonObject | null | undefined {
  if (value === undefined || value === null) return null;
  const given = readJson(value);
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
  // The operation check reports unknown names.
  return { tool: first || second, operation: second || first };
}

/** The schema refuses unreadable times. */
function readTime(value: Json | undefined, timezone: string): { not_before?: string } {
  if (typeof value !== 'string') return {};
  try {
    return { not_before: toMoment(value.trim(), timezone).toISOString() };
  } catch (error) {
    if (error instanceof CountersignError) return { not_before: value };
    throw error;
  }
}

type AsksPerson = (step: StepDraft) => boolean;

export function findHuman(manifest: OperationSpec[]): AsksPerson {
  const human = new Set(manifest.flatMap(({ name, human }) => (human === true ? [name] : [])));
  return ({ tool, operation }) => human.has(operationName(tool, operation));
}

/** With a sentence per implausible length. */
export function measureLengths(
  nodes: OutlineNode[],
  asksPerson: AsksPerson,
  profile: StrategyProfile,
): { nodes: OutlineNode[]; problems: string[] } {
  const problems: string[] = [];
  const measured = nodes.map((node): OutlineNode => {
    if (node.steps.every(({ duration }) => duration === undefined)) return node;
    const steps = node.steps.map((step) => {
      if (step.duration === undefined) return step;
      const of = asksPerson(step) ? 'person' : 'clock';
      const read = parseDuration(step.duration, profile, of);
      if (!read.ok) problems.push(`Step ${step.id ?? ''}: ${read.message}`);
      return read.ok
        ? { ...step, duration: read.text ?? step.duration, duration_minutes: read.minutes }
        : step;
    });
    const [only] = steps;
    const own = steps.length === 1 ? only?.duration_minutes : undefined;
    return { ...node, steps, ...(own === undefined ? {} : { duration_minutes: own }) };
  });
  return { nodes: measured, problems };
}
