// A plan being built by form, the same on every surface.
import { quoteName } from '../shown-text.ts';
import type { JsonObject } from '../text.ts';
import { firstSentence } from '../words.ts';
import type { FieldProblem } from './answer.ts';
import { readEntries, type Zone } from './form-entries.ts';
import {
  type Entries,
  type Entry,
  initialEntries,
  type OperationField,
  type OperationForm,
  repeatItems,
  visibleFields,
} from './operation-form.ts';
import type { PlanDraft } from './plan.ts';
import type { StepDraft } from './step-content.ts';

/** `args`: from the entries. `at`: earliest start as entered. */
export type BuiltStep = {
  id: string;
  /** `2a. Writes a.txt`, in a plan that exists. */
  label?: string | undefined;
  form: OperationForm;
  /** Items per list of objects, by pointer. */
  counts: Record<string, number>;
  entries: Entries;
  args: JsonObject;
  after: string[];
  at: string;
};

/** No operation's name can equal it. */
export const playbookTool = 'playbook';
export const isPlaybook = ({ form }: Pick<BuiltStep, 'form'>): boolean =>
  form.name.startsWith(`${playbookTool} `);

export const repeatRules = {
  '': 'Once',
  'FREQ=DAILY': 'Every day',
  'FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR': 'Every weekday',
  'FREQ=WEEKLY': 'Every week',
  'FREQ=MONTHLY': 'Every month',
} as const;
export type RepeatRule = keyof typeof repeatRules;
export const isRepeatRule = (value: string): value is RepeatRule =>
  Object.hasOwn(repeatRules, value);

/** `from`: first run, as entered. */
export type BuiltPlan = { title: string; steps: BuiltStep[]; repeats: RepeatRule; from: string };

export const emptyPlan: BuiltPlan = { title: '', steps: [], repeats: '', from: '' };

function newStep(form: OperationForm, { steps }: BuiltPlan): BuiltStep {
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

function withStep(plan: BuiltPlan, step: BuiltStep): BuiltPlan {
  const known = plan.steps.some(({ id }) => id === step.id);
  const steps = known
    ? plan.steps.map((one) => (one.id === step.id ? step : one))
    : [...plan.steps, step];
  return { ...plan, steps };
}

/** Successors inherit predecessors. */
function withoutStep(plan: BuiltPlan, id: string): BuiltPlan {
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

/** Predecessors don't change. */
function withMoved(plan: BuiltPlan, id: string, by: -1 | 1): BuiltPlan {
  const from = plan.steps.findIndex((one) => one.id === id);
  const step = plan.steps[from];
  const to = from + by;
  if (step === undefined || to < 0 || to >= plan.steps.length) return plan;
  return { ...plan, steps: plan.steps.toSpliced(from, 1).toSpliced(to, 0, step) };
}

export const gistOf = ({ description, name }: { description: string; name: string }): string =>
  firstSentence(description).slice(0, 200) || name;

function draftStep({ id, form, args, after, at }: BuiltStep, zone: Zone): StepDraft {
  const notBefore = at === '' ? null : zone.toMoment(at);
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

/** @param called default: the first operation's description */
export function toDraft(
  { title, steps, repeats, from }: BuiltPlan,
  called: string,
  timezone: string,
  zone: Zone,
): PlanDraft {
  const own = steps.map((step) => draftStep(step, zone));
  const gist = gistOf(steps[0]?.form ?? { description: '', name: 'Plan' });
  const named = (title.trim() || called || gist).slice(0, 300);
  const starts = zone.toMoment(from);
  if (repeats === '' || starts === null) return { title: named, steps: own };
  const [hours, minutes] = (zone.toLocal(starts) ?? '').slice(11).split(':').map(Number);
  const rrule = `${repeats};BYHOUR=${hours};BYMINUTE=${minutes}`;
  const series = { id: 'repeats', title: named, rrule, starts_at: starts, timezone, until: null };
  return { title: named, steps: [], series: [{ ...series, steps: own }] };
}

/** `before`: for Undo, latest last. */
export type Build = {
  plan: BuiltPlan;
  before: BuiltPlan[];
  step: BuiltStep | null;
  problems: FieldProblem[];
  /** The digest of the waiting plan whose step is edited. */
  edits?: string | undefined;
};

export const emptyBuild: Build = { plan: emptyPlan, before: [], step: null, problems: [] };

/** Key of problems without a field. */
export const atProblem = 'at';
export const fromProblem = 'from';
export const planProblem = 'plan';

const maxBuiltSteps = 40;
const maxUndone = 50;
const maxItems = 50;

export type BuildMove =
  | { kind: 'choose'; form: OperationForm }
  | { kind: 'edit'; step: string }
  | { kind: 'fill'; entries: Record<string, Entry | undefined> }
  | { kind: 'wait'; after?: string[]; at?: string }
  | { kind: 'repeat'; list: string; count: number }
  | { kind: 'add' }
  | { kind: 'leave' }
  | { kind: 'remove'; step: string }
  | { kind: 'move'; step: string; by: -1 | 1 }
  | { kind: 'terms'; title?: string; repeats?: RepeatRule; from?: string }
  | { kind: 'undo' };

/** Includes those of chosen alternatives. */
export const fieldsOf = ({ form, counts }: BuiltStep): OperationField[] =>
  repeatItems(form.fields, counts);
export const shownFields = (step: BuiltStep): OperationField[] =>
  visibleFields(fieldsOf(step), step.entries);

/** A lone `{{1/text}}` becomes a reference; within text it remains a template. */
function readReferences(fields: OperationField[], entries: Entries): Entries {
  const read = fields.flatMap(({ name, holds, type }): [string, Entry][] => {
    const entry = entries[name];
    const isText = holds === 'value' && (type === 'text' || type === 'multiline');
    if (typeof entry !== 'string' || isText) return [];
    const [, id, path = ''] = /^\{\{ ?(\d{1,4})(\/[^{}]{0,300})?\}\}$/.exec(entry.trim()) ?? [];
    return id === undefined ? [] : [[name, { $from: id, path: path.trim() }]];
  });
  return { ...entries, ...Object.fromEntries(read) };
}

const changed = ({ plan, before, step }: Build, next: BuiltPlan): Build => ({
  plan: next,
  before: [...before, plan].slice(-maxUndone),
  step,
  problems: [],
});

const withProblem = (build: Build, name: string, message: string): Build => ({
  ...build,
  problems: [{ name, message }],
});

/** Null if the time can be read. */
function findWrongTime(entered: string, name: string, what: string, zone: Zone): FieldProblem[] {
  if (entered.trim() === '' || zone.toMoment(entered.trim()) !== null) return [];
  return [
    { name, message: `${quoteName(what, 80)} must be a future time such as 2026-12-03 09:00.` },
  ];
}

/** `tomorrow` as a date, so that it doesn't shift later. */
function settleTime(entered: string, zone: Zone): string {
  const moment = entered.trim() === '' ? null : zone.toMoment(entered.trim());
  return moment === null ? entered : (zone.toLocal(moment) ?? entered);
}

function settleTimes(fields: OperationField[], entries: Entries, zone: Zone): Entries {
  const times = fields.flatMap(({ name, holds }): [string, Entry][] => {
    const entry = entries[name];
    return holds === 'moment' && typeof entry === 'string' ? [[name, settleTime(entry, zone)]] : [];
  });
  return { ...entries, ...Object.fromEntries(times) };
}

/** The step with the arguments and times that were entered. @param kept as in `readEntries` */
export function finishStep(
  step: BuiltStep,
  zone: Zone,
  kept: JsonObject = {},
): { finished: BuiltStep; problems: FieldProblem[] } {
  const fields = fieldsOf(step);
  const entries = settleTimes(fields, readReferences(fields, step.entries), zone);
  const { args, problems } = readEntries(fields, entries, zone, kept);
  return {
    finished: { ...step, entries, args, at: settleTime(step.at, zone) },
    problems: [...problems, ...findWrongTime(step.at, atProblem, 'Not before', zone)],
  };
}

function addStep(build: Build, step: BuiltStep, zone: Zone): Build {
  const { finished, problems } = finishStep(step, zone);
  if (problems.length > 0) return { ...build, problems };
  const known = new Set(build.plan.steps.map(({ id }) => id));
  const after = step.after.filter((id) => known.has(id));
  return { ...changed(build, withStep(build.plan, { ...finished, after })), step: null };
}

function setTerms(build: Build, terms: Partial<Omit<BuiltPlan, 'steps'>>, zone: Zone): Build {
  const entered = { ...build.plan, ...terms };
  const plan = { ...entered, from: settleTime(entered.from, zone) };
  const missing = plan.repeats !== '' && plan.from.trim() === '';
  const problems = missing
    ? [{ name: fromProblem, message: 'Say when it runs first.' }]
    : findWrongTime(plan.from, fromProblem, 'First run', zone);
  return { ...changed(build, plan), problems };
}

export function advance(build: Build, move: BuildMove, zone: Zone): Build {
  const { plan, step, before } = build;
  switch (move.kind) {
    case 'choose':
      return plan.steps.length < maxBuiltSteps
        ? { ...build, step: newStep(move.form, plan), problems: [] }
        : withProblem(
            build,
            planProblem,
            `A plan built by form has at most ${maxBuiltSteps} steps.`,
          );
    case 'edit': {
      const found = plan.steps.find(({ id }) => id === move.step);
      return found === undefined ? build : { ...build, step: found, problems: [] };
    }
    case 'fill': {
      if (step === null) return build;
      const entries = Object.entries({ ...step.entries, ...move.entries }).flatMap(
        ([name, entry]): [string, Entry][] => (entry === undefined ? [] : [[name, entry]]),
      );
      const problems = build.problems.filter(({ name }) => !Object.hasOwn(move.entries, name));
      return { ...build, step: { ...step, entries: Object.fromEntries(entries) }, problems };
    }
    case 'wait': {
      if (step === null) return build;
      const { after = step.after, at = step.at } = move;
      return { ...build, step: { ...step, after: after.filter((id) => id !== step.id), at } };
    }
    case 'repeat': {
      if (step === null || move.count < 1 || move.count > maxItems) return build;
      return { ...build, step: { ...step, counts: { ...step.counts, [move.list]: move.count } } };
    }
    case 'add':
      return step === null ? build : addStep(build, step, zone);
    case 'leave':
      return { ...build, step: null, problems: [] };
    case 'remove':
      return changed(build, withoutStep(plan, move.step));
    case 'move':
      return changed(build, withMoved(plan, move.step, move.by));
    case 'terms': {
      const { kind: _, ...terms } = move;
      return setTerms(build, terms, zone);
    }
    case 'undo': {
      const last = before.at(-1);
      return last === undefined
        ? build
        : { ...build, plan: last, before: before.slice(0, -1), problems: [] };
    }
    default:
      return move satisfies never;
  }
}
