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
import { recall, remember } from './remembered.ts';
import type { Card, State } from './state.ts';
import { change, changeNow, state } from './store.ts';

const storeKey = (plan: string) => `edits.${plan}`;

function isEdit(value: unknown): value is StepEdit {
  if (typeof value !== 'object' || value === null) return false;
  const { step, label, digest, lines, operations } = value as Partial<StepEdit>;
  const texts = [step, label, digest];
  return (
    texts.every((one) => typeof one === 'string') &&
    Array.isArray(lines) &&
    Array.isArray(operations)
  );
}

function allOf({ edits }: Pick<State, 'edits'>, plan: string): StepEdit[] {
  const known = edits.get(plan);
  if (known !== undefined) return known;
  const stored = recall(storeKey(plan));
  const read = Array.isArray(stored) ? stored.filter(isEdit) : [];
  edits.set(plan, read);
  return read;
}

function keep(plan: string, edits: StepEdit[]): void {
  change((s) => s.edits.set(plan, edits));
  remember(storeKey(plan), edits.length === 0 ? null : edits);
}

/** Edits of the version that is shown, and of versions before it. */
export function editsOf(
  of: Pick<State, 'edits'>,
  { facts: { plan } }: Card,
): { current: StepEdit[]; older: StepEdit[] } {
  const all = allOf(of, plan.id);
  return {
    current: all.filter(({ digest }) => digest === plan.digest),
    older: all.filter(({ digest }) => digest !== plan.digest),
  };
}

export function removeEdit(plan: string, edit: StepEdit): void {
  keep(
    plan,
    allOf(state, plan).filter((one) => one !== edit),
  );
}

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
    const known = editsOf(state, card).current.find((one) => one.step === step.id);
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
  const others = allOf(state, plan).filter((one) => one.step !== step.id || one.digest !== digest);
  const lines = describeEdit(editing, args, names);
  const { version } = card.facts.plan;
  const own = { ...{ step: step.id, label, digest, version, args, at, after }, lines, operations };
  keep(plan, operations.length === 0 ? others : [...others, own]);
  leaveEdit();
}

/** Proposes all edits of the version that is shown: its next version. Comments that were not sent stay beside their steps. */
export async function proposeEdits(card: Card): Promise<void> {
  const { id, digest, revision } = card.facts.plan;
  const { current } = editsOf(state, card);
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
    keep(
      id,
      allOf(state, id).filter((one) => one.digest !== digest),
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
