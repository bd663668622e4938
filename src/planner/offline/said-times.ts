// What is said about when a piece of work is due, how long it takes, what it waits for, and how often it comes: in
// brackets, at the end of an instruction, or in a sentence of its own.
import type { Recurs } from '#contracts/planning/outline.ts';
import { readLength, usualWorkday } from './read-amount.ts';
import { readDateTiming } from './read-date-timing.ts';
import { endOfDay, findMoment, prepareMoments } from './read-moment.ts';
import { readRecurrence } from './recurrences.ts';
import { printMomentIn } from './times.ts';
import { readPlace, readWords } from './timing-words.ts';

/**
 * A length of time in minutes. Three days of a person's work are three working days (of the usual length: whose they are is
 * not known yet), those of a machine 72 hours.
 */
export type Duration = { person: number; machine: number };

export type SaidTimes = {
  /** Order in words, for `resolve_dependencies`. */
  timing: string[];
  deadline: string | null;
  not_before: string | null;
  duration: Duration | null;
  recurs: Recurs | null;
};

export type TimeContext = { now: Date; timezone: string };

export function noTimes(): SaidTimes {
  return { timing: [], deadline: null, not_before: null, duration: null, recurs: null };
}

export function saysNothing(times: SaidTimes): boolean {
  const { timing, deadline, not_before, duration, recurs } = times;
  const none = [deadline, not_before, duration, recurs].every((one) => one === null);
  return timing.length === 0 && none;
}

/** Both; what `more` says counts. */
export function joinTimes(times: SaidTimes, more: SaidTimes): SaidTimes {
  return {
    timing: [...times.timing, ...more.timing],
    deadline: more.deadline ?? times.deadline,
    not_before: more.not_before ?? times.not_before,
    duration: more.duration ?? times.duration,
    recurs: more.recurs ?? times.recurs,
  };
}

const dueWords =
  /^(?:(?:it|this|which|that)\s+)?(?:(?:is|are|must|should|has to|have to|needs? to|to)\s+)*(?:be\s+)?(?:all\s+)?(?:done|finished|ready|complete[d]?|due|finish|end)?\s*(?:by|before|no later than|not later than|at the latest(?:\s+(?:by|on))?|until|due|deadline:?)\s+(?=\S)/i;

/** "by Friday 17:00", "due on the 20th": a deadline; a day without an hour lasts until its end. null: none. */
export function readDeadline(words: string, { now, timezone }: TimeContext): string | null {
  const text = prepareMoments(words.trim().replace(/[.;,!]+$/, ''), now, timezone);
  const lead = dueWords.exec(text)?.[0];
  if (lead === undefined) return null;
  const said = text.slice(lead.length).replace(/^(?:on|the)\s+/i, '');
  const moment = findMoment(said, now, timezone);
  if (moment === null || moment.index !== 0 || said.slice(moment.length).trim() !== '') return null;
  // "before Friday" is over when Friday begins.
  const before = /\bbefore\s+$/i.test(lead);
  const at = moment.day === null ? moment.at : before ? moment.day : endOfDay(moment.day, timezone);
  return printMomentIn(new Date(at), timezone);
}

/** Characters; nobody says a length of time in more. */
const longestDuration = 200;

/** "takes three days", "about 2 hours". null: no length of time. */
export function readDuration(words: string): Duration | null {
  if (words.length > longestDuration) return null;
  const bare = words
    .trim()
    .replace(/^(?:(?:it|this|which|that)\s+)?(?:will\s+)?(?:takes?|lasts?|needs?)\s+/i, '')
    .replace(/^(?:about|around|roughly|approximately|~|at most|up to)\s*/i, '')
    .replace(/(?:\s+(?:long|of work|each))?[.!]*$/i, '');
  const machine = readLength(bare, null);
  return machine === null ? null : { person: readLength(bare, usualWorkday) ?? machine, machine };
}

const until = /[,\s]+(?:until|till|through)\s+(?:the\s+end\s+of\s+)?(.{3,40})$/i;

/** A rule in words and nothing else: "every weekday at 9 until 1 June". null: none. */
export function readRule(words: string, context: TimeContext): Recurs | null {
  const found = takeRule(words, context);
  return found !== null && /^[\s,.:;-]*$/.test(found.rest) ? found.recurs : null;
}

/** The rule that `text` speaks of, and what it says besides. */
export function takeRule(
  text: string,
  { now, timezone }: TimeContext,
): { recurs: Recurs; rest: string; rrule: string } | null {
  const rule = readRecurrence(text);
  if (rule === null) return null;
  const said = rule.pieces.reduce((left, piece) => left.replace(piece, ' '), text);
  const last = until.exec(said.trim());
  const moment = last?.[1] === undefined ? null : findMoment(last[1], now, timezone);
  const whole = last?.[1] !== undefined && moment?.length === last[1].trim().length;
  const end = moment === null || !whole ? null : (moment.day ?? moment.at);
  const rest = (whole && last !== null ? said.trim().slice(0, last.index) : said)
    .replace(/\s+/g, ' ')
    .replace(/\s+([,.;:])/g, '$1')
    .replace(/^[\s,:]+|[\s,.]+$/g, '');
  const recurs: Recurs = {
    rrule: rule.rrule,
    starts_at: printMomentIn(now, timezone),
    timezone,
    until:
      end === null
        ? null
        : printMomentIn(new Date(moment?.day === null ? end : endOfDay(end, timezone)), timezone),
  };
  return { recurs, rest, rrule: rule.rrule };
}

/** What words beside a piece of work say about its times; null: they are about something else. */
export function readSaidTimes(words: string, context: TimeContext): SaidTimes | null {
  const text = words.trim().replace(/[.;,!]+$/, '');
  if (text === '' || text.length > 200) return null;
  const deadline = readDeadline(text, context);
  if (deadline !== null) return { ...noTimes(), deadline };
  const duration = readDuration(text);
  if (duration !== null) return { ...noTimes(), duration };
  const recurs = readRule(text, context);
  if (recurs !== null) return { ...noTimes(), recurs };
  const dated = readDateTiming(text, context.now, context.timezone);
  if (dated !== null) return { ...noTimes(), ...dated };
  if (readPlace(text) !== null || typeof readWords(text) !== 'string')
    return { ...noTimes(), timing: [text] };
  const parts = text.split(/\s*[,;]\s*(?:and\s+)?/);
  if (parts.length < 2) return null;
  const read = parts.map((part) => readSaidTimes(part, context));
  return read.every((one) => one !== null) ? read.reduce(joinTimes, noTimes()) : null;
}
