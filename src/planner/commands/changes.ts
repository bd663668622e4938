// Changes of a plan: "leave out step 2", "use b.txt instead of a.txt", "at 10:00 instead", "also post …". Each is a fixed form
// that says which step it means and what of it; anything else is asked about. What nobody spoke of stays as it is.
import { referencesOf } from '#domain/plan/arguments.ts';
import {
  type Dependency,
  type PlanDraft,
  type StepDraft,
  toDependency,
} from '#domain/plan/plan.ts';
import { labelVersion } from '#domain/plan/step-numbers.ts';
import type { Gate } from '#domain/planning/stages.ts';
import { type Json, JsonObject } from '#domain/text.ts';
import { countOf, trimTail } from '#domain/words.ts';
import type { Question } from './command.ts';
import { baseName, tidyPath } from './files.ts';
import { type Moment, readMoment, readRule, timeOnDay } from './times.ts';
import { tokenize } from './tokens.ts';

type Edge = {
  from: string;
  to: string;
  type: Dependency['type'];
  lag_minutes: number;
  remove: boolean;
};

export type Changes = {
  /** The steps as they should be, those left out missing. */
  steps: StepDraft[];
  /** Which steps wait for which from now on, and no more. */
  edges: Edge[];
  /** A time for these steps; for those that have one where none is named. A deadline of null is taken away. */
  move: { steps: string[]; not_before?: string; deadline?: string | null } | null;
  rule: string | null;
  addition: { text: string; place: 'beside' | 'behind' } | null;
  /** The earliest stage that has to be done again. */
  gate: Gate;
};
export const noChange = { edges: [], move: null, rule: null, addition: null };
export type ReadChanges =
  | { kind: 'changes'; changes: Changes }
  | { kind: 'question'; question: Question };

export const askForChange = (text: string): ReadChanges => ({
  kind: 'question',
  question: { id: 'change', text },
});

type Plan = Pick<PlanDraft, 'series'> & { steps: StepDraft[]; now: Date; timezone: string };
type Change = Pick<Changes, 'gate'> & Partial<Changes>;
type Groups = Record<string, string>;
type Form = [pattern: RegExp, read: (plan: Plan, said: Groups) => Change | null];

/** A change that is understood and cannot be made; the message says why. */
class Problem extends Error {}

const help =
  'I can change this plan when you say it like this: "use b.txt instead of a.txt", "leave out step 2", "call it c.md instead", "change "old words" to "new words"", "at 10:00 instead", "step 2 before step 1" or "add: post "done" here". What should change?';
const maxCharacters = 4000;

const step = String.raw`(?:the\s+)?(?:step\s+"[^"]+"|steps?\s+\d+[a-z]{0,2}(?:(?:\s*,\s*|\s+and\s+)(?:step\s+)?\d+[a-z]{0,2})*|(?:first|last)\s+step|[\p{L}]+(?:\s+step)?|(?=\S{0,300}\.\p{L})\S+)`;
const text = String.raw`(?:"[^"]*"|“[^”]*”|'[^']*'|\S+)`;

const forms: Form[] = [
  [
    new RegExp(`^(?:leave out|skip|drop|omit|without|remove) (?<name>${step})$`, 'iu'),
    (plan, { name = '' }) => leaveOut(plan, findSteps(plan, name)),
  ],
  [
    new RegExp(
      `^(?:use (?<now>${text}) instead of (?<old>${text})|(?:replace|change|rename) (?<was>${text}) (?:with|by|to) (?<then>${text}))$`,
      'iu',
    ),
    (plan, { old, now, was = '', then = '' }) => replace(plan, old ?? was, now ?? then),
  ],
  [
    new RegExp(`^(?:call|name) it (?<name>${text})(?: instead)?$`, 'iu'),
    (plan, { name = '' }) => {
      const path = lastPath(plan);
      const folder = path?.slice(0, -baseName(path).length) ?? '';
      const now = plain(name);
      if (path === null || now.includes(' ')) return null;
      return replace(plan, path, now.includes('/') ? now : folder + now);
    },
  ],
  [
    new RegExp(`^move it (?:to|into) (?<place>${text})(?: instead)?$`, 'iu'),
    (plan, { place = '' }) => {
      const moves = plan.steps.filter(({ operation }) => /^(?:move|copy)/.test(operation));
      const path = moves.length === 1 ? lastPath(plan) : null;
      const now = plain(place);
      if (path === null || /\s/.test(now)) return null;
      const isFile = !now.endsWith('/') && /\.\p{L}+$/u.test(now);
      return replace(plan, path, isFile ? now : `${tidyPath(now)}/${baseName(path)}`);
    },
  ],
  [
    new RegExp(`^(?<one>${step}) (?<word>before|after) (?<other>${step})$`, 'iu'),
    (plan, { one = '', word, other = '' }) => {
      const [a, b] = [findSteps(plan, one), findSteps(plan, other)];
      if (a.length !== 1 || b.length !== 1) return null;
      return word === 'before' ? reorder(plan, a[0], b[0]) : reorder(plan, b[0], a[0]);
    },
  ],
  [
    /^swap steps? (?<a>\d+[a-z]{0,2}) and (?:step )?(?<b>\d+[a-z]{0,2})$/iu,
    (plan, { a = '', b = '' }) => {
      const [one, other] = findSteps(plan, `steps ${a} and ${b}`);
      const waits = plan.steps.find(({ id }) => id === other);
      return edgesOf(waits).some(({ id }) => id === one)
        ? reorder(plan, other, one)
        : reorder(plan, one, other);
    },
  ],
  [
    /^(?:drop|remove) the deadline$/iu,
    () => ({
      gate: 'schedule',
      move: { steps: [], deadline: null },
    }),
  ],
  [
    /^(?:move|change|set) the deadline to (?<when>.+)$/iu,
    (plan, { when = '' }) => {
      const moment = readWhen(plan, when);
      return moment && { gate: 'schedule', move: { steps: [], deadline: moment.iso } };
    },
  ],
  [
    new RegExp(String.raw`^start (?<name>${step}) (?<when>(?:on|at|in|tomorrow|today)\b.+)$`, 'iu'),
    (plan, { name = '', when = '' }) => {
      const moment = readWhen(plan, when);
      return moment && setTime(plan, moment, findSteps(plan, name));
    },
  ],
  [/^(?<when>(?:every|each|daily|weekly) .*?)(?: instead)?$/iu, setRule],
  [
    /^(?:make it |do it )?(?<when>(?:at|on|tomorrow|today|in|\d{1,2}:\d\d)\b.*?)(?: instead)?$/iu,
    (plan, { when = '' }) => {
      const moment = readWhen(plan, /^\d/.test(when) ? `at ${when}` : when);
      return moment && setTime(plan, moment, null);
    },
  ],
  [
    /^(?<how>add|also|then)\s*[:,]?\s+(?<words>[\s\S]+)$/iu,
    (_, { how = '', words = '' }) => {
      const place = how.toLowerCase() === 'then' ? 'behind' : 'beside';
      return { gate: 'outline', addition: { text: words, place } };
    },
  ],
];

export function readChanges(
  feedback: string,
  previous: PlanDraft,
  { now, timezone }: { now: Date; timezone: string },
): ReadChanges {
  const said = trimTail(feedback.trim().replace(/^propose changes\s*:\s*/i, ''), /[.!]/);
  if (said.length > maxCharacters)
    return askForChange(
      'That is too long to read as changes: I read 4,000 characters at most. What should change?',
    );
  const steps = previous.steps.map((one, index) => ({ ...one, id: one.id ?? String(index + 1) }));
  const plan: Plan = { steps, series: previous.series, now, timezone };
  try {
    for (const [pattern, read] of forms) {
      const match = pattern.exec(said);
      const change = match === null ? null : read(plan, { ...match.groups });
      if (change === null) continue;
      return { kind: 'changes', changes: { steps, ...noChange, ...change } };
    }
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return askForChange(`${error.message} What should change?`);
  }
  return askForChange(help);
}

const plain = (said: string): string =>
  /^(["'“])([\s\S]*)["'”]$/u.exec(said.trim())?.[2] ?? said.trim();
const edgesOf = (one: StepDraft | undefined) => (one?.after ?? []).map(toDependency);
/** What people call the steps of a draft, by id. */
export function labelDraft(steps: StepDraft[]): Map<string, string> {
  const linked = steps.map((one) => ({ id: one.id ?? '', after: edgesOf(one) }));
  const labels = labelVersion(linked);
  return new Map(linked.map(({ id }, index) => [id, labels[index] ?? `${index + 1}`]));
}
const labelOf = ({ steps }: Plan, id = '') => labelDraft(steps).get(id) ?? id;

/** Steps by number, place, what they do, or the file they are about; []: there is none. */
function findSteps({ steps }: Plan, name: string): string[] {
  const ids = steps.map(({ id = '' }) => id);
  const said = plain(name.replace(/^the\s+/i, ''));
  // By its own name, as buttons say it: numbers are those of one version.
  const own = /^step\s+"([^"]+)"$/i.exec(said)?.[1];
  if (own !== undefined) {
    if (ids.includes(own)) return [own];
    throw new Problem(`There is no step "${own}" any more.`);
  }
  const labels = /^steps?\s(.+)$/i.exec(said)?.[1]?.match(/\d+[a-z]*/gi);
  if (labels != null) return labels.map((label) => findLabelled(steps, label.toLowerCase()));
  if (/^first step$/i.test(said)) return ids.slice(0, 1);
  if (/^last step$/i.test(said)) return ids.slice(-1);
  const word = said
    .toLowerCase()
    .replace(/\sstep$/, '')
    .trimEnd();
  const isMeant = ({ args = {}, description, operation }: StepDraft) =>
    /[./]/.test(word)
      ? Object.values(args).some(
          (value) => typeof value === 'string' && tidyPath(value) === tidyPath(said),
        )
      : [description.split(' ', 1)[0], operation].some((one) => one?.toLowerCase() === word);
  const found = steps.filter(isMeant).map(({ id = '' }) => id);
  if (found.length > 1)
    throw new Problem(`Several steps are meant by "${said}". Name one by its number.`);
  return found;
}

/** The step people read this label on; a number that none has alone is a place in the list. */
function findLabelled(steps: StepDraft[], label: string): string {
  const labels = labelDraft(steps);
  const [own] = [...labels].find(([, one]) => one === label) ?? [];
  const found = own ?? (/^\d+$/.test(label) ? steps[Number(label) - 1]?.id : undefined);
  if (found !== undefined) return found;
  throw new Problem(`There is no step ${label}; the plan has ${countOf(labels.size, 'step')}.`);
}

/** Whether a step takes something from the output of another. */
function takes(one: StepDraft | undefined, id: string | undefined): boolean {
  const when = [one?.when ?? []].flat();
  return (
    referencesOf(one?.args ?? {}).some(({ $from }) => $from === id) ||
    when.some((condition) => condition.step === id)
  );
}

function leaveOut(plan: Plan, gone: string[]): Change | null {
  if (gone.length === 0) return null;
  const left = plan.steps.filter(({ id = '' }) => !gone.includes(id));
  if (left.length === 0) throw new Problem('Nothing would be left of the plan.');
  const taken = left.find((one) => gone.some((id) => takes(one, id)));
  if (taken !== undefined)
    throw new Problem(`Step ${labelOf(plan, taken.id)} needs what a removed step gives.`);
  return { gate: 'outline', steps: left };
}

/** Changes texts among the arguments. null: nothing has changed. */
function reword(
  { steps }: Plan,
  change: (value: string, one: StepDraft, name: string) => string,
): Change | null {
  const walk = (value: Json, one: StepDraft, name: string): Json => {
    if (typeof value === 'string') return change(value, one, name);
    if (Array.isArray(value)) return value.map((item) => walk(item, one, name));
    if (typeof value !== 'object' || value === null || '$from' in value) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, walk(item, one, key)]),
    );
  };
  const next = steps.map((one) => ({
    ...one,
    args: JsonObject.parse(walk(one.args ?? {}, one, '')),
  }));
  const changed = JSON.stringify(next) !== JSON.stringify(steps);
  return changed ? { gate: 'outline', steps: next } : null;
}

function replace(plan: Plan, given: string, to: string): Change | null {
  const folders = [given, to].every((one) => plain(one).endsWith('/'));
  const name = (said: string) => (folders ? plain(said) : plain(said).replace(/(?<=.)\/$/, ''));
  const [old, now] = [name(given), name(to)];
  if (old === '') return null;
  const whole = new RegExp(
    String.raw`(?<![\p{L}\p{N}_.-])${RegExp.escape(old)}(?![\p{L}\p{N}_-]|\.\p{L})`,
    'gu',
  );
  const change = reword(plan, (value) => value.replace(whole, () => now));
  if (change === null) throw new Problem(`"${old}" is nowhere in this plan.`);
  return change;
}

function lastPath({ steps }: Plan): string | null {
  const paths = steps.map(({ args = {} }) => args.path ?? args.to ?? args.destination);
  return paths.findLast((path) => typeof path === 'string') ?? null;
}

function reorder(plan: Plan, first: string | undefined, second: string | undefined): Change | null {
  if (first === undefined || second === undefined || first === second) return null;
  const one = plan.steps.find(({ id }) => id === first);
  if (takes(one, second))
    throw new Problem(
      `Step ${labelOf(plan, first)} needs what step ${labelOf(plan, second)} gives.`,
    );
  const next: Edge = { from: first, to: second, type: 'FS', lag_minutes: 0, remove: false };
  const back = edgesOf(one)
    .filter(({ id }) => id === second)
    .map(({ id, ...edge }): Edge => ({ ...edge, from: id, to: first, remove: true }));
  return { gate: 'roadmap', edges: [...back, next] };
}

function wordsOf({ now, timezone }: Plan, said: string) {
  return { source: said, tokens: tokenize(said), now, timezone };
}

/** The moment that all of `said` names; null: it names none. */
function readWhen(plan: Plan, said: string): Moment | null {
  const words = wordsOf(plan, said);
  const read = readMoment(words, 0);
  if (read === null || read.next < words.tokens.length) return null;
  if (read.value.problem !== null)
    throw new Problem(
      `When is "${said}"? Say it with a day and a time, such as tomorrow at 15:00.`,
    );
  return read.value;
}

const clock = /BYHOUR=\d+;BYMINUTE=\d+/;
const whichTime =
  'Several steps have a time of their own. Say which one is meant, as in "start step 2 on Friday at 14:00".';

function atTime(rrule: string, { iso }: Moment): string {
  const [hour, minute] = iso.slice(11, 16).split(':').map(Number);
  return rrule.replace(clock, `BYHOUR=${hour};BYMINUTE=${minute}`);
}

/** @param wanted null: the steps that have a time, or all steps if none has one */
function setTime(plan: Plan, moment: Moment, wanted: string[] | null): Change | null {
  const { timezone } = plan;
  if (wanted?.length === 0) return null;
  const steps = plan.steps.filter(({ id = '' }) => wanted === null || wanted.includes(id));
  const isTimed = ({ args = {} }: StepDraft) =>
    [args.at, args.rrule, args.start].some((value) => typeof value === 'string');
  const [timed, ...more] = steps.filter(isTimed);
  if (timed !== undefined) {
    const again = typeof timed.args?.rrule === 'string';
    const others = more.length > 0 || steps.some(({ not_before }) => not_before !== undefined);
    if (others) throw new Problem(whichTime);
    if (timed.args?.end !== undefined || (again && !moment.bare)) return null;
    return reword(plan, (value, one, name) => {
      if (one.id !== timed.id) return value;
      if (name === 'rrule') return atTime(value, moment);
      if (name !== 'at' && name !== 'start') return value;
      return moment.bare ? timeOnDay(value, moment.iso, timezone) : moment.iso;
    });
  }
  const [series] = plan.series ?? [];
  if (series !== undefined)
    return wanted === null && moment.bare && plan.series?.length === 1 && plan.steps.length === 1
      ? { gate: 'outline', rule: atTime(series.rrule, moment) }
      : null;
  const held = steps.filter(({ not_before }) => not_before !== undefined);
  const days = new Set(held.map(({ not_before = '' }) => Date.parse(not_before)));
  if (days.size > 1 && (wanted === null || moment.bare)) throw new Problem(whichTime);
  const day = held[0]?.not_before;
  const not_before =
    moment.bare && day !== undefined ? timeOnDay(day, moment.iso, timezone) : moment.iso;
  const moved = wanted === null && held.length > 0 ? held : steps;
  return { gate: 'schedule', move: { steps: moved.map(({ id = '' }) => id), not_before } };
}

/** Another rule for the one thing that comes again, at its old time of day where none is named. */
function setRule(plan: Plan, { when = '' }: Groups): Change | null {
  const words = wordsOf(plan, when);
  const read = readRule(words, 0);
  if (read?.next !== words.tokens.length || read.value.problem !== null) return null;
  const { rrule, assumedHour, until } = read.value;
  if (until !== null) return null;
  const at = (old: string) =>
    (assumedHour ? rrule.replace(clock, clock.exec(old)?.[0] ?? '$&') : rrule) +
    (/;UNTIL=[^;]+/.exec(old)?.[0] ?? '');
  const timed = plan.steps.filter(({ args = {} }) => typeof args.rrule === 'string');
  if (timed.length === 1)
    return reword(plan, (value, _, name) => (name === 'rrule' ? at(value) : value));
  const [series, ...more] = plan.series ?? [];
  if (series === undefined || more.length > 0) return null;
  return { gate: 'outline', rule: at(series.rrule) };
}
