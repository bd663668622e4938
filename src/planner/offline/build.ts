// From commands to steps: slots become arguments, open ones questions, and the order follows from the words and from the files.
import { Temporal } from 'temporal-polyfill';
import { findMalformed, referencesOf } from '#domain/plan/arguments.ts';
import { conditionsOf, type StepCondition } from '#domain/plan/condition.ts';
import { type Dependency, toDependency } from '#domain/plan/dependency.ts';
import { isObject, type Json, type JsonObject, parseJson } from '#domain/text.ts';
import type { JsonSchema, OperationSpec } from '#domain/tool.ts';
import { listOf, shorten, trimTail } from '#domain/words.ts';
import {
  type Doubt,
  settleEvery,
  settleWhen,
  showClock,
  todayIn,
  type When,
  withUntil,
} from '#timeline/spoken-times.ts';
import { type Question, readChoice, readReply, readWhenReply } from '../commands/answers.ts';
import type { Form, SlotType } from '../commands/forms.ts';
import { compile, isResult } from '../commands/match.ts';
import { type Command, CommandRefusal, placeFor, type Request } from '../commands/request.ts';

export type Setting = {
  manifest: readonly OperationSpec[];
  now: Date;
  timezone: string;
  answers: ReadonlyMap<string, string>;
};

export type Step = {
  id: string;
  spec: OperationSpec;
  args: JsonObject;
  after: Dependency[];
  when: StepCondition[];
  start: string | null;
  takes: string | null;
  deadline: string | null;
  recurs: { rrule: string; until: string | null } | null;
  command: Command;
};

export type Built =
  | { kind: 'steps'; steps: Step[] }
  | { kind: 'questions'; questions: Question[] }
  /** The operation of a form is not connected. */
  | { kind: 'missing'; text: string; wanted: string }
  /** It is understood and cannot be planned so. */
  | { kind: 'refused'; text: string };

/** The type of a slot, by any spelling of the form that has it. */
function typeOf({ spellings }: Form, name: string): SlotType {
  const elements = spellings.flatMap((one) => compile(one));
  const slot = elements.find(
    (one) => one.kind === 'slot' && one.name === name && one.type !== 'rest',
  );
  return slot?.kind === 'slot' ? slot.type : 'text';
}

const asks: Record<string, (command: Command) => string> = {
  content: ({ slots }) => `What should ${String(slots.values.path ?? 'the file')} contain?`,
  path: ({ form }) => `Which file should I ${form.id}?`,
  to: ({ form, slots }) =>
    `Where should I ${form.id} ${String(slots.values.path ?? slots.values.from ?? 'it')} to?`,
  url: () => 'Which web address?',
  text: ({ form }) => `What should I ${form.id === 'remind' ? 'remind you of' : form.id}?`,
  question: ({ slots }) => `What should I ask ${String(slots.values.assignee ?? 'you')}?`,
  assignee: () => 'Whom should I ask?',
  seconds: () => 'How long should I wait?',
  start: ({ slots }) => `When is ${String(slots.values.title ?? 'it')}?`,
};

class Builder {
  readonly #setting: Setting;
  readonly #questions: Question[] = [];
  readonly #steps: Step[] = [];
  readonly #firstId: number;

  constructor(setting: Setting, firstId: number) {
    this.#setting = setting;
    this.#firstId = firstId;
  }

  build({ commands, parts }: Request): Built {
    try {
      const first = parts.findIndex(({ structure }) => structure === 'phase');
      const lag = parts[first]?.lag ?? null;
      if (lag !== null && commands.every(({ part }) => part !== null))
        throw new CommandRefusal(
          `“after ${lag.words}” needs a phase or a command before “phase ${parts[first]?.title}”.`,
        );
      this.#askForScope(commands);
      for (const [at, command] of commands.entries()) this.#add(command, at, commands);
      if (this.#questions.length > 0) return { kind: 'questions', questions: this.#questions };
      orderSteps(this.#steps);
      return { kind: 'steps', steps: this.#steps };
    } catch (error) {
      if (!(error instanceof CommandRefusal)) throw error;
      const { message: text, wanted } = error;
      return wanted === null ? { kind: 'refused', text } : { kind: 'missing', text, wanted };
    }
  }

  /** The reply to a question, read; undefined: it is asked. */
  #ask<T>(question: Question, read: (reply: string) => T | null | undefined): T | undefined {
    const reply = this.#setting.answers.get(question.id);
    const value = reply === undefined ? undefined : read(reply);
    if (value !== undefined && value !== null) return value;
    this.#questions.push(question);
    return undefined;
  }

  /** A time behind the last of several commands may be meant for all of them. */
  #askForScope(commands: Command[]): void {
    const isOpen = (one: Command, at: number) =>
      one.isTimedAlone &&
      !one.follows &&
      at > 0 &&
      commands[at - 1]?.modifiers.start === null &&
      commands[at - 1]?.modifiers.every === null;
    const at = commands.findIndex(isOpen);
    const last = commands[at];
    if (last === undefined) return;
    const said = last.modifiers.start?.words ?? '';
    const options = ['For both', 'Only for the last one'];
    const text = `Does “${said}” apply to both commands joined by “and”, or only to the last one?`;
    const choice = this.#ask({ id: `scope ${at}`, text, options }, (reply) =>
      /\b(?:both|all|yes)\b/i.test(reply) ? options[0] : readChoice(reply, options),
    );
    if (choice !== options[0]) return;
    for (let k = at - 1; k >= 0; k -= 1) {
      const before = commands[k];
      if (before === undefined || before.modifiers.start !== null) break;
      before.modifiers = { ...before.modifiers, start: last.modifiers.start };
      if (before.follows) break;
    }
  }

  /** The moment, once nothing about it is open. */
  #settle(when: When, id: string, wholeDay = false): string | undefined {
    const { now, timezone } = this.#setting;
    let known = when;
    for (let round = 0; round < 3; round += 1) {
      const settled = settleWhen(known, { now, timezone }, wholeDay);
      if ('iso' in settled) return settled.iso;
      const reply = this.#ask(askAboutTime(settled, when.words, id), (said) =>
        readTimeReply(said, settled, { now, timezone }),
      );
      if (reply === undefined) return undefined;
      known = {
        ...known,
        ...(reply.date === null ? {} : { date: reply.date, isToday: false }),
        ...(reply.clock === null ? {} : { clock: reply.clock }),
        ...(reply.instant === null ? {} : { instant: reply.instant }),
      };
    }
    return undefined;
  }

  #settleRule(
    command: Command,
    id: string,
  ): { rrule: string; until: string | null } | undefined | null {
    const { every, until } = command.modifiers;
    if (every === null) {
      if (until !== null)
        throw new CommandRefusal(
          '“until” needs a repetition before it, such as “every Monday at 9:00”.',
        );
      return null;
    }
    let known = every;
    const first = settleEvery(known);
    if (!('rrule' in first)) {
      const reply = this.#ask(askAboutTime(first, every.words, id), (said) =>
        readTimeReply(said, first, this.#setting),
      );
      if (reply?.clock == null) return undefined;
      known = { ...known, clock: reply.clock };
    }
    const settled = settleEvery(known);
    const end = until === null ? null : this.#settle(until, `${id} until`, true);
    if (end && Date.parse(end) <= this.#setting.now.getTime())
      throw new CommandRefusal(`“until ${until?.words}” has passed. Name a later day.`);
    if (!('rrule' in settled)) {
      this.#ask(askAboutTime(settled, every.words, `${id} again`), () => undefined);
      return undefined;
    }
    return end === undefined ? undefined : { rrule: settled.rrule, until: end && toUtc(end) };
  }

  #add(command: Command, at: number, all: Command[]): void {
    const { form, slots, modifiers } = command;
    const spec = this.#find(command, isYesNo(all, at));
    const args: JsonObject = { ...form.fixed };
    for (const [name, value] of Object.entries(slots.values))
      if (value !== null && form.id !== 'call') args[name] = this.#resolve(value, at);
    if (form.id === 'send') args.method = command.verb.toUpperCase();
    for (const name of slots.lacks) {
      const type = typeOf(form, name);
      if (type === 'time') continue;
      const question = { id: `${name} ${at}`, text: asks[name]?.(command) ?? `Which ${name}?` };
      const value = this.#ask<{ is: Json }>(question, (reply) => {
        const read = readReply(reply, type, this.#setting);
        return read === undefined ? undefined : { is: read };
      });
      if (value !== undefined && value.is !== null) args[name] = value.is;
    }
    if (form.id === 'call') Object.assign(args, this.#readCall(command, spec, at));
    const [malformed] = findMalformed(args);
    if (malformed !== undefined) throw new CommandRefusal(`${malformed}.`);
    if ((form.id === 'copy' || form.id === 'move') && typeof args.to === 'string')
      args.to = placeFor(String(args.from ?? args.path), args.to);
    refuseTwoTimes(command);
    const rule = this.#settleRule(command, `rule ${at}`);
    const start = modifiers.start && this.#settle(modifiers.start, `start ${at}`);
    const deadline = modifiers.deadline && this.#settle(modifiers.deadline, `deadline ${at}`, true);
    this.#addTimes(command, args, at, { start: start ?? null, rule: rule ?? null });
    const isOwn = form.id === 'remind';
    this.#steps.push({
      id: String(this.#steps.length + this.#firstId),
      spec,
      args,
      after: [],
      when: this.#conditionOf(command, all, at),
      start: isOwn || form.id === 'add event' ? null : (start ?? null),
      takes: modifiers.takes?.words ?? null,
      deadline: deadline ?? null,
      recurs: isOwn ? null : (rule ?? null),
      command,
    });
  }

  /** Times that are arguments: of reminders, events and the calendar. */
  #addTimes(
    { form, slots, modifiers }: Command,
    args: JsonObject,
    at: number,
    { start, rule }: { start: string | null; rule: { rrule: string; until: string | null } | null },
  ): void {
    const { timezone } = this.#setting;
    if (form.id === 'remind') {
      if (modifiers.start === null && modifiers.every === null) {
        const when = this.#askWhen(`When should I remind you of it?`, `when ${at}`);
        if (when !== undefined) args.at = when;
      } else if (rule !== null) args.rrule = withUntil(rule.rrule, rule.until);
      else if (start !== null) args.at = start;
      args.timezone = timezone;
    }
    if (form.id === 'add event') {
      const said = slots.times.start ?? modifiers.start;
      const begin =
        said === null || said === undefined
          ? this.#askWhen(asks.start?.({ slots } as Command) ?? '', `when ${at}`) // only the slots are read
          : this.#settle(said, `start ${at}`);
      if (begin !== undefined) args.start = begin;
      const end = slots.clocks.end;
      if (end !== undefined && begin !== undefined) {
        const date = Temporal.PlainDate.from(begin.slice(0, 10));
        const until = this.#settle(
          { words: showClock(end), date, clock: end, instant: null, isToday: false },
          `end ${at}`,
        );
        if (until !== undefined && Date.parse(until) <= Date.parse(begin))
          throw new CommandRefusal(
            `The event ends at ${showClock(end)}, before it begins. Name an end on the same day.`,
          );
        if (until !== undefined) args.end = until;
      }
      args.timezone = timezone;
    }
    if (form.id === 'calendar') {
      const today = { words: 'today', date: null, clock: null, instant: null, isToday: false };
      const day = slots.times.from ?? today;
      const date = day.date?.toString() ?? todayIn(this.#setting);
      args.from = `${date}T00:00:00`;
      args.to = `${date}T23:59:59`;
      args.timezone = timezone;
    }
  }

  #askWhen(text: string, id: string): string | undefined {
    const when = this.#ask({ id, text }, (reply) => readWhenReply(reply, this.#setting));
    return when === undefined ? undefined : this.#settle(when, id);
  }

  #find({ form, slots }: Command, isYesNo: boolean): OperationSpec {
    const name = form.operation ?? String(slots.values.operation);
    const wanted = isYesNo ? 'human_confirm' : name;
    const spec = this.#setting.manifest.find((one) => one.name === wanted);
    if (spec === undefined)
      throw new CommandRefusal(
        `${form.id === 'call' ? `No connected operation is called ${wanted}.` : `“${form.id}” needs the operation ${wanted}, which isn't connected.`} Call any connected operation by name: call NAME with …`,
        form.id === 'call' ? wanted : form.id,
      );
    return spec;
  }

  /** The last thing that gave something, where a text is its result. */
  #resolve(value: Json, at: number): Json {
    if (!isResult(value)) return value;
    const before = this.#steps.at(-1);
    const path = before === undefined ? null : textPointer(before.spec);
    if (before === undefined || path === null || this.#steps.length !== at)
      throw new CommandRefusal(
        '“the result” needs an earlier command that returns text, such as “fetch …” or “show …”.',
      );
    return { $from: before.id, path };
  }

  #conditionOf({ answer }: Command, all: Command[], at: number): StepCondition[] {
    if (answer === null) return [];
    const asked = this.#steps.findLast(
      ({ command }) => command.form.id === 'ask' && all.indexOf(command) < at,
    );
    if (asked === undefined)
      throw new CommandRefusal(
        `“if ${answer.toLowerCase()}:” needs a question before it: ask Ana "May I?", then if yes: …`,
      );
    return [{ step: asked.id, path: '/answer', is: 'equals', value: answer }];
  }

  /** Arguments by the schema of the operation; what is required and missing is asked for. */
  #readCall({ slots }: Command, spec: OperationSpec, at: number): JsonObject {
    const given = isObject(slots.values.args) ? slots.values.args : {};
    const properties = isObject(spec.input.properties) ? spec.input.properties : {};
    const required = Array.isArray(spec.input.required) ? spec.input.required.map(String) : [];
    const schemaOf = (name: string): JsonSchema => {
      const schema: unknown = properties[name];
      return isObject(schema) ? schema : {};
    };
    const args: JsonObject = {};
    for (const [name, value] of Object.entries(given)) {
      if (!Object.hasOwn(properties, name) && spec.input.additionalProperties === false)
        throw new CommandRefusal(
          `${spec.name} has no argument “${shorten(name, 60)}”. It takes ${listOf(Object.keys(properties)) || 'none'}.`,
        );
      const written = isObject(value) && typeof value.$written === 'string' ? value.$written : null;
      const read = written === null ? value : coerce(written, schemaOf(name));
      if (read !== undefined) args[name] = read;
      else this.#askForArgument(spec, name, schemaOf(name), args, at);
    }
    for (const name of required)
      if (
        args[name] === undefined &&
        !Object.hasOwn(given, name) &&
        schemaOf(name).default === undefined
      )
        this.#askForArgument(spec, name, schemaOf(name), args, at);
    return args;
  }

  #askForArgument(
    spec: OperationSpec,
    name: string,
    schema: JsonSchema,
    args: JsonObject,
    at: number,
  ): void {
    const values = Array.isArray(schema.enum) ? schema.enum.map(String) : [];
    const type = typeof schema.type === 'string' ? ` Expected type: ${schema.type}.` : '';
    const value = this.#ask(
      {
        id: `argument ${at} ${name}`.slice(0, 200),
        text: `What should “${shorten(name, 80)}” be for ${spec.name}?${values.length > 0 ? ` One of ${listOf(values.slice(0, 20), 'or')}.` : type}`,
        ...(values.length > 1 && values.length <= 4 ? { options: values } : {}),
      },
      (reply) =>
        values.length > 0 ? (readChoice(reply, values) ?? undefined) : coerceReply(reply, schema),
    );
    if (value !== undefined) args[name] = value;
  }
}

/** Times that say the same thing twice, of which only one could count. */
function refuseTwoTimes({ form, slots, modifiers, isTimedAlone }: Command): void {
  const { start, every, lag, deadline } = modifiers;
  const isDelayed = every !== null || (start !== null && (isTimedAlone || form.id === 'remind'));
  const said = [
    ...[slots.times.start, start, every].flatMap((one) => (one == null ? [] : [one.words])),
    ...(lag !== null && isDelayed ? [`after ${lag.words}`] : []),
    ...(deadline !== null && every !== null ? [`by ${deadline.words}`] : []),
  ];
  if (form.id === 'calendar' && (start !== null || every !== null || lag !== null))
    throw new CommandRefusal(
      'The calendar is read now, for one day. Send “calendar tomorrow” by itself.',
    );
  if (said.length > 1)
    throw new CommandRefusal(
      `“${said[0]}” and “${said[1]}” both say when. Keep one of them, or send two commands.`,
    );
}

/** Whether the command at `at` is a question that an answer behind it is about: no other question comes between. */
function isYesNo(all: Command[], at: number): boolean {
  const next = all.slice(at + 1).find(({ form, answer }) => form.id === 'ask' || answer !== null);
  return all[at]?.form.id === 'ask' && (next?.answer ?? null) !== null;
}

const toUtc = (iso: string): string => new Date(iso).toISOString();

function askAboutTime({ about, choices }: Doubt, words: string, id: string): Question {
  const text =
    about === 'date'
      ? choices.length > 0
        ? `Which day is “${words}”?`
        : `“${words}” has passed. Which day and time do you mean?`
      : choices.length === 2
        ? `Is “${words}” in the morning or in the afternoon?`
        : `At what time is “${words}”?`;
  return { id: `${about} ${id}`, text, ...(choices.length > 1 ? { options: choices } : {}) };
}

function readTimeReply(
  said: string,
  { choices }: Doubt,
  setting: Pick<Setting, 'now' | 'timezone'>,
): When | null {
  const chosen = readChoice(said, choices);
  const when = readWhenReply(chosen ?? said, setting);
  // A choice is the time of day itself, however early.
  if (when?.clock != null && chosen !== null)
    return { ...when, clock: { ...when.clock, second: null } };
  return when;
}

/** A word in the type that the schema wants; undefined where it does not fit. */
function coerce(written: string, { type, enum: values }: JsonSchema): Json | undefined {
  if (Array.isArray(values)) {
    const found: unknown = values.find(
      (one) => String(one).toLowerCase() === written.toLowerCase(),
    );
    return found === undefined ? undefined : parseJson(JSON.stringify(found));
  }
  if (type === 'string') return written;
  const json = parseJson(written);
  if (type === undefined || Array.isArray(type)) return json ?? written;
  const is = Array.isArray(json) ? 'array' : json === null ? 'null' : typeof json;
  const fits = type === 'integer' ? Number.isInteger(json) : is === type;
  return fits ? json : undefined;
}

function coerceReply(reply: string, schema: JsonSchema): Json | undefined {
  const text = readReply(reply, 'text', { now: new Date(0), timezone: 'UTC' });
  if (schema.type === 'boolean') {
    const word = /\b(yes|true|no|false)\b/i.exec(reply)?.[1]?.toLowerCase();
    return word === undefined ? undefined : word === 'yes' || word === 'true';
  }
  if (schema.type === 'number' || schema.type === 'integer') {
    const [only, ...more] = reply.match(/-?\d+(?:\.\d+)?/g) ?? [];
    return more.length > 0 || only === undefined ? undefined : coerce(only, schema);
  }
  if (schema.type === 'array') {
    const list = coerce(String(text), schema);
    return (
      list ??
      String(text)
        .split(/,\s?|\sand\s/)
        .map((one) => one.trim())
    );
  }
  return coerce(String(text), schema);
}

/** Where an operation's output holds its text; null when it holds none that is known. */
function textPointer(spec: OperationSpec): string | null {
  if (spec.name === 'human_task' || spec.name === 'human_confirm') return '/answer';
  const properties = spec.output?.properties;
  const names = isObject(properties) ? Object.keys(properties) : [];
  const known = ['text', 'content', 'body', 'result', 'answer'].find((one) => names.includes(one));
  if (known !== undefined) return `/${known}`;
  return names.length === 0 && (spec.source === 'mcp' || spec.effect === 'read') ? '/text' : null;
}

const cleanPath = (path: string) => trimTail(path.replace(/^\.\//, ''), /\//);

/** The files that a step changes and reads. */
export function filesOf({ command: { form }, args, spec }: Step): {
  changes: string[];
  reads: string[];
} {
  const paths = (names: readonly string[]) =>
    names.flatMap((name) => (typeof args[name] === 'string' ? [cleanPath(args[name])] : []));
  if (form.operation === null) {
    const all = paths(['path', 'from', 'to', 'source', 'destination', 'file']);
    return spec.effect === 'read' ? { changes: [], reads: all } : { changes: all, reads: [] };
  }
  const { changes = [] } = form;
  return {
    changes: paths(changes),
    reads: paths(['path', 'from'].filter((name) => !changes.includes(name))),
  };
}

const overlap = (a: string, b: string): boolean =>
  a === b || a === '' || b === '' || a.startsWith(`${b}/`) || b.startsWith(`${a}/`);
const meet = (a: string[], b: string[]): boolean =>
  a.some((one) => b.some((other) => overlap(one, other)));

/** Commands one behind the other, and alongside each other where they are joined by `and` and share no file. */
function orderSteps(steps: Step[]): void {
  const recurring = steps.filter(({ recurs }) => recurs !== null);
  const [again] = recurring;
  if (
    again !== undefined &&
    (recurring.length < steps.length || steps.some(({ when }) => when.length > 0))
  )
    throw new CommandRefusal(
      `A repeated command must be sent alone. Send “${shorten(again.command.words, 80)}” by itself.`,
    );
  const isChained = recurring.some(
    ({ command: { follows, modifiers } }, at) =>
      follows && modifiers.every === recurring[at - 1]?.command.modifiers.every,
  );
  if (
    isChained ||
    (recurring.length > 1 &&
      recurring.some((one, at) =>
        recurring.some((other, k) => k < at && meet(filesOf(one).changes, filesOf(other).changes)),
      ))
  )
    throw new CommandRefusal(
      "Repeated commands run independently, so they can't change the same files or depend on each other. Send them as one plan, or use different files.",
    );
  if (again !== undefined) return;
  let before: Step[] = [];
  let group: Step[] = [];
  let latest = '';
  for (const step of steps) {
    // A part waits for the part before it as a whole.
    if (group.some(({ command }) => command.part !== step.command.part)) [before, group] = [[], []];
    if (step.command.follows && group.length > 0) {
      const waitedFor = new Set(group.flatMap(({ after }) => after.map(({ id }) => id)));
      before = group.filter(({ id }) => !waitedFor.has(id));
      group = [];
    }
    const own = filesOf(step);
    const taken = new Set([
      ...referencesOf(step.args).map(({ $from }) => $from),
      ...conditionsOf(step.when).map((one) => one.step),
    ]);
    const met = group.filter((one) => {
      const files = filesOf(one);
      const shared =
        meet(own.changes, [...files.changes, ...files.reads]) || meet(own.reads, files.changes);
      return shared || taken.has(one.id) || one.spec.name === 'control_wait';
    });
    const lag = step.command.modifiers.lag;
    const lag_minutes = lag === null ? 0 : lag.seconds / 60;
    if (lag !== null && before.length === 0)
      throw new CommandRefusal(`“after ${lag.words}” needs a command before it, joined by “then”.`);
    const waits = lag !== null ? [...before, ...met] : met.length > 0 ? met : before;
    step.after = waits.map(({ id }) => ({ ...toDependency(id), lag_minutes }));
    if (step.start !== null) {
      if (latest !== '' && waits.length > 0 && Date.parse(step.start) < Date.parse(latest))
        throw new CommandRefusal(
          `“${shorten(step.command.words, 80)}” comes after a command with a later time. Change its time, or send it by itself.`,
        );
      latest = step.start;
    }
    group.push(step);
  }
}

/** @param firstId the number of the first step, where others are there already */
export function buildSteps(request: Request, setting: Setting, firstId = 1): Built {
  return new Builder(setting, firstId).build(request);
}
