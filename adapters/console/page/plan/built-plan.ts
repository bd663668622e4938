// A plan that is built by hand: its steps as they were filled in, and the draft that they make. Pure.
import type { Zone } from '#domain/plan/form-entries.ts';
import { type Entries, initialEntries, type OperationForm } from '#domain/plan/operation-form.ts';
import type { PlanDraft } from '#domain/plan/plan.ts';
import type { StepDraft } from '#domain/plan/step-content.ts';
import type { JsonObject } from '#domain/text.ts';
import { firstSentence } from '#domain/words.ts';

/** One step: what was entered, and the arguments that it gave. `at`: a local time before which it does not run, or empty. */
export type BuiltStep = {
  id: string;
  form: OperationForm;
  /** How many items each list of objects has, by its pointer. */
  counts: Record<string, number>;
  entries: Entries;
  args: JsonObject;
  after: string[];
  at: string;
};

export const repetitions = {
  '': 'Once',
  'FREQ=DAILY': 'Every day',
  'FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR': 'Every weekday',
  'FREQ=WEEKLY': 'Every week',
  'FREQ=MONTHLY': 'Every month',
} as const;
export type Repetition = keyof typeof repetitions;

/** `from`: the local time of the first run, of a plan that repeats. */
export type BuiltPlan = { title: string; steps: BuiltStep[]; repeats: Repetition; from: string };

export const emptyPlan: BuiltPlan = { title: '', steps: [], repeats: '', from: '' };

const twoDigits = (n: number) => String(n).padStart(2, '0');

/** Local times of this browser. */
export const browserZone: Zone = {
  toMoment(local) {
    const time = new Date(local);
    return Number.isNaN(time.getTime()) ? null : time.toISOString();
  },
  toLocal(moment) {
    const time = new Date(moment);
    if (Number.isNaN(time.getTime())) return null;
    const day = [time.getFullYear(), time.getMonth() + 1, time.getDate()].map(twoDigits).join('-');
    return `${day}T${[time.getHours(), time.getMinutes()].map(twoDigits).join(':')}`;
  },
};

/** A step of this operation that waits for the step before it. */
export function newStep(form: OperationForm, { steps }: BuiltPlan): BuiltStep {
  const numbers = steps.map(({ id }) => Number(id));
  const last = steps.at(-1);
  return {
    id: String(Math.max(0, ...numbers) + 1),
    form,
    counts: {},
    entries: initialEntries(form.fields),
    args: {},
    after: last === undefined ? [] : [last.id],
    at: '',
  };
}

/** The step in the place of the one of its id, or as the last. */
export function withStep(plan: BuiltPlan, step: BuiltStep): BuiltPlan {
  const known = plan.steps.some(({ id }) => id === step.id);
  const steps = known
    ? plan.steps.map((one) => (one.id === step.id ? step : one))
    : [...plan.steps, step];
  return { ...plan, steps };
}

/** Steps that waited for it now wait for its predecessors. */
export function withoutStep(plan: BuiltPlan, id: string): BuiltPlan {
  const gone = plan.steps.find((one) => one.id === id);
  const steps = plan.steps
    .filter((one) => one.id !== id)
    .map((one) =>
      one.after.includes(id)
        ? {
            ...one,
            after: [
              ...new Set([...one.after.filter((each) => each !== id), ...(gone?.after ?? [])]),
            ],
          }
        : one,
    );
  return { ...plan, steps };
}

/** The step one place up (-1) or down (1). What it waits for is not changed. */
export function withMoved(plan: BuiltPlan, id: string, by: -1 | 1): BuiltPlan {
  const from = plan.steps.findIndex((one) => one.id === id);
  const step = plan.steps[from];
  const to = from + by;
  if (step === undefined || to < 0 || to >= plan.steps.length) return plan;
  return { ...plan, steps: plan.steps.toSpliced(from, 1).toSpliced(to, 0, step) };
}

/** The first sentence of an operation's description, or its name. */
export const gistOf = ({ description, name }: { description: string; name: string }): string =>
  firstSentence(description).slice(0, 200) || name;

function draftStep({ id, form, args, after, at }: BuiltStep): StepDraft {
  const notBefore = at === '' ? null : browserZone.toMoment(at);
  return {
    id,
    description: gistOf(form),
    tool: form.tool,
    operation: form.operation,
    args,
    ...(after.length === 0 ? {} : { after }),
    ...(notBefore === null ? {} : { not_before: notBefore }),
  };
}

/** @param called what the plan's first step does, for a plan without a title */
export function toDraft(
  { title, steps, repeats, from }: BuiltPlan,
  called: string,
  timezone: string,
): PlanDraft {
  const own = steps.map(draftStep);
  const named = (
    title.trim() ||
    called ||
    gistOf(steps[0]?.form ?? { description: '', name: 'Plan' })
  ).slice(0, 300);
  const starts = browserZone.toMoment(from);
  if (repeats === '' || starts === null) return { title: named, steps: own };
  const [hours, minutes] = from.slice(11).split(':').map(Number);
  const rrule = `${repeats};BYHOUR=${hours};BYMINUTE=${minutes}`;
  const series = { id: 'repeats', title: named, rrule, starts_at: starts, timezone, until: null };
  return { title: named, steps: [], series: [{ ...series, steps: own }] };
}
