// The builder's actions: finding an operation, filling in its form, the plan that grows, its preview, and its proposal. What was built
// stays in this browser until it is proposed.
import { headlineOf } from '#cards/calls.ts';
import { readEntries } from '#domain/plan/form-entries.ts';
import {
  type Entry,
  type OperationField,
  type OperationForm,
  type OperationOffer,
  repeatItems,
  type Suggestion,
  visibleFields,
} from '#domain/plan/operation-form.ts';
import type { Plan } from '#domain/plan/plan.ts';
import {
  type BuiltPlan,
  type BuiltStep,
  browserZone,
  emptyPlan,
  newStep,
  toDraft,
  withMoved,
  withoutStep,
  withStep,
} from '../plan/built-plan.ts';
import { describeError, get, post } from './api.ts';
import { openPlan, showPane } from './focus.ts';
import { refreshInbox } from './inbox.ts';
import { recall, remember } from './remembered.ts';
import type { Builder, Card } from './state.ts';
import { change, changeNow, state } from './store.ts';

const storeKey = 'draft';
const timezone = Intl.DateTimeFormat().resolvedOptions().timeZone;

function readStored(): BuiltPlan {
  const stored = recall(storeKey) as Partial<BuiltPlan> | null;
  const isStep = (one: Partial<BuiltStep>) =>
    Array.isArray(one?.form?.fields) && typeof one.entries === 'object' && Array.isArray(one.after);
  return stored !== null && Array.isArray(stored.steps) && stored.steps.every(isStep)
    ? { ...emptyPlan, ...stored }
    : emptyPlan;
}

function update(part: Partial<Builder>): void {
  change((s) => {
    if (s.builder !== null) s.builder = { ...s.builder, ...part };
  });
}

const focusOn = (selector: string) =>
  document.querySelector<HTMLElement>(`dialog#builder ${selector}`)?.focus();

/** Opens the builder with what was begun before. */
export function openBuilder(): void {
  if (state.builder !== null) {
    focusOn('#operation-search');
    return;
  }
  if (document.querySelector('dialog[open]') !== null) return;
  const plan = readStored();
  change((s) => {
    s.builder = {
      plan,
      before: [],
      find: { words: '', found: null, at: 0, busy: true, problem: null },
      step: null,
      problems: new Map(),
      values: new Map(),
      card: null,
      problem: null,
      busy: false,
      sending: false,
    };
  });
  void search('');
  if (plan.steps.length > 0) void preview();
}

export function closeBuilder(): void {
  document.querySelector<HTMLDialogElement>('dialog#builder')?.close();
  change((s) => {
    s.builder = null;
  });
}

// The palette.

let searching = 0;

export async function search(words: string): Promise<void> {
  searching += 1;
  const own = searching;
  if (state.builder === null) return;
  const find = { ...state.builder.find, words, busy: true };
  // At once, so that what is pressed next is among what was found for these words.
  changeNow((s) => {
    if (s.builder !== null) s.builder = { ...s.builder, find };
  });
  try {
    const query = new URLSearchParams({ limit: '40', ...(words.trim() === '' ? {} : { words }) });
    const { operations } = await get<{ operations: OperationOffer[] }>(`/api/operations?${query}`);
    if (own === searching)
      update({ find: { words, found: operations, at: 0, busy: false, problem: null } });
  } catch (error) {
    if (own === searching)
      update({ find: { words, found: [], at: 0, busy: false, problem: describeError(error) } });
  }
}

/** Moves the choice in the list of operations. */
export function moveChoice(by: number): void {
  const { builder } = state;
  if (builder === null) return;
  const last = (builder.find.found?.length ?? 1) - 1;
  const at = Math.max(0, Math.min(last, builder.find.at + by));
  changeNow((s) => {
    if (s.builder !== null) s.builder = { ...s.builder, find: { ...s.builder.find, at } };
  });
  document.getElementById(`operation-${at}`)?.scrollIntoView({ block: 'nearest' });
}

export async function choose(offer: OperationOffer): Promise<void> {
  try {
    const form = await get<OperationForm>(`/api/operations/${encodeURIComponent(offer.name)}`);
    if (state.builder !== null) fillIn(newStep(form, state.builder.plan));
  } catch (error) {
    if (state.builder !== null)
      update({ find: { ...state.builder.find, problem: describeError(error) } });
  }
}

// The form of a step.

/** Opens the form of a step, ready for typing. */
export function fillIn(step: BuiltStep): void {
  changeNow((s) => {
    if (s.builder !== null)
      s.builder = { ...s.builder, step, problems: new Map(), values: new Map() };
  });
  focusOn('.operation-form :is(textarea, input, select)');
  if (document.activeElement?.closest('.operation-form') === null) focusOn('[data-adds]');
}

export function leaveForm(): void {
  changeNow((s) => {
    if (s.builder !== null) s.builder = { ...s.builder, step: null, problems: new Map() };
  });
  focusOn('#operation-search');
}

export function changeStep(part: Partial<BuiltStep>): void {
  const step = state.builder?.step;
  if (step != null) update({ step: { ...step, ...part } });
}

/** Sets how many items a list of objects has; a new one is ready for typing. */
export function repeatList(list: string, count: number): void {
  const step = state.builder?.step;
  if (step == null) return;
  changeNow((s) => {
    if (s.builder !== null)
      s.builder = { ...s.builder, step: { ...step, counts: { ...step.counts, [list]: count } } };
  });
  focusOn(`[data-field^="${list}/${count - 1}/"] :is(textarea, input)`);
}

/** undefined: nothing is entered any more. */
export function enter(name: string, entry: Entry | undefined): void {
  const { builder } = state;
  if (builder?.step == null) return;
  const { [name]: _, ...others } = builder.step.entries;
  const entries = entry === undefined ? others : { ...others, [name]: entry };
  const problems = new Map(builder.problems);
  problems.delete(name);
  update({ step: { ...builder.step, entries }, problems });
}

/** The fields of a step that are there now. */
export const fieldsOf = ({ form, counts, entries }: BuiltStep): OperationField[] =>
  visibleFields(repeatItems(form.fields, counts), entries);

/** Values to choose from for a field with a `pick`; without them the field takes what is typed. */
export async function readValues(
  { name }: OperationForm,
  field: OperationField,
  typed: string,
): Promise<Suggestion[]> {
  const query = new URLSearchParams({ field: field.name, ...(typed === '' ? {} : { typed }) });
  const path = `/api/operations/${encodeURIComponent(name)}/values?${query}`;
  const { values } = await get<{ values: Suggestion[] }>(path).catch(() => ({ values: [] }));
  return values;
}

let suggesting = 0;

export async function suggest(
  step: BuiltStep,
  field: OperationField,
  typed: string,
): Promise<void> {
  suggesting += 1;
  const own = suggesting;
  const values = await readValues(step.form, field, typed);
  if (own === suggesting && state.builder !== null)
    update({ values: new Map([...state.builder.values, [field.name, values]]) });
}

/** Takes the step into the plan if its form is filled in. */
export function addStep(): void {
  const { builder } = state;
  if (builder?.step == null) return;
  const { step } = builder;
  const all = repeatItems(step.form.fields, step.counts);
  const { args, problems } = readEntries(all, step.entries, browserZone);
  const [first] = problems;
  if (first !== undefined) {
    changeNow((s) => {
      if (s.builder !== null)
        s.builder = {
          ...s.builder,
          problems: new Map(problems.map(({ name, message }) => [name, message])),
        };
    });
    focusOn('[aria-invalid="true"]');
    return;
  }
  changePlan(withStep(builder.plan, { ...step, args }));
  leaveForm();
  void search('');
}

// The plan.

const maxUndone = 50;

export function changePlan(plan: BuiltPlan): void {
  const { builder } = state;
  if (builder === null) return;
  const before = [...builder.before, builder.plan].slice(-maxUndone);
  takePlan(plan, before);
}

function takePlan(plan: BuiltPlan, before: BuiltPlan[]): void {
  remember(storeKey, plan);
  update({ plan, before });
  void preview();
}

export function undo(): void {
  const { builder } = state;
  const last = builder?.before.at(-1);
  if (builder !== null && last !== undefined) takePlan(last, builder.before.slice(0, -1));
}

export function removeStep(id: string): void {
  if (state.builder !== null) changePlan(withoutStep(state.builder.plan, id));
}

export function moveStep(id: string, by: -1 | 1): void {
  if (state.builder !== null) changePlan(withMoved(state.builder.plan, id, by));
}

/** The first step's action, as the review words it. */
function titleFrom(card: Card | null): string {
  const call = card?.facts.steps[0]?.call;
  return call === undefined ? '' : headlineOf(call);
}

const draftNow = ({ plan, card }: Builder) => ({
  ...toDraft(plan, titleFrom(card), timezone),
  conversation: state.conversation,
});

let previewing = 0;

/** Draws the plan as it would be proposed. */
async function preview(): Promise<void> {
  previewing += 1;
  const own = previewing;
  const { builder } = state;
  if (builder === null) return;
  if (builder.plan.steps.length === 0) return update({ card: null, problem: null, busy: false });
  update({ busy: true });
  try {
    const path = `/api/plans/preview?timezone=${encodeURIComponent(timezone)}`;
    const card = await post<Card>(path, draftNow(builder));
    if (own === previewing) update({ card, problem: null, busy: false });
  } catch (error) {
    if (own === previewing) update({ problem: describeError(error), busy: false });
  }
}

/** Proposes the plan, and opens it for review. */
export async function proposeBuilt(): Promise<void> {
  const { builder } = state;
  if (builder === null || builder.sending || builder.plan.steps.length === 0) return;
  update({ sending: true });
  try {
    const { id } = await post<Plan>('/api/plans', draftNow(builder));
    remember(storeKey, null);
    closeBuilder();
    openPlan(id);
    showPane('plan');
    refreshInbox();
  } catch (error) {
    update({ problem: describeError(error), sending: false });
  }
}
