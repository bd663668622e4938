// Changes of a plan: "leave out step 2", "use b.txt instead of a.txt", "at 10:00 instead", "also post …". Each is a fixed form
// that says which step it means and what of it; anything else is asked about. What nobody spoke of stays as it is.
import type { Dependency, PlanDraft, StepDraft } from '#domain/plan/plan.ts';
import type { Gate } from '#domain/planning/stages.ts';
import type { Json, JsonObject } from '#domain/text.ts';
import type { Question } from './command.ts';
import { baseName, tidyPath } from './files.ts';
import { ask } from './questions.ts';
import {
  type Duration,
  type Moment,
  type Rule,
  readDuration,
  readMoment,
  readRule,
  timeOnDay,
  type Words,
} from './times.ts';
import { tokenize } from './tokens.ts';

export type Edge = {
  from: string;
  to: string;
  type: Dependency['type'];
  lag_minutes: number;
  remove: boolean;
};
export type Move = {
  steps: string[];
  not_before?: string;
  deadline?: string;
  duration?: Duration;
  drop?: ('not_before' | 'deadline' | 'duration_minutes')[];
};

export type Changes = {
  /** The steps as they should be, those left out missing. */
  steps: StepDraft[];
  edges: Edge[];
  moves: Move[];
  /** The rule of what comes again, and the words to be planned besides. */
  rule: Rule | null;
  additions: { text: string; place: 'beside' | 'behind' | 'before' }[];
  /** The earliest stage that has to be done again. */
  gate: Gate;
};
export type ReadChanges =
  | { kind: 'changes'; changes: Changes }
  | { kind: 'question'; question: Question };

export const changeHelp =
  'I can change this plan when you say it like this: "use b.txt instead of a.txt", "leave out step 2", "call it c.md instead", "change "old words" to "new words"", "at 10:00 instead", "step 2 before step 1" or "add: post "done" here". What should change?';

type Setting = { now: Date; timezone: string };
type Form = [pattern: RegExp, change: (changer: Changer, match: Groups) => boolean];
type Groups = Record<string, string>;

const step = String.raw`(?:the\s+)?(?:steps?\s+\d+(?:(?:\s*,\s*|\s+and\s+)(?:step\s+)?\d+)*|(?:first|last)\s+step|[\p{L}]+(?:\s+step)?|\S+\.\p{L}\S*)`;
const text = String.raw`(?:"[^"]*"|“[^”]*”|'[^']*'|\S+)`;

const forms: Form[] = [
  [
    new RegExp(`^(?:leave out|skip|drop|omit|without|remove) (?<step>${step})$`, 'iu'),
    (changer, { step: name = '' }) => changer.leaveOut(name),
  ],
  [
    new RegExp(`^(?:use|take|write) (?<now>${text}) instead of (?<old>${text})$`, 'iu'),
    (changer, { now = '', old = '' }) => changer.replace(old, now),
  ],
  [
    new RegExp(`^(?:replace|change|rename) (?<old>${text}) (?:with|by|to) (?<now>${text})$`, 'iu'),
    (changer, { now = '', old = '' }) => changer.replace(old, now),
  ],
  [
    new RegExp(`^call it (?<now>${text}) instead of (?<old>${text})$`, 'iu'),
    (changer, { now = '', old = '' }) => changer.replace(old, now),
  ],
  [
    new RegExp(`^(?:call|name) it (?<now>${text})(?: instead)?$`, 'iu'),
    (changer, { now = '' }) => changer.rename(now),
  ],
  [
    new RegExp(`^(?:move|put) it (?:to|in|into) (?<now>${text})(?: instead)?$`, 'iu'),
    (changer, { now = '' }) => changer.moveTo(now),
  ],
  [
    new RegExp(`^(?:move|put) it (?:to|in|into) (?<now>${text}) instead of (?<old>${text})$`, 'iu'),
    (changer, { now = '', old = '' }) => changer.replace(old, now),
  ],
  [
    /^(?:change the text to|it should say|the text should be) (?<now>[^\n]+)$/iu,
    (changer, { now = '' }) => changer.setText(now),
  ],
  [
    /^swap steps? (?<one>\d+) and (?:step )?(?<other>\d+)$/iu,
    (changer, { one = '', other = '' }) => changer.swap(one, other),
  ],
  [
    new RegExp(`^(?<one>${step}) (?<word>before|after) (?<other>${step})$`, 'iu'),
    (changer, { one = '', word, other = '' }) =>
      word === 'before' ? changer.order(one, other) : changer.order(other, one),
  ],
  [/^(?:drop|remove|forget) the deadline$/iu, (changer) => changer.setDeadline(null)],
  [
    /^(?:move|change|set) the deadline to (?<when>.+)$/iu,
    (changer, { when = '' }) => changer.setDeadline(when),
  ],
  [
    new RegExp(
      `^(?:start|begin|do|move) (?<step>${step}) (?<when>(?:on|at|in|tomorrow|today|to)\\b.+)$`,
      'iu',
    ),
    (changer, { step: name = '', when = '' }) => changer.setTime(when.replace(/^to /i, ''), name),
  ],
  [
    /^(?:make it |do it |move it to )?(?<when>(?:at|on|tomorrow|today|in|every|each|daily|weekly|\d{1,2}:\d\d).*?)(?: instead)?$/iu,
    (changer, { when = '' }) => changer.setTime(when, null),
  ],
];
const addition =
  /^(?<how>add|also|then|first|before that|after that)\s*[:,]?\s+(?<text>[\s\S]+)$/iu;

export function readChanges(feedback: string, previous: PlanDraft, setting: Setting): ReadChanges {
  const said = feedback
    .trim()
    .replace(/^propose changes\s*:\s*/i, '')
    .replace(/[.!]+$/, '');
  if (said.length > 4000)
    return {
      kind: 'question',
      question: ask(
        'change',
        'command',
        'That is too long to read as changes: I read 4,000 characters at most. What should change?',
      ),
    };
  const changer = new Changer(previous, setting);
  const whole = changer.read(said);
  // Several changes at once, joined by "and" or semicolons: each has to be one by itself.
  const parts = whole
    ? []
    : said.split(
        /\s*;\s*|,?\s+and\s+(?=(?:leave|skip|drop|use|replace|change|rename|call|move|add|also)\b)/i,
      );
  const read =
    whole || (parts.length > 1 && parts.length <= 20 && parts.every((part) => changer.read(part)));
  if (changer.problem !== null)
    return { kind: 'question', question: ask('change', 'command', changer.problem) };
  if (!read) return { kind: 'question', question: ask('change', 'command', changeHelp) };
  const problem = changer.finish();
  return problem === null
    ? { kind: 'changes', changes: changer.changes }
    : { kind: 'question', question: ask('change', 'command', problem) };
}

const plain = (said: string): string =>
  /^(["'“])([\s\S]*)["'”]$/u.exec(said.trim())?.[2] ?? said.trim();
const idsOf = (one: StepDraft) =>
  (one.after ?? []).map((edge) => (typeof edge === 'string' ? edge : edge.id));

class Changer {
  problem: string | null = null;
  readonly changes: Changes;
  readonly #ids: string[];
  readonly #setting: Setting;
  readonly #previous: PlanDraft;

  constructor(previous: PlanDraft, setting: Setting) {
    const steps = previous.steps.map((one, index) => ({ ...one, id: one.id ?? String(index + 1) }));
    this.#ids = steps.map(({ id }) => id);
    this.#setting = setting;
    this.#previous = previous;
    this.changes = { steps, edges: [], moves: [], rule: null, additions: [], gate: 'schedule' };
  }

  read(said: string): boolean {
    for (const [pattern, change] of forms) {
      const match = pattern.exec(said.trim());
      if (match !== null && change(this, { ...match.groups })) return true;
      if (this.problem !== null) return false;
    }
    const more = addition.exec(said.trim())?.groups;
    if (more === undefined) return false;
    const how = (more.how ?? '').toLowerCase();
    const place = /^(?:then|after that)$/.test(how)
      ? 'behind'
      : /^(?:first|before that)$/.test(how)
        ? 'before'
        : 'beside';
    this.changes.additions.push({ text: more.text ?? '', place });
    this.#reach('outline');
    return true;
  }

  #reach(gate: Gate): void {
    const order: Gate[] = ['outline', 'roadmap', 'schedule'];
    if (order.indexOf(gate) < order.indexOf(this.changes.gate)) this.changes.gate = gate;
  }

  /** Steps by number, place, what they do, or the file they are about; [] and a problem: there is none, or there are several. */
  #find(name: string): string[] {
    const said = plain(name.replace(/^the\s+/i, ''));
    const numbers = /^steps?\s+(.+)$/i.exec(said)?.[1]?.match(/\d+/g);
    if (numbers != null) {
      const ids = numbers.map((number) => this.#ids[Number(number) - 1] ?? '');
      if (!ids.includes('')) return ids;
      this.problem = `There is no such step; the plan has ${this.#ids.length}. Which one should change?`;
      return [];
    }
    if (/^first step$/i.test(said)) return this.#ids.slice(0, 1);
    if (/^last step$/i.test(said)) return this.#ids.slice(-1);
    const word = said.toLowerCase().replace(/\s+step$/, '');
    const { steps } = this.changes;
    const found = /[./]/.test(word)
      ? steps.filter((one) =>
          Object.values(one.args ?? {}).some(
            (value) => typeof value === 'string' && tidyPath(value) === tidyPath(said),
          ),
        )
      : steps.filter(
          ({ description, operation }) =>
            description.toLowerCase().split(' ', 1)[0] === word || operation.toLowerCase() === word,
        );
    if (found.length === 1) return found.map(({ id = '' }) => id);
    if (found.length > 1)
      this.problem = `Several steps are meant by "${said}". Which one? Name it by its number, such as step 2.`;
    return [];
  }

  leaveOut(name: string): boolean {
    const gone = this.#find(name);
    if (gone.length === 0) return false;
    const { steps } = this.changes;
    const left = steps.filter(({ id = '' }) => !gone.includes(id));
    const taken = left.find((one) =>
      gone.some(
        (id) =>
          JSON.stringify([one.args ?? {}, one.when ?? []]).includes(`"${id}"`) && takes(one, id),
      ),
    );
    if (left.length === 0) this.problem = 'Nothing would be left of the plan. What should change?';
    else if (taken !== undefined)
      this.problem = `Step ${this.#ids.indexOf(taken.id ?? '') + 1} needs what a removed step gives. What should change?`;
    if (this.problem !== null) return false;
    const before = new Map(steps.map((one) => [one.id ?? '', idsOf(one)]));
    const through = (id: string): string[] =>
      gone.includes(id) ? (before.get(id) ?? []).flatMap(through) : [id];
    this.changes.steps = left.map((one) => {
      const edges = one.after ?? [];
      if (!idsOf(one).some((id) => gone.includes(id))) return one;
      const kept = edges.filter(
        (edge) => !gone.includes(typeof edge === 'string' ? edge : edge.id),
      );
      const more = idsOf(one)
        .filter((id) => gone.includes(id))
        .flatMap(through);
      return { ...one, after: [...kept, ...new Set(more)] };
    });
    this.#reach('outline');
    return true;
  }

  /** Changes every text among the arguments; whole names and words only. false: nothing has changed. */
  #reword(change: (value: string, one: StepDraft, name: string) => string): boolean {
    let changed = false;
    const walk = (value: Json, one: StepDraft, name: string): Json => {
      if (typeof value !== 'string') {
        if (Array.isArray(value)) return value.map((item) => walk(item, one, name));
        return typeof value === 'object' && value !== null && !('$from' in value)
          ? Object.fromEntries(
              Object.entries(value).map(([key, item]) => [key, walk(item, one, key)]),
            )
          : value;
      }
      const next = change(value, one, name);
      changed ||= next !== value;
      return next;
    };
    this.changes.steps = this.changes.steps.map((one) => {
      const args: JsonObject = Object.fromEntries(
        Object.entries(one.args ?? {}).map(([name, value]) => [name, walk(value, one, name)]),
      );
      return { ...one, args };
    });
    if (changed) this.#reach('outline');
    return changed;
  }

  replace(given: string, to: string): boolean {
    const old = plain(given);
    const now = plain(to);
    if (old === '') return false;
    const folder = old.endsWith('/') && now.endsWith('/');
    const [from, into] = folder
      ? [old, now]
      : [old.replace(/(?<=.)\/$/, ''), now.replace(/(?<=.)\/$/, '')];
    const pattern = new RegExp(
      `(?<![\\p{L}\\p{N}_.-])${from.replace(/[.*+?^${'$'}{}()|[\]\\]/g, '\\$&')}(?![\\p{L}\\p{N}_-]|\\.\\p{L})`,
      'gu',
    );
    if (this.#reword((value) => value.replace(pattern, () => into))) return true;
    this.problem = `"${old}" is nowhere in this plan. What should change?`;
    return false;
  }

  /** The file that the plan ends with gets another name in its folder. */
  rename(to: string): boolean {
    const path = this.#lastPath();
    const now = plain(to);
    if (path === null || now.includes(' ')) return false;
    return this.replace(
      path,
      now.includes('/') ? now : path.slice(0, path.length - baseName(path).length) + now,
    );
  }

  moveTo(to: string): boolean {
    const moves = this.changes.steps.filter(({ operation }) => /^(?:move|copy)/.test(operation));
    const path = moves.length === 1 ? this.#lastPath() : null;
    const now = plain(to);
    if (path === null || /\s/.test(now)) return false;
    return this.replace(
      path,
      now.endsWith('/') || !/\.\p{L}+$/u.test(now) ? `${tidyPath(now)}/${baseName(path)}` : now,
    );
  }

  #lastPath(): string | null {
    const named = this.changes.steps.flatMap(({ args = {} }) => [
      args.path ?? args.to ?? args.destination,
    ]);
    const last = named.findLast((value) => typeof value === 'string');
    return typeof last === 'string' ? last : null;
  }

  setText(to: string): boolean {
    const texts = this.changes.steps.flatMap(({ args = {} }) =>
      (['content', 'text'] as const).filter((name) => typeof args[name] === 'string'),
    );
    if (texts.length !== 1) return false;
    return this.#reword((value, _, name) => (name === texts[0] ? plain(to) : value));
  }

  swap(one: string, other: string): boolean {
    const [a, b] = [...this.#find(`step ${one}`), ...this.#find(`step ${other}`)].map((id) =>
      this.changes.steps.find((step) => step.id === id),
    );
    if (a === undefined || b === undefined) return false;
    const [first, second] = idsOf(b).includes(a.id ?? '') ? [a, b] : [b, a];
    return this.order(
      `step ${this.#ids.indexOf(second.id ?? '') + 1}`,
      `step ${this.#ids.indexOf(first.id ?? '') + 1}`,
    );
  }

  /** `first` is done before `second`; an edge the other way goes. */
  order(first: string, second: string): boolean {
    const [from, to] = [this.#find(first), this.#find(second)];
    const [a] = from;
    const [b] = to;
    if (a === undefined || b === undefined || from.length + to.length > 2 || a === b) return false;
    const steps = new Map(this.changes.steps.map((one) => [one.id ?? '', one]));
    const back = (steps.get(a)?.after ?? []).find(
      (edge) => (typeof edge === 'string' ? edge : edge.id) === b,
    );
    if (takes(steps.get(a), b)) {
      this.problem = `Step ${this.#ids.indexOf(a) + 1} needs what step ${this.#ids.indexOf(b) + 1} gives. What should change?`;
      return false;
    }
    if (back !== undefined) {
      const edge = typeof back === 'string' ? { type: 'FS' as const, lag_minutes: 0 } : back;
      this.changes.edges.push({
        from: b,
        to: a,
        type: edge.type,
        lag_minutes: edge.lag_minutes,
        remove: true,
      });
    }
    this.changes.edges.push({ from: a, to: b, type: 'FS', lag_minutes: 0, remove: false });
    this.#reach('roadmap');
    return true;
  }

  #words(said: string): Words {
    return { source: said, tokens: tokenize(said), ...this.#setting };
  }

  #moment(said: string): Moment | null {
    const words = this.#words(said);
    const read = readMoment(words, 0);
    if (read === null || read.next < words.tokens.length) return null;
    if (read.value.problem !== null)
      this.problem = `When is "${said}"? Say it with a day and a time, such as tomorrow at 15:00.`;
    return read.value.problem === null ? read.value : null;
  }

  setDeadline(when: string | null): boolean {
    const moment = when === null ? null : this.#moment(when);
    if (when !== null && moment === null) return false;
    this.changes.moves.push({
      steps: [],
      ...(moment === null ? { drop: ['deadline'] } : { deadline: moment.iso }),
    });
    return true;
  }

  /** @param name null: whatever has a time, else all of it */
  setTime(when: string, name: string | null): boolean {
    const words = this.#words(when);
    const length = readDuration(words, 0);
    if (length?.next === words.tokens.length && name !== null) return false;
    const rule = readRule(words, 0);
    if (rule !== null && rule.next === words.tokens.length)
      return name === null && rule.value.problem === null && this.#setRule(rule.value);
    const moment = this.#moment(/^\d/.test(when) ? `at ${when}` : when);
    if (moment === null) return false;
    const wanted = name === null ? null : this.#find(name);
    if (wanted?.length === 0) return false;
    const timed = this.changes.steps.filter(
      ({ args = {} }) =>
        typeof args.at === 'string' ||
        typeof args.rrule === 'string' ||
        typeof args.start === 'string',
    );
    if (timed.length > 0 && wanted === null)
      return timed.length === 1 && this.#setArgument(timed[0], moment);
    if (wanted !== null && timed.some(({ id = '' }) => wanted.includes(id)))
      return this.#setArgument(
        timed.find(({ id = '' }) => wanted.includes(id)),
        moment,
      );
    if ((this.#previous.series ?? []).length > 0) return false;
    const held = this.changes.steps.filter(({ not_before }) => not_before !== undefined);
    const steps = wanted ?? (held.length > 0 ? held : this.changes.steps).map(({ id = '' }) => id);
    this.changes.moves.push({
      steps,
      not_before:
        moment.bare && held.length > 0
          ? timeOnDay(held[0]?.not_before ?? '', moment.iso, this.#setting.timezone)
          : moment.iso,
    });
    return true;
  }

  #setArgument(one: StepDraft | undefined, moment: Moment): boolean {
    if (one === undefined) return false;
    const { args = {} } = one;
    const { timezone } = this.#setting;
    if (typeof args.rrule === 'string') {
      if (!moment.bare) return false;
      const [hour, minute] = moment.iso.slice(11, 16).split(':').map(Number);
      const rrule = args.rrule.replace(
        /BYHOUR=\d+;BYMINUTE=\d+/,
        `BYHOUR=${hour};BYMINUTE=${minute}`,
      );
      return this.#reword((value, step, name) =>
        step.id === one.id && name === 'rrule' ? rrule : value,
      );
    }
    const name = typeof args.at === 'string' ? 'at' : 'start';
    if (typeof args.end === 'string') return false;
    const old = String(args[name]);
    const next = moment.bare ? timeOnDay(old, moment.iso, timezone) : moment.iso;
    return this.#reword((value, step, key) => (step.id === one.id && key === name ? next : value));
  }

  #setRule(rule: Rule): boolean {
    const timed = this.changes.steps.filter(({ args = {} }) => typeof args.rrule === 'string');
    const [only] = timed;
    const hour = (old: string) =>
      rule.assumedHour
        ? rule.rrule.replace(
            /BYHOUR=\d+;BYMINUTE=\d+/,
            /BYHOUR=\d+;BYMINUTE=\d+/.exec(old)?.[0] ?? '$&',
          )
        : rule.rrule;
    if (only !== undefined && timed.length === 1) {
      const next = hour(String(only.args?.rrule));
      return this.#reword((value, one, name) =>
        one.id === only.id && name === 'rrule' ? next : value,
      );
    }
    const [series, ...more] = this.#previous.series ?? [];
    if (series === undefined || more.length > 0) return false;
    this.changes.rule = { ...rule, rrule: hour(series.rrule) };
    this.#reach('outline');
    return true;
  }

  /** A sentence where changes together cannot be. */
  finish(): string | null {
    const { gate, edges, moves } = this.changes;
    if (gate === 'outline' && (edges.length > 0 || moves.length > 0))
      return 'Say changes of the order or of times by themselves. What should change first?';
    return gate === 'roadmap' && moves.length > 0
      ? 'Say changes of times by themselves. What should change first?'
      : null;
  }
}

/** Whether a step takes something from the output of another. */
function takes(one: StepDraft | undefined, id: string): boolean {
  const find = (value: Json): boolean =>
    typeof value === 'object' &&
    value !== null &&
    (Array.isArray(value)
      ? value.some(find)
      : value.$from === id || Object.values(value).some(find));
  const when = one?.when == null ? [] : [one.when].flat();
  return find(one?.args ?? {}) || when.some((condition) => condition.step === id);
}
