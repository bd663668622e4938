// A plan change as a model writes it.
import { z } from 'zod';
import { PatchOperation, type PlanPatch } from '#domain/plan/patch.ts';
import { allFields } from '#domain/plan/step-content.ts';
import { isObject, type Json, JsonObject, JsonValue, line, toJson } from '#domain/text.ts';
import { toLimit, toMoment } from '#timeline/recurrence.ts';
import { readRule } from '#timeline/rule.ts';
import { type StepChange, type StepReader, stepOfOutline } from '../outline/written-steps.ts';

const newStep = z.strictObject({
  ...stepOfOutline,
  id: z.string().describe('new, unlike any step of the plan: 4b, 9'),
});
export const editable = allFields.flatMap(([name, { change, written }]) => {
  if (change === undefined || written === undefined || written.of === 'wide') return [];
  return [name === 'args' ? 'args (merged)' : name];
});

/** Local times; omitted ones stay. */
const NewRule = z.strictObject({
  series: z.string(),
  rrule: z.string().optional(),
  starts_at: z.string().optional(),
  until: z.string().optional(),
  timezone: z.string().optional(),
});

export const WrittenChange = z.strictObject({
  why: line(500).describe('One sentence for the person: what changes, and why.'),
  add: z
    .array(newStep)
    .optional()
    .describe(
      'New steps. Without "after", one that replaces another waits for what that waited for.',
    ),
  replace: z
    .array(z.strictObject({ step: z.string(), by: z.string() }))
    .optional()
    .describe(
      'Which new step takes the place of which step of the plan, by their ids: that never runs again, and what used its output uses that of the new one.',
    ),
  edit: z
    .array(z.looseObject({ id: z.string() }))
    .optional()
    .describe(
      `Steps that have not begun, or that failed and are in "rerun", by id, with what changes of ${editable.join(', ')}, notes.`,
    ),
  remove: z
    .array(z.string())
    .optional()
    .describe(
      'Ids of steps not to run, or not to run again. Steps that wait for them run without them.',
    ),
  rerun: z
    .array(z.string())
    .optional()
    .describe('Ids of steps that run again: done, failed or stale ones.'),
  wait: z
    .array(z.strictObject({ step: z.string(), for: z.string() }))
    .optional()
    .describe('A step of the plan that has not begun shall wait for another one.'),
  repeat: z.array(NewRule).optional().describe('Steps that repeat, by the id of their series.'),
});
/** Step by step, to report each problem. */
export const ChangeInput = WrittenChange.extend({
  add: z.array(JsonValue).optional(),
  edit: z.array(JsonValue).optional(),
});
export type ChangeInput = z.infer<typeof ChangeInput>;

function givenOf(step: StepChange['step']): JsonObject {
  return JsonObject.parse(toJson(step));
}

/** Later operations may use earlier results. */
function toOperations(
  args: ChangeInput,
  reader: StepReader,
): { operations: Json[]; problems: string[] } {
  const {
    replace = [],
    add = [],
    edit = [],
    remove = [],
    rerun = [],
    wait = [],
    repeat = [],
  } = args;
  const problems: string[] = [];
  const added = new Set<Json | undefined>();
  const soundOf = <T extends object>(read: T | { problems: string[] }): T | null => {
    if (!('problems' in read)) return read;
    problems.push(...read.problems);
    return null;
  };
  const readNew = (raw: Json): JsonObject => {
    const read = soundOf(reader.readNew(raw));
    return read === null ? {} : givenOf(read.step);
  };
  const readEdit = (raw: Json): Json => {
    const read = soundOf(reader.readChange(raw));
    if (read === null) return {};
    const { id, ...set } = givenOf(read.step);
    const cleared = Object.fromEntries(read.cleared.map((key) => [key, null]));
    return { op: 'update_steps', steps: { ids: [id ?? ''] }, set: { ...set, ...cleared } };
  };
  const readRepeat = ({
    series,
    rrule,
    starts_at,
    until,
    timezone,
  }: z.infer<typeof NewRule>): Json => {
    const moment = (text: string, read = toMoment) =>
      read(text.trim(), timezone ?? reader.timezone).toISOString();
    const set = {
      ...(rrule === undefined ? {} : { rrule: readRule(rrule) }),
      ...(starts_at === undefined ? {} : { starts_at: moment(starts_at) }),
      ...(until === undefined ? {} : { until: moment(until, toLimit) }),
      ...(timezone === undefined ? {} : { timezone }),
    };
    return { op: 'change_series', series, set };
  };
  const operations = [
    ...add.map((raw): Json => {
      const step = readNew(raw);
      added.add(step.id);
      const place = replace.find(({ by }) => by === step.id);
      return place === undefined
        ? { op: 'add_step', step }
        : { op: 'replace_step', step: place.step, by: step };
    }),
    ...edit.map(readEdit),
    ...repeat.map(readRepeat),
    ...wait.map((one): Json => ({ op: 'add_dependency', step: one.step, after: { id: one.for } })),
    ...(rerun.length === 0 ? [] : [{ op: 'rerun_steps', steps: { ids: rerun } }]),
    ...(remove.length === 0 ? [] : [{ op: 'remove_steps', steps: { ids: remove }, release: true }]),
  ];
  const loose = replace.filter(({ by }) => !added.has(by));
  if (problems.length === 0 && loose.length > 0)
    problems.push(
      `"replace" names ${loose.map(({ by }) => by).join(', ')}, which "add" does not add.`,
    );
  return { operations, problems };
}

/** @param revision as read */
export function readChange(
  args: ChangeInput,
  revision: number,
  read: StepReader,
): { change: PlanPatch } | { problems: string[] } {
  const { operations, problems } = toOperations(args, read);
  if (problems.length > 0) return { problems };
  if (operations.length === 0)
    return {
      problems: [
        'Nothing changes. Say what to replace, add, edit, remove, run again, wait for or repeat.',
      ],
    };
  const parsed = z.array(PatchOperation).safeParse(operations);
  if (parsed.success) {
    return { change: { base_revision: revision, reason: args.why, operations: parsed.data } };
  }
  const misfits = parsed.error.issues.map(({ path: [index, ...path], message }) => {
    const operation = operations[Number(index)];
    const op = isObject(operation) ? String(operation.op) : 'change';
    return `${op} ${path.join('.')}: ${message}`;
  });
  return { problems: misfits };
}
