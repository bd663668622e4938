// Reads changes of a waiting plan; partly read ones are asked about.
import { sayLength } from '#domain/length.ts';
import { isReference } from '#domain/plan/argument-kinds.ts';
import { referencesOf } from '#domain/plan/arguments.ts';
import { conditionsOf } from '#domain/plan/condition.ts';
import { toDependency } from '#domain/plan/dependency.ts';
import type { PlanDraft } from '#domain/plan/plan.ts';
import type { StepDraft } from '#domain/plan/step-content.ts';
import { labelVersion } from '#domain/plan/step-numbers.ts';
import type { RoadmapWay } from '#domain/planning/roadmap.ts';
import { type Json, JsonObject, mapTexts, parseJson } from '#domain/text.ts';
import { countOf, trimTail } from '#domain/words.ts';
import { withoutParts } from '#timeline/rule.ts';
import { type Every, readEvery, timeOnDay, type When, withUntil } from '#timeline/spoken-times.ts';
import type { Question, Setting } from './answers.ts';
import { changeForms } from './change-forms.ts';
import { matchSpelling, type Reading, type Slots } from './match.ts';
import { baseName, CommandRefusal } from './request.ts';
import { atTime, momentOf, ruleInstead } from './rhythm.ts';
import { tokenize } from './tokens.ts';

export type Changes = {
  steps: StepDraft[];
  /** [] with a deadline: all steps that have one. A null deadline removes it. */
  move: {
    steps: string[];
    not_before?: string | null;
    deadline?: string | null;
    duration?: string;
  } | null;
  rule: string | null;
  until: string | null;
  addition: { text: string; place: 'beside' | 'behind' } | null;
  order: RoadmapWay | null;
};
export type ReadChanges =
  | { kind: 'changes'; changes: Changes }
  | { kind: 'question'; question: Question };
type Change = Partial<Changes>;

export const askForChange = (text: string): ReadChanges => ({
  kind: 'question',
  question: { id: 'change', text },
});

/** `only`: the commented step, alone changeable; null for the whole plan. */
type Plan = Setting & {
  steps: StepDraft[];
  /** The card also numbers removed steps. */
  labels: Map<string, string>;
  series: PlanDraft['series'];
  only: string | null;
};

const maxCharacters = 4000;
export const noChange = { move: null, rule: null, until: null, addition: null, order: null };
const examples = ['remove', 'use', 'name', 'argument', 'start', 'before', 'add']
  .flatMap((id) => changeForms.find((form) => form.id === id)?.example ?? [])
  .map((one) => `“${one}”`)
  .join(', ');

const edgesOf = (one: StepDraft | undefined) => (one?.after ?? []).map(toDependency);
export function labelDraft(steps: StepDraft[]): Map<string, string> {
  const linked = steps.map((one) => ({ id: one.id ?? '', after: edgesOf(one) }));
  const labels = labelVersion(linked);
  return new Map(linked.map(({ id }, index) => [id, labels[index] ?? `${index + 1}`]));
}
const labelOf = ({ labels }: Plan, id = '') => labels.get(id) ?? id;

function findStep({ steps, labels, only }: Plan, reference: Json | undefined): string {
  if (reference === undefined && only !== null) return only;
  const written = String(reference);
  const label = written.toLowerCase();
  const ids = [...labels.keys()];
  const own = ids.find((id) => `"${id}"` === written);
  const [labelled] = [...labels].find(([, one]) => one === label) ?? [];
  const found = labelled ?? own ?? (/^\d+$/.test(label) ? ids[Number(label) - 1] : undefined);
  if (steps.some(({ id }) => id === found)) return found ?? '';
  if (found !== undefined) throw new CommandRefusal(`Another comment removes step ${label}.`);
  throw new CommandRefusal(
    `There is no step ${label}; the plan has ${countOf(labels.size, 'step')}.`,
  );
}

function findChanged(plan: Plan, reference: Json | undefined): string {
  const id = findStep(plan, reference);
  if (plan.only === null || id === plan.only) return id;
  throw new CommandRefusal(
    `This comment is on step ${labelOf(plan, plan.only)}. Comment on step ${labelOf(plan, id)} to change that one.`,
  );
}

const takes = (one: StepDraft | undefined, id: string): boolean =>
  referencesOf(one?.args ?? {}).some(({ $from }) => $from === id) ||
  conditionsOf(one?.when).some((condition) => condition.step === id);

function remove(plan: Plan, gone: string): Change {
  const left = plan.steps.filter(({ id }) => id !== gone);
  if (left.length === 0) throw new CommandRefusal('That would leave the plan without steps.');
  const taken = left.find((one) => takes(one, gone));
  if (taken !== undefined)
    throw new CommandRefusal(
      `Step ${labelOf(plan, taken.id)} uses the output of the step you want to remove.`,
    );
  return { steps: left };
}

function reword(
  { steps, only }: Plan,
  change: (value: string, one: StepDraft, name: string) => string,
): Change | null {
  const next = steps.map((one) =>
    only !== null && one.id !== only
      ? one
      : {
          ...one,
          args: JsonObject.parse(
            mapTexts(one.args ?? {}, (text, name) => change(text, one, name), isReference),
          ),
        },
  );
  return JSON.stringify(next) === JSON.stringify(steps) ? null : { steps: next };
}

function replace(plan: Plan, old: string, now: string): Change | null {
  if (old === '') return null;
  const whole = new RegExp(
    String.raw`(?<![\p{L}\p{N}_.-])${RegExp.escape(old)}(?![\p{L}\p{N}_-]|\.\p{L})`,
    'gu',
  );
  const change = reword(plan, (value) => value.replace(whole, () => now));
  if (change === null)
    throw new CommandRefusal(
      `“${old}” doesn't appear in this ${plan.only === null ? 'plan' : 'step'}.`,
    );
  return change;
}

function rename(plan: Plan, name: string): Change | null {
  const meant = plan.steps.filter(({ id }) => plan.only === null || id === plan.only);
  const path = meant
    .map(({ args = {} }) => args.to ?? args.path ?? args.destination)
    .findLast((one) => typeof one === 'string');
  if (typeof path !== 'string') throw new CommandRefusal('This plan has no file to rename.');
  return replace(
    plan,
    path,
    name.includes('/') ? name : path.slice(0, -baseName(path).length) + name,
  );
}

const alike: Record<string, string[]> = {
  text: ['text', 'content', 'question', 'title', 'body'],
  file: ['path', 'from'],
  target: ['to'],
  person: ['assignee'],
  address: ['url'],
};

function setArgument(
  plan: Plan,
  key: string,
  value: Json,
  reference: Json | undefined,
): Change | null {
  const wanted = [key, ...(alike[key.toLowerCase()] ?? [])];
  const nameIn = ({ args = {} }: StepDraft) => wanted.find((name) => args[name] !== undefined);
  const meant =
    reference !== undefined || plan.only !== null
      ? plan.steps.filter(({ id }) => id === findChanged(plan, reference))
      : plan.steps.filter((one) => nameIn(one) !== undefined);
  const [step, other] = meant;
  const name = step && nameIn(step);
  if (step === undefined || (name === undefined && reference === undefined)) return null;
  if (other !== undefined)
    throw new CommandRefusal(
      `Several steps have “${key}”. Say which one you mean: change ${key} of step ${labelOf(plan, step.id)} to …`,
    );
  if (name === undefined)
    throw new CommandRefusal(
      `Step ${labelOf(plan, step.id)} has no argument “${key}”. It has ${Object.keys(step.args ?? {}).join(', ') || 'none'}.`,
    );
  const known = step.args?.[name];
  const next =
    typeof known === 'string' || typeof value !== 'string' ? value : (parseJson(value) ?? value);
  const set = { ...step, args: { ...step.args, [name]: next } };
  return { steps: plan.steps.with(plan.steps.indexOf(step), set) };
}

function reorder(plan: Plan, first: string, second: string): Change | null {
  if (first === second) return null;
  if (first !== plan.only) findChanged(plan, `"${second}"`);
  const one = plan.steps.find(({ id }) => id === first);
  if (takes(one, second))
    throw new CommandRefusal(
      `Step ${labelOf(plan, first)} uses the output of step ${labelOf(plan, second)}.`,
    );
  return {
    steps: plan.steps.map((step) => {
      const after = edgesOf(step);
      if (step === one) return { ...step, after: after.filter(({ id }) => id !== second) };
      const waits = after.some(({ id }) => id === first);
      return step.id !== second || waits
        ? step
        : { ...step, after: [...after, toDependency(first)] };
    }),
  };
}

const severalTimes =
  'Several steps have their own times. Say which one you mean, for example “step 2 on 20 December at 14:00”.';

/** @param wanted null for all timed steps, or all if none is */
function setTime(plan: Plan, when: When, wanted: string | null): Change | null {
  const iso = momentOf(when, plan);
  const bare = when.date === null && when.instant === null;
  const steps = plan.steps.filter(({ id }) => wanted === null || id === wanted);
  const [timed, ...more] = steps.filter(({ args = {} }) =>
    [args.at, args.rrule, args.start].some((value) => typeof value === 'string'),
  );
  const held = steps.filter(({ not_before }) => not_before !== undefined);
  if (timed !== undefined) {
    if (more.length > 0 || held.length > 0) throw new CommandRefusal(severalTimes);
    if (timed.args?.end !== undefined || (typeof timed.args?.rrule === 'string' && !bare))
      return null;
    return reword(plan, (value, one, name) => {
      if (one.id !== timed.id) return value;
      if (name === 'rrule') return atTime(value, iso);
      if (name !== 'at' && name !== 'start') return value;
      return bare ? timeOnDay(value, iso, plan.timezone) : iso;
    });
  }
  const [series] = plan.series ?? [];
  if (series !== undefined)
    return bare && plan.series?.length === 1 && plan.steps.length === 1
      ? { rule: atTime(series.rrule, iso) }
      : null;
  const days = new Set(held.map(({ not_before = '' }) => Date.parse(not_before)));
  if (days.size > 1 && (wanted === null || bare)) throw new CommandRefusal(severalTimes);
  const day = held[0]?.not_before;
  const not_before = bare && day !== undefined ? timeOnDay(day, iso, plan.timezone) : iso;
  const moved = wanted === null && held.length > 0 ? held : steps;
  return { move: { steps: moved.map(({ id = '' }) => id), not_before } };
}

function setRule(plan: Plan, at: (old: string) => string): Change | null {
  const timed = plan.steps.filter(({ args = {} }) => typeof args.rrule === 'string');
  if (timed.length === 1)
    return reword(plan, (value, _, name) => (name === 'rrule' ? at(value) : value));
  const [series, ...more] = plan.series ?? [];
  if (series === undefined || more.length > 0)
    throw new CommandRefusal(
      "This plan doesn't have exactly one repeating step, so its repetition can't be changed this way.",
    );
  return { rule: at(series.rrule) };
}

function setEnd(plan: Plan, until: string): Change | null {
  const endless = (rule: string) => withoutParts(rule, 'COUNT', 'UNTIL');
  const change = setRule(plan, (old) => withUntil(endless(old), until));
  return change?.rule == null ? change : { rule: endless(change.rule), until };
}

function makeChange(id: string, plan: Plan, { values, times }: Slots): Change | null {
  const text = (value: Json | undefined) => String(value ?? '');
  const one = () => (values.step === undefined ? plan.only : findChanged(plan, values.step));
  switch (id) {
    case 'remove':
      return one() === null ? null : remove(plan, findChanged(plan, values.step));
    case 'before':
      return reorder(plan, findStep(plan, values.step), findStep(plan, values.other));
    case 'after':
      return reorder(plan, findStep(plan, values.other), findStep(plan, values.step));
    case 'start':
      return times.when === undefined ? null : setTime(plan, times.when, one());
    case 'deadline':
    case 'no deadline': {
      const deadline = times.limit === undefined ? null : momentOf(times.limit, plan, true);
      return { move: { steps: [one() ?? []].flat(), deadline } };
    }
    case 'as soon as possible':
      return { move: { steps: [findChanged(plan, values.step)], not_before: null } };
    case 'until':
      return times.limit === undefined ? null : setEnd(plan, momentOf(times.limit, plan, true));
    case 'takes':
      return {
        move: { steps: [one() ?? []].flat(), duration: sayLength(Number(values.length) / 60) },
      };
    case 'one at a time':
    case 'checked':
    case 'as said':
      return { order: id };
    case 'argument':
      return setArgument(plan, text(values.key), values.value ?? null, values.step);
    case 'use':
      return replace(plan, text(values.old), text(values.now));
    case 'name':
      return rename(plan, text(values.name));
    default:
      return null;
  }
}

const readingOf = (source: string, { now, timezone }: Setting): Reading => ({
  ...{ source, tokens: tokenize(source), now, timezone },
  ...{ operations: new Map(), it: null },
});
const addition = /^(?:(add|then)\s*:|(also|then)\s)\s*(\S[\s\S]*)$/i;

function matchForms(reading: Reading): { id: string; slots: Slots }[] {
  return changeForms.flatMap(({ id, spellings }) =>
    spellings.flatMap((spelling) => {
      const found = matchSpelling(spelling, reading, 0);
      return 'reached' in found || !isEnd(reading, found.next) ? [] : [{ id, slots: found.slots }];
    }),
  );
}

const isEnd = ({ tokens }: Reading, next: number): boolean =>
  next >= tokens.length || (tokens[next]?.value === 'instead' && next + 1 === tokens.length);

function readRule(reading: Reading): Every | null {
  const every = readEvery(reading, 0);
  return every !== null && isEnd(reading, every.next) ? every.value : null;
}

function readChange(line: string, plan: Plan): Change | null {
  const [, add, word, text = ''] = addition.exec(line) ?? [];
  const isLast = (add ?? word)?.toLowerCase() === 'then';
  if (text !== '') return { addition: { text, place: isLast ? 'behind' : 'beside' } };
  const reading = readingOf(line, plan);
  const every = readRule(reading);
  if (every !== null) return setRule(plan, (old) => ruleInstead(every, old));
  for (const { id, slots } of matchForms(reading)) {
    const change = makeChange(id, plan, slots);
    if (change !== null) return change;
  }
  return null;
}

const trimChange = (text: string): string =>
  trimTail(
    text
      .trim()
      .replace(/^propose changes\s*:\s*/i, '')
      .replace(/^please,?\s+/i, ''),
    /[.!]/,
  );

export function isChange(text: string, setting: Setting): boolean {
  if (text.length > maxCharacters) return false;
  const line = trimChange(text);
  const reading = readingOf(line, setting);
  return addition.test(line) || readRule(reading) !== null || matchForms(reading).length > 0;
}

/** A step without an ID is named by its place. */
export const withIds = ({ steps }: PlanDraft): StepDraft[] =>
  steps.map((one, index) => ({ ...one, id: one.id ?? String(index + 1) }));

export function readChanges(
  feedback: string,
  previous: PlanDraft,
  setting: Setting,
  only: string | null = null,
  labels = labelDraft(withIds(previous)),
): ReadChanges {
  const line = trimChange(feedback);
  const steps = withIds(previous);
  try {
    const series = only === null ? previous.series : [];
    const plan = { ...setting, steps, labels, series, only };
    const change = line.length > maxCharacters ? null : readChange(line, plan);
    if (change !== null) return { kind: 'changes', changes: { steps, ...noChange, ...change } };
  } catch (error) {
    if (!(error instanceof CommandRefusal)) throw error;
    return askForChange(`${error.message} What should change?`);
  }
  return askForChange(
    `I couldn't read that as a change. Use one of these forms: ${examples}. What should change?`,
  );
}
