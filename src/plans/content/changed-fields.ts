// The fields in which a step differs between two versions, as text.
import { z } from 'zod';
import { renameReferences } from '#domain/plan/arguments.ts';
import { shortenSized } from '#domain/plan/call-words.ts';
import { StepCondition } from '#domain/plan/condition.ts';
import { type AskingStep, labelConditions } from '#domain/plan/condition-labels.ts';
import { describeCondition } from '#domain/plan/condition-words.ts';
import type { FieldChange } from '#domain/plan/views.ts';
import { readsLikeJson } from '#domain/shown-text.ts';
import { isObject, type Json, type JsonObject } from '#domain/text.ts';
import { operationName } from '#domain/tool.ts';
import { canonical } from './canonical-text.ts';

/** Of values that stand whole beside the call of the step; when it runs, and whether a person is asked, is never cut. */
const textAtMost = 200;
const changesAtMost = 20;
const binding = new Set([
  'operation',
  'when',
  'ask_before',
  'after',
  'not_before',
  'resources',
  'capabilities',
]);

/** The label of a step, by its id. */
type NameStep = (id: string) => string;

/** Key order says nothing in JSON. */
function textOf(value: Json | undefined): string | null {
  if (value === undefined || value === null) return null;
  if (typeof value !== 'string') return canonical(value);
  // A text that could be taken for another type, or whose ends cannot be seen, is written as JSON.
  return value !== value.trim() || value === '' || readsLikeJson(value)
    ? JSON.stringify(value)
    : value;
}

/** `1, 2 (SS +5 min)`, in an order of its own: that of the list says nothing. */
function describeAfter(value: Json | undefined, nameStep: NameStep): string | null {
  if (!Array.isArray(value) || value.length === 0) return null;
  const names = value
    .filter((one) => isObject(one))
    .map(({ id, type, lag_minutes: lag }) => {
      const notes = [
        ...(type === 'FS' || typeof type !== 'string' ? [] : [type]),
        ...(typeof lag !== 'number' || lag === 0
          ? []
          : [`${lag > 0 ? '+' : '−'}${Math.abs(lag)} min`]),
      ];
      const name = nameStep(String(id));
      return notes.length === 0 ? name : `${name} (${notes.join(' ')})`;
    });
  return names.sort().join(', ');
}

function describeWhen(
  value: Json | undefined,
  nameStep: NameStep,
  asking: AskingStep[],
): string | null {
  const read = z.array(StepCondition).safeParse(value ?? []);
  if (!read.success) return textOf(value);
  return read.data.length === 0
    ? null
    : labelConditions(read.data, asking)
        .map((one) => describeCondition(one, nameStep(one.step)))
        .join(' and ');
}

function momentOf(value: Json | undefined): string | null {
  return typeof value === 'string' ? new Date(value).toISOString() : null;
}

function operationOf({ tool, operation }: JsonObject): string {
  return operationName(String(tool), String(operation));
}

function stepFields(
  step: JsonObject,
  nameStep: NameStep,
  asking: AskingStep[],
): Map<string, string | null> {
  const {
    id: _,
    tool: __,
    operation: ___,
    args,
    after,
    not_before,
    when,
    ask_before,
    seen: ____,
    ...rest
  } = step;
  const fields = new Map<string, string | null>([
    ['description', textOf(rest.description)],
    ['operation', operationOf(step)],
    ['target', textOf(rest.target)],
    ['when', describeWhen(when, nameStep, asking)],
    ['ask_before', ask_before === true ? 'yes' : null],
    ['after', describeAfter(after, nameStep)],
    ['not_before', momentOf(not_before)],
  ]);
  if (isObject(args)) {
    const named = renameReferences(args, nameStep);
    for (const [name, value] of Object.entries(named)) fields.set(`args.${name}`, textOf(value));
  }
  for (const [name, value] of Object.entries(rest)) {
    if (!fields.has(name)) fields.set(name, textOf(value));
  }
  return fields;
}

/**
 * The fields that differ, those people care about first. `fields` names them all, `changes` the first 20 with values, and
 * `changes_total` counts them.
 * @param asking the steps that their conditions refer to, as each version has them
 */
export function compareFields(
  before: JsonObject,
  after: JsonObject,
  nameStep: NameStep,
  asking: { before: AskingStep[]; after: AskingStep[] } = { before: [], after: [] },
): { fields: string[]; changes: FieldChange[]; changes_total: number } {
  const a = stepFields(before, nameStep, asking.before);
  const b = stepFields(after, nameStep, asking.after);
  const changes = [...new Set([...b.keys(), ...a.keys()])].flatMap((field): FieldChange[] => {
    const [from, to] = [a.get(field) ?? null, b.get(field) ?? null];
    return from === to ? [] : [{ field, from, to }];
  });
  const show = (field: string, text: string | null) =>
    text === null || binding.has(field) ? text : shortenSized(text, textAtMost);
  return {
    fields: [...new Set(changes.map(({ field }) => field.replace(/^args\..*$/s, 'args')))],
    changes: changes.slice(0, changesAtMost).map(({ field, from, to }) => ({
      field: shortenSized(field, 200),
      from: show(field, from),
      to: show(field, to),
    })),
    changes_total: changes.length,
  };
}
