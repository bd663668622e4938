// Edits a waiting plan's step. Pure.
import type { Build } from '#domain/plan/build.ts';
import type { ShownStep } from '#domain/plan/call.ts';
import { toEntry } from '#domain/plan/form-entries.ts';
import { isOpenEntry, type OperationField, type Suggestion } from '#domain/plan/operation-form.ts';
import type { PatchOperation } from '#domain/plan/patch.ts';
import { writeTemplates } from '#domain/plan/templates.ts';
import { isSameJson } from '#domain/same-json.ts';
import type { Json, JsonObject } from '#domain/text.ts';
import { browserZone } from './browser-zone.ts';
import type { StepLabels } from './step-labels.ts';

/** `kept`: arguments without a field. */
export type StepEditing = {
  plan: string;
  digest: string;
  step: ShownStep;
  label: string;
  build: Build;
  kept: JsonObject;
  values: ReadonlyMap<string, Suggestion[]>;
};

export type EditLine = { name: string; before: string; now: string };

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

/** Arguments as written; `at` local or empty. */
export type Entered = { args: JsonObject; at: string; after: string[] };

const shown = (value: Json | undefined): string =>
  value === undefined ? 'nothing' : typeof value === 'string' ? value : JSON.stringify(value);

export function describeEdit(
  step: Pick<ShownStep, 'args' | 'after' | 'not_before'>,
  fields: OperationField[],
  { args, at, after }: Entered,
  labels: StepLabels,
): EditLine[] {
  const before = writeTemplates(step.args);
  const names = new Set([...Object.keys(before), ...Object.keys(args)]);
  const lines = [...names].flatMap((name): EditLine[] => {
    if (isSameJson(before[name], args[name])) return [];
    const field = fields.find(({ path }) => path[0] === name && path.length === 1);
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
