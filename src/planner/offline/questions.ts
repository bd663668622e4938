// Asks open questions and reads the replies.
import { nextOccurrences } from '#timeline/recurrence.ts';
import { type Doubt, settleEvery, settleWhen, type When } from '#timeline/spoken-times.ts';
import { type Question, readChoice, readWhenReply } from '../commands/answers.ts';
import { type Command, CommandRefusal } from '../commands/request.ts';
import type { Rule, Setting } from './describe.ts';

export class Questions {
  readonly asked: Question[] = [];
  readonly #setting: Setting;

  constructor(setting: Setting) {
    this.#setting = setting;
  }

  ask<T>(question: Question, read: (reply: string) => T | null | undefined): T | undefined {
    const reply = this.#setting.answers.get(question.id);
    const value = reply === undefined ? undefined : read(reply);
    if (value !== undefined && value !== null) return value;
    this.asked.push(question);
    return undefined;
  }

  /** Undefined while open. */
  settle(when: When, id: string, wholeDay = false): string | undefined {
    const { now, timezone } = this.#setting;
    let known = when;
    for (let round = 0; round < 3; round += 1) {
      const settled = settleWhen(known, { now, timezone }, wholeDay);
      if ('iso' in settled) return settled.iso;
      const reply = this.ask(askAboutTime(settled, when.words, id), (input) =>
        readTimeReply(input, settled, { now, timezone }),
      );
      if (reply === undefined) return undefined;
      known = {
        ...known,
        ...(reply.date === null ? {} : { date: reply.date, or: null }),
        ...(reply.clock === null ? {} : { clock: reply.clock }),
        ...(reply.instant === null ? {} : { instant: reply.instant }),
      };
    }
    return undefined;
  }

  settleRule(command: Command, id: string): Rule | undefined | null {
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
      const reply = this.ask(askAboutTime(first, every.words, id), (input) =>
        readTimeReply(input, first, this.#setting),
      );
      if (reply?.clock == null) return undefined;
      known = { ...known, clock: reply.clock };
    }
    const settled = settleEvery(known);
    const end = until === null ? null : this.settle(until, `${id} until`, true);
    const timezone = known.clock?.zone ?? this.#setting.timezone;
    if (/^[+-]/.test(timezone))
      throw new CommandRefusal(
        `“${every.words}” needs the name of a zone, such as Europe/Berlin, because an offset does not follow summer time.`,
      );
    if (end && Date.parse(end) <= this.#setting.now.getTime())
      throw new CommandRefusal(`“until ${until?.words}” has passed. Name a later day.`);
    if (!('rrule' in settled)) {
      this.ask(askAboutTime(settled, every.words, `${id} again`), () => undefined);
      return undefined;
    }
    if (end && !hasOccurrence(settled.rrule, { ...this.#setting, timezone }, Date.parse(end)))
      throw new CommandRefusal(
        `Nothing of “${every.words}” falls before “until ${until?.words}”. Name a later day.`,
      );
    return end === undefined
      ? undefined
      : { rrule: settled.rrule, until: end && toUtc(end), timezone };
  }

  askWhen(text: string, id: string): string | undefined {
    const when = this.ask({ id, text }, (reply) => readWhenReply(reply, this.#setting));
    return when === undefined ? undefined : this.settle(when, id);
  }
}

function hasOccurrence(rrule: string, { now, timezone }: Setting, before: number): boolean {
  const [first] = nextOccurrences({ rrule, timezone, startsAt: now }, now, 1);
  return first !== undefined && first.getTime() < before;
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
  input: string,
  { choices }: Doubt,
  setting: Pick<Setting, 'now' | 'timezone'>,
): When | null {
  const chosen = readChoice(input, choices);
  const when = readWhenReply(chosen ?? input, setting);
  // The chosen time of day holds, however early.
  if (when?.clock != null && chosen !== null)
    return { ...when, clock: { ...when.clock, second: null } };
  return when;
}
