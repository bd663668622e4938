// A step of a waiting plan that is edited: its values as a form has them, and the operations that change it. Pure.
import type { ShownStep } from '#domain/plan/call.ts';
import { toEntry } from '#domain/plan/form-entries.ts';
import { changesBetween, isSameValue } from '#domain/plan/merge.ts';
import {
  type Entries,
  isOpenEntry,
  type OperationField,
  type OperationForm,
  type Suggestion,
} from '#domain/plan/operation-form.ts';
import type { PatchOperation } from '#domain/plan/patch.ts';
import type { Json, JsonObject } from '#domain/text.ts';
import { browserZone } from './built-plan.ts';
import type { StepLabels } from './step-labels.ts';

/** An open form: the step and the values entered so far. */
export type StepEditing = {
  plan: string;
  digest: string;
  step: ShownStep;
  label: string;
  form: OperationForm;
  fields: OperationField[];
  entries: Entries;
  kept: JsonObject;
  counts: Record<string, number>;
  /** A local time, or empty. */
  at: string;
  /** Ids of the steps that it waits for. */
  after: string[];
  problems: ReadonlyMap<string, string>;
  values: ReadonlyMap<string, Suggestion[]>;
};

export type EditLine = { name: string; before: string; now: string };

/** A change of a step that was not sent yet. */
export type StepEdit = {
  step: string;
  label: string;
  digest: string;
  version: number;
  args: JsonObject;
  at: string;
  after: string[];
  lines: EditLine[];
  operations: PatchOperation[];
};

/** Stored arguments as a person writes them: `{{1/text}}` for a value of a step inside a text, `\{{` for braces. */
export function writeOut(args: JsonObject): JsonObject {
  const write = (value: Json): Json => {
    if (typeof value === 'string') return value.replaceAll('{{', '\\{{');
    if (Array.isArray(value)) return value.map(write);
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value.$template)) {
      let text = '';
      for (const part of value.$template) {
        if (typeof part === 'string') text += part.replaceAll('{{', '\\{{');
        else if (!isOpenEntry(part) || text.endsWith('\\')) return value;
        else text += `{{${String(part.$from)}${String(part.path ?? '')}}}`;
      }
      return text;
    }
    return isOpenEntry(value) ? value : writeRecord(value);
  };
  const writeRecord = (record: JsonObject): JsonObject =>
    Object.fromEntries(Object.entries(record).map(([key, item]) => [key, write(item)]));
  return writeRecord(args);
}

/** @param args what was entered, as it is written */
export function operationsOf(
  { step, at, after }: Pick<StepEditing, 'step' | 'at' | 'after'>,
  args: JsonObject,
): PatchOperation[] {
  const { id, not_before: notBefore } = step;
  const before = notBefore === null ? '' : (browserZone.toLocal(notBefore) ?? '');
  const changes = changesBetween(writeOut(step.args), args);
  const set = {
    ...(Object.keys(changes).length === 0 ? {} : { args: changes }),
    ...(at === before ? {} : { not_before: at === '' ? null : browserZone.toMoment(at) }),
  };
  const known = step.after.map((one) => one.id);
  const added = after
    .filter((one) => !known.includes(one))
    .map((one): PatchOperation => {
      const edge = { id: one, type: 'FS', lag_minutes: 0 } as const;
      return { op: 'add_dependency', step: id, after: edge };
    });
  const gone = step.after
    .filter((one) => !after.includes(one.id))
    .map((one): PatchOperation => {
      return { op: 'remove_dependency', step: id, after: { id: one.id, type: one.type } };
    });
  const updates: PatchOperation[] =
    Object.keys(set).length === 0 ? [] : [{ op: 'update_steps', steps: { ids: [id] }, set }];
  const again: PatchOperation[] =
    step.status === 'failed' && updates.length > 0
      ? [{ op: 'rerun_steps', steps: { ids: [id] } }]
      : [];
  return [...updates, ...again, ...gone, ...added];
}

const shown = (value: Json | undefined): string =>
  value === undefined ? 'nothing' : typeof value === 'string' ? value : JSON.stringify(value);

/** The changes of an edit, by argument. */
export function describeEdit(
  editing: StepEditing,
  args: JsonObject,
  labels: StepLabels,
): EditLine[] {
  const { step, form, at, after } = editing;
  const before = writeOut(step.args);
  const names = new Set([...Object.keys(before), ...Object.keys(args)]);
  const lines = [...names].flatMap((name): EditLine[] => {
    if (isSameValue(before[name], args[name])) return [];
    const field = form.fields.find(({ path }) => path[0] === name && path.length === 1);
    const words = (value: Json | undefined) => {
      if (value === undefined || field === undefined || isOpenEntry(value)) return shown(value);
      const entry = toEntry(field, value, browserZone);
      return typeof entry === 'object' ? shown(entry) : String(entry);
    };
    return [{ name: field?.short ?? name, before: words(before[name]), now: words(args[name]) }];
  });
  const time = step.not_before === null ? '' : (browserZone.toLocal(step.not_before) ?? '');
  const moved =
    at === time
      ? []
      : [
          {
            name: 'Not before',
            before: time.replace('T', ' ') || 'nothing',
            now: at.replace('T', ' ') || 'nothing',
          },
        ];
  const namesOf = (some: string[]) =>
    some.map((id) => labels.get(id) ?? id).join(', ') || 'nothing';
  const ids = step.after.map(({ id }) => id);
  const isOrdered = ids.length === after.length && ids.every((id) => after.includes(id));
  const ordered = isOrdered
    ? []
    : [
        {
          name: 'Waits for',
          before: namesOf(ids),
          now: namesOf(after),
        },
      ];
  return [...lines, ...moved, ...ordered];
}
