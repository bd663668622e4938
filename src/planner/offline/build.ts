// Turns commands into steps: slots become arguments, open ones questions.
import { Temporal } from 'temporal-polyfill';
import { sayLength } from '#domain/length.ts';
import { findMalformed } from '#domain/plan/arguments.ts';
import type { StepCondition } from '#domain/plan/condition.ts';
import { isObject, type Json, type JsonObject } from '#domain/text.ts';
import type { OperationSpec } from '#domain/tool.ts';
import { isNearly, listOf } from '#domain/words.ts';
import { showClock, todayIn, withUntil } from '#timeline/spoken-times.ts';
import { readChoice, readReply } from '../commands/answers.ts';
import type { Form, SlotType } from '../commands/forms.ts';
import { compile, isResult } from '../commands/match.ts';
import { type Command, CommandRefusal, placeFor, type Request } from '../commands/request.ts';
import { readCall } from './call-arguments.ts';
import type { Built, Rule, Setting, Step } from './describe.ts';
import { orderSteps } from './order-steps.ts';
import { Questions } from './questions.ts';

function typeOf({ spellings }: Form, name: string): SlotType {
  const elements = spellings.flatMap((one) => compile(one));
  const slot = elements.find(
    (one) => one.kind === 'slot' && one.name === name && one.type !== 'rest',
  );
  return slot?.kind === 'slot' ? slot.type : 'text';
}

const longestWait = 86_400;

const asks: Record<string, (command: Command) => string> = {
  content: ({ slots }) => `What should ${String(slots.values.path ?? 'the file')} contain?`,
  path: ({ form }) => `Which file should I ${form.id}?`,
  to: ({ form, slots }) =>
    `Where should I ${form.id} ${String(slots.values.path ?? slots.values.from ?? 'it')} to?`,
  url: () => 'Which web address?',
  text: ({ form }) => `What should I ${form.id === 'remind' ? 'remind you of' : form.id}?`,
  question: ({ slots: { values, lacks } }) =>
    `What should I ask ${lacks.includes('assignee') ? 'them' : String(values.assignee ?? 'you')}?`,
  assignee: () => 'Whom should I ask?',
  seconds: () => 'How long should I wait?',
  start: ({ slots }) => `When is ${String(slots.values.title ?? 'it')}?`,
};

class Builder {
  readonly #setting: Setting;
  readonly #questions: Questions;
  readonly #steps: Step[] = [];
  readonly #firstId: number;

  constructor(setting: Setting, firstId: number) {
    this.#setting = setting;
    this.#questions = new Questions(setting);
    this.#firstId = firstId;
  }

  build({ commands, parts }: Request): Built {
    try {
      const { asked } = this.#questions;
      const first = parts.findIndex(({ structure }) => structure === 'phase');
      const lag = parts[first]?.lag ?? null;
      if (lag !== null && commands.every(({ part }) => part !== null))
        throw new CommandRefusal(
          `“after ${lag.words}” needs a phase or a command before “phase ${parts[first]?.title}”.`,
        );
      this.#askForScope(commands);
      // The answers determine the other times.
      if (asked.length > 0) return { kind: 'questions', questions: asked };
      for (const [at, command] of commands.entries()) this.#add(command, at, commands);
      if (asked.length > 0) return { kind: 'questions', questions: asked };
      orderSteps(this.#steps);
      return { kind: 'steps', steps: this.#steps };
    } catch (error) {
      if (!(error instanceof CommandRefusal)) throw error;
      const { message: text, wanted } = error;
      return wanted === null ? { kind: 'refused', text } : { kind: 'missing', text, wanted };
    }
  }

  /** A time after the last of several commands may apply to all. */
  #askForScope(commands: Command[]): void {
    const isOpen = (one: Command, at: number) =>
      one.isTimedAlone &&
      !one.follows &&
      at > 0 &&
      commands[at - 1]?.modifiers.start === null &&
      commands[at - 1]?.slots.times.start === undefined &&
      commands[at - 1]?.modifiers.every === null;
    const at = commands.findIndex(isOpen);
    const last = commands[at];
    if (last === undefined) return;
    const words = last.modifiers.start?.words ?? '';
    const options = ['For both', 'Only for the last one'];
    const text = `Does “${words}” apply to both commands joined by “and”, or only to the last one?`;
    const choice = this.#questions.ask({ id: `scope ${at}`, text, options }, (reply) =>
      /\b(?:both|all|yes)\b/i.test(reply) ? options[0] : readChoice(reply, options),
    );
    if (choice !== options[0]) return;
    for (let k = at - 1; k >= 0; k -= 1) {
      const before = commands[k];
      if (before === undefined || (before.modifiers.start ?? before.slots.times.start) != null)
        break;
      before.modifiers = { ...before.modifiers, start: last.modifiers.start };
      if (before.follows) break;
    }
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
      const value = this.#questions.ask<{ is: Json }>(question, (reply) => {
        const read = readReply(reply, type, this.#setting);
        return read === undefined ? undefined : { is: read };
      });
      if (value !== undefined && value.is !== null) args[name] = value.is;
    }
    if (form.id === 'call') Object.assign(args, readCall(command, spec, at, this.#questions));
    const [malformed] = findMalformed(args);
    if (malformed !== undefined) throw new CommandRefusal(`${malformed}.`);
    if ((form.id === 'copy' || form.id === 'move') && typeof args.to === 'string')
      args.to = placeFor(String(args.from ?? args.path), args.to);
    refuseTwoTimes(command);
    if (form.id === 'wait' && Number(args.seconds) > longestWait)
      throw new CommandRefusal(
        `“${command.words}” is longer than a day. Say “after ${sayLength(Number(args.seconds) / 60)}” before the next command instead.`,
      );
    if (modifiers.takes?.working === true && spec.human !== true)
      throw new CommandRefusal(
        `“takes ${modifiers.takes.words}” is working time, and no person works on this. Say it in days or hours.`,
      );
    const rule = this.#questions.settleRule(command, `rule ${at}`);
    const start = modifiers.start && this.#questions.settle(modifiers.start, `start ${at}`);
    const deadline =
      modifiers.deadline && this.#questions.settle(modifiers.deadline, `deadline ${at}`, true);
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

  #addTimes(
    { form, slots, modifiers }: Command,
    args: JsonObject,
    at: number,
    { start, rule }: { start: string | null; rule: Rule | null },
  ): void {
    const { timezone } = this.#setting;
    if (form.id === 'remind') {
      if (modifiers.start === null && modifiers.every === null) {
        const when = this.#questions.askWhen(`When should I remind you of it?`, `when ${at}`);
        if (when !== undefined) args.at = when;
      } else if (rule !== null) args.rrule = withUntil(rule.rrule, rule.until);
      else if (start !== null) args.at = start;
      args.timezone = rule?.timezone ?? timezone;
    }
    if (form.id === 'add event') {
      const startWords = slots.times.start ?? modifiers.start;
      const begin =
        startWords === null || startWords === undefined
          ? this.#questions.askWhen(asks.start?.({ slots } as Command) ?? '', `when ${at}`) // only the slots are read
          : this.#questions.settle(startWords, `start ${at}`);
      if (begin !== undefined) args.start = begin;
      const end = slots.clocks.end;
      if (end !== undefined && begin !== undefined) {
        const date = Temporal.PlainDate.from(begin.slice(0, 10));
        const until = this.#questions.settle(
          { words: showClock(end), date, clock: end, instant: null, or: null },
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
      const today = { words: 'today', date: null, clock: null, instant: null, or: null };
      const day = slots.times.from ?? today;
      const date = day.date?.toString() ?? todayIn(this.#setting);
      args.from = `${date}T00:00:00`;
      args.to = `${date}T23:59:59`;
      args.timezone = timezone;
    }
  }

  #find({ form, slots }: Command, isYesNo: boolean): OperationSpec {
    const name = form.operation ?? String(slots.values.operation);
    const wanted = isYesNo ? 'human_confirm' : name;
    const spec = this.#setting.manifest.find((one) => one.name === wanted);
    if (spec === undefined && form.id === 'call') {
      const names = this.#setting.manifest.map((one) => one.name);
      const near = names.filter((one) => isNearly(one, wanted)).slice(0, 3);
      throw new CommandRefusal(
        `No connected operation is called ${wanted}. ${near.length > 0 ? `Did you mean ${listOf(near, 'or')}?` : 'A server that was just started may need a moment. Settings, Tools and “countersign doctor” show what is connected.'}`,
        wanted,
      );
    }
    if (spec === undefined)
      throw new CommandRefusal(
        `“${form.id}” needs the operation ${wanted}, which isn't connected. Call any connected operation by name: call NAME with …`,
        form.id,
      );
    return spec;
  }

  /** “the result” is the previous step's text. */
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
}

function refuseTwoTimes({ form, slots, modifiers, isTimedAlone }: Command): void {
  const { start, every, until, lag, deadline } = modifiers;
  const isDelayed = every !== null || (start !== null && (isTimedAlone || form.id === 'remind'));
  const sentences = [
    ...[slots.times.start, start, every].flatMap((one) => (one == null ? [] : [one.words])),
    ...(lag !== null && isDelayed ? [`after ${lag.words}`] : []),
    ...(deadline !== null && every !== null ? [`by ${deadline.words}`] : []),
    ...(until !== null && every?.words.endsWith(' times') ? [`until ${until.words}`] : []),
  ];
  if (form.id === 'calendar' && (start !== null || every !== null || lag !== null))
    throw new CommandRefusal(
      'The calendar is read now, for one day. Send “calendar tomorrow” by itself.',
    );
  if (sentences.length > 1)
    throw new CommandRefusal(
      `“${sentences[0]}” and “${sentences[1]}” both say when. Keep one of them, or send two commands.`,
    );
}

/** The last question before a Yes or No. */
function isYesNo(all: Command[], at: number): boolean {
  const next = all.slice(at + 1).find(({ form, answer }) => form.id === 'ask' || answer !== null);
  return all[at]?.form.id === 'ask' && (next?.answer ?? null) !== null;
}

export function buildSteps(request: Request, setting: Setting, firstId = 1): Built {
  return new Builder(setting, firstId).build(request);
}
/** Pointer to the text in an operation's output. */
function textPointer(spec: OperationSpec): string | null {
  if (spec.name === 'human_task' || spec.name === 'human_confirm') return '/answer';
  const properties = spec.output?.properties;
  const names = isObject(properties) ? Object.keys(properties) : [];
  const known = ['text', 'content', 'body', 'result', 'answer'].find((one) => names.includes(one));
  if (known !== undefined) return `/${known}`;
  return names.length === 0 && (spec.source === 'mcp' || spec.effect === 'read') ? '/text' : null;
}
