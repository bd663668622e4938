// Changes of single steps of a waiting plan, entered where they are shown. They stay in this browser until they are proposed together,
// as one change of the plan.
import type { ShownStep } from '#domain/plan/call.ts';
import { readEntries, toEntries } from '#domain/plan/form-entries.ts';
import {
  type Entry,
  type OperationField,
  type OperationForm,
  repeatItems,
  visibleFields,
} from '#domain/plan/operation-form.ts';
import type { PatchOutcome } from '#domain/plan/patch-outcome.ts';
import { browserZone } from '../plan/built-plan.ts';
import {
  describeEdit,
  operationsOf,
  type StepEdit,
  type StepEditing,
  writeOut,
} from '../plan/step-edit.ts';
import type { StepLabels } from '../plan/step-labels.ts';
import { describeError, get, post } from './api.ts';
import { readValues } from './builder.ts';
import { moveComments } from './comments.ts';
import { loadCard, refreshPlan } from './plans.ts';
import type { Card } from './state.ts';
import { change, changeNow, state } from './store.ts';
import { keepUnsent } from './unsent.ts';

export const edits = keepUnsent<StepEdit>(
  'edits',
  (s) => s.edits,
  ({ lines, operations }) => Array.isArray(lines) && Array.isArray(operations),
);

function update(part: Partial<StepEditing>): void {
  change((s) => {
    if (s.editing !== null) s.editing = { ...s.editing, ...part };
  });
}

const focusOn = (selector: string) => document.querySelector<HTMLElement>(selector)?.focus();

/** Opens the form of a step with its values, those of an edit that was not sent included. */
export async function startEdit(card: Card, step: ShownStep, label: string): Promise<void> {
  const { id: plan, digest } = card.facts.plan;
  try {
    const name = encodeURIComponent(`${step.tool}_${step.operation}`);
    const form = await get<OperationForm>(`/api/operations/${name}`);
    const known = edits.split(card).current.find((one) => one.step === step.id);
    const read = toEntries(form.fields, writeOut(known?.args ?? step.args), browserZone);
    const notBefore = step.not_before === null ? '' : (browserZone.toLocal(step.not_before) ?? '');
    changeNow((s) => {
      s.editing = {
        ...{ plan, digest, step, label, form, ...read },
        counts: {},
        at: known?.at ?? notBefore,
        after: known?.after ?? step.after.map(({ id }) => id),
        problems: new Map(),
        values: new Map(),
      };
    });
    focusOn('.step-edit :is(textarea, input, select, button)');
  } catch (error) {
    change((s) => s.notices.set(plan, describeError(error)));
  }
}

export function leaveEdit(): void {
  const { editing } = state;
  changeNow((s) => {
    s.editing = null;
  });
  if (editing !== null) focusOn(`[data-edit="${CSS.escape(editing.step.id)}"]`);
}

export const editedFields = ({ fields, counts, entries }: StepEditing): OperationField[] =>
  visibleFields(repeatItems(fields, counts), entries);

export function changeEdit(part: Partial<StepEditing>): void {
  update(part);
}

export function enterEdit(name: string, entry: Entry | undefined): void {
  const { editing } = state;
  if (editing === null) return;
  const { [name]: _, ...others } = editing.entries;
  const problems = new Map(editing.problems);
  problems.delete(name);
  update({ entries: entry === undefined ? others : { ...others, [name]: entry }, problems });
}

export async function suggestEdit(field: OperationField, typed: string): Promise<void> {
  const { editing } = state;
  if (editing === null) return;
  const values = await readValues(editing.form, field, typed);
  if (state.editing?.step.id === editing.step.id)
    update({ values: new Map([...state.editing.values, [field.name, values]]) });
}

/** Keeps what was entered; the same as before is no edit. */
export function saveEdit(card: Card, names: StepLabels): void {
  const { editing } = state;
  if (editing === null) return;
  const all = repeatItems(editing.fields, editing.counts);
  const { args, problems } = readEntries(all, editing.entries, browserZone, editing.kept);
  if (problems.length > 0) {
    changeNow((s) => {
      if (s.editing !== null)
        s.editing = {
          ...s.editing,
          problems: new Map(problems.map(({ name, message }) => [name, message])),
        };
    });
    focusOn('.step-edit [aria-invalid="true"]');
    return;
  }
  const { plan, digest, step, label, at, after } = editing;
  const operations = operationsOf(editing, args);
  const lines = describeEdit(editing, args, names);
  const { version } = card.facts.plan;
  const own = { ...{ step: step.id, label, digest, version, args, at, after }, lines, operations };
  edits.replace(plan, own, operations.length === 0 ? null : own);
  leaveEdit();
}

/** Proposes all edits of the shown version as its next version. Unsent comments stay with their steps. */
export async function proposeEdits(card: Card): Promise<void> {
  const { id, digest, revision } = card.facts.plan;
  const { current } = edits.split(card);
  if (current.length === 0 || state.pressing.has(id)) return;
  change((s) => {
    s.pressing.add(id);
    s.notices.delete(id);
  });
  try {
    const operations = current.flatMap((one) => one.operations);
    await post<PatchOutcome>(`/api/plans/${encodeURIComponent(id)}/patches`, {
      base_revision: revision,
      operations,
    });
    edits.keep(
      id,
      edits.allOf(id).filter((one) => one.digest !== digest),
    );
    await loadCard(id);
    const now = state.cards.get(id)?.facts.plan;
    if (now !== undefined) moveComments(id, digest, now);
    await refreshPlan();
  } catch (error) {
    change((s) => s.notices.set(id, describeError(error)));
  } finally {
    change((s) => s.pressing.delete(id));
  }
}
