// What a command says besides what it does: when, how often, by when, how long it takes, and who must agree first.
import type { Gate } from './command.ts';
import { definePattern, matchStart, type Reading } from './match.ts';
import { skipCourtesy } from './segments.ts';
import type { TextProblem } from './texts.ts';
import {
  addMinutes,
  type Clock,
  type Duration,
  type Moment,
  type Read,
  type Rule,
  readDuration,
  readMoment,
  readRange,
  readRule,
  readUntil,
} from './times.ts';
import { valueAt } from './tokens.ts';

export type Modifiers = {
  moment: Moment | null;
  rule: Rule | null;
  range: { from: Clock; to: Clock } | null;
  /** "for an hour" */
  length: Duration | null;
  /** Minutes after what comes before. */
  lag: number | null;
  /** Seconds to wait after what comes before: "then in 5 minutes". */
  wait: number | null;
  gate: Gate | null;
  takes: Duration | null;
  deadline: string | null;
  /** "until 1 June", behind what comes again. */
  until: string | null;
  /** The beginning and end of an event. */
  event: { start: string; end: string | null; assumedHour: boolean } | null;
  problem: TextProblem | null;
};

export const noModifiers: Modifiers = {
  moment: null,
  rule: null,
  range: null,
  length: null,
  lag: null,
  wait: null,
  gate: null,
  takes: null,
  deadline: null,
  until: null,
  event: null,
  problem: null,
};

const agreed =
  'confirmed|approved|agreed|accepted|okayed|signed_off|confirms|approves|agrees|accepts|confirm|approve|agree|accept';
const answered = 'answered|replied|responded|answers|replies|responds';
const once = 'if|after|once|when|as_soon_as';
const pair = <T>(pattern: string, means: T) => ({ pattern: definePattern(pattern), means });

/** "only after Ana has confirmed", "if Ana says yes", "once Ana and Ben have approved". */
const gates = ['{w:who}', 'i'].flatMap((who) =>
  [`[,] but only ${once}`, `[,] only ${once}`, `[,] ${once}`].flatMap((opening) => [
    pair<Gate['needs']>(`${opening} ${who} [has|have] [both] ${agreed} [it]`, 'yes'),
    pair<Gate['needs']>(`${opening} ${who} says|say|said yes|ok|okay|go|so`, 'yes'),
    pair<Gate['needs']>(`${opening} ${who} [has|have] ${answered}`, 'an answer'),
  ]),
);

function readGate(reading: Reading, at: number): Read<Gate> | null {
  for (const { pattern, means } of gates) {
    const found = matchStart(pattern, reading, at);
    if (found === null) continue;
    const people = (found.value.w as Gate['people'] | undefined) ?? [null]; // what the slot reads
    return { value: { people, needs: means, words: null }, next: found.next };
  }
  return null;
}

/** `No of several`: who of them says it is left open. */
export type Answer = 'Yes' | 'No' | 'any' | 'No of several';
const answers = [
  pair<Answer | 'other'>('otherwise|else|if_not [,]', 'other'),
  pair<Answer>('if no [,]', 'No'),
  pair<Answer>('if yes|so [,]', 'Yes'),
  pair<Answer>(`${once} {n:name} says|say|said|answer|answers no [,]`, 'No'),
  pair<Answer>(`${once} {n:name} says|say|said|answer|answers yes|ok|okay [,]`, 'Yes'),
  pair<Answer>(`${once} {n:name} [has|have] ${answered} [,]`, 'any'),
  pair<Answer>(`${once} {n:name} has|have [${agreed}] [,]`, 'Yes'),
  pair<Answer>(`${once} {n:name} ${agreed} [,]`, 'Yes'),
];

/**
 * "if he says yes,", "otherwise": about the answer to the last question. Not read where it may be somebody else's.
 * @param asked whom each question went to
 * @param before what the condition before this was; "otherwise" is the other answer, and stands once
 */
export function readAnswer(
  reading: Reading,
  at: number,
  asked: readonly (string | null)[][],
  before: Answer | null,
): (Read<Answer> & { isOther: boolean }) | null {
  const last = asked.at(-1) ?? [];
  const [only, ...more] = last;
  const others = asked.flat().some((person) => !last.includes(person));
  const isMeant = (said: string): boolean => {
    if (said === 'both' || said === 'all') return !others && more.length > 0;
    if (said === 'they') return !others;
    if (more.length > 0) return false;
    if (said === 'he' || said === 'she') return !others;
    return said === (only === null ? 'i' : only?.toLowerCase().split(' ')[0]);
  };
  for (const { pattern, means } of answers) {
    const found = matchStart(pattern, reading, at);
    const isOther = means === 'other';
    const fits = isOther
      ? before === 'Yes' || before === 'No'
      : isMeant(String(found?.value.n ?? 'he'));
    if (found === null || !fits) continue;
    const value = !isOther ? means : before === 'No' ? 'Yes' : 'No';
    const isOpen = value === 'No' && more.length > 0;
    return { value: isOpen ? 'No of several' : value, next: found.next, isOther };
  }
  return null;
}

const begins =
  /^(?:at|until|till|on|by|in|from|for|today|tonight|tomorrow|yesterday|every|each|daily|weekly|monthly|hourly|only|but|after|as|if|once|when|the|next|this|noon|midnight|\(|,|@|monday|tuesday|wednesday|thursday|friday|saturday|sunday|mon|tue|wed|thu|fri|sat|sun)$/;
/** What stands from `at` to the end of the clause, where all of it says when, how long or who; null otherwise. */
export function readModifiers(reading: Reading, at: number): Modifiers | null {
  const first = reading.tokens[at];
  if (first === undefined || (!begins.test(valueAt(reading, at)) && first.kind !== 'number'))
    return null;
  let said: Modifiers = noModifiers;
  let i = at;
  while (i < reading.end) {
    // In front of the first of them it may belong to a text.
    if (i > at) i = skipCourtesy(reading.tokens, i, reading.end);
    if (i === reading.end) break;
    if (valueAt(reading, i) === ',') {
      i += 1;
      if (i === reading.end) return null;
    }
    const one = readOne(reading, i);
    if (one === null || one.next > reading.end) return null;
    const merged = merge(said, one.value);
    if (merged === null) return null;
    [said, i] = [merged, one.next];
  }
  return withEvent(said, reading);
}

const effort = definePattern('( takes [about] {d:duration} )');
const lag = definePattern('{d:duration} later|after_that|after_this [,]');
const pause = definePattern('in {d:duration} [,]');
const waiting = definePattern('wait until {m:moment} [,] [and]');

function readOne(reading: Reading, at: number): Read<Partial<Modifiers>> | null {
  const word = valueAt(reading, at);
  const takes = matchStart(effort, reading, at);
  if (takes !== null) return { value: { takes: takes.value.d as Duration }, next: takes.next }; // what the slot reads
  const gate = readGate(reading, at);
  if (gate !== null) return { value: { gate: gate.value }, next: gate.next };
  if (word === 'by') {
    const until = readMoment(reading, at + 1);
    if (until === null) return null;
    const { iso, problem, assumedHour } = until.value;
    const words = reading.source.slice(
      reading.tokens[at]?.start,
      reading.tokens[until.next - 1]?.end,
    );
    const open: TextProblem | null = assumedHour ? { kind: 'hour', words } : null;
    return { value: { deadline: iso, problem: problem ?? open }, next: until.next };
  }
  const until = readUntil(reading, at);
  if (until !== null)
    return { value: { until: until.value.iso, problem: until.value.problem }, next: until.next };
  if (word === 'for') {
    const length = readDuration(reading, at + 1);
    return length === null ? null : { value: { length: length.value }, next: length.next };
  }
  const range = readRange(reading, at);
  if (range !== null) return { value: { range: range.value }, next: range.next };
  const rule = readRule(reading, at);
  if (rule !== null)
    return { value: { rule: rule.value, problem: rule.value.problem }, next: rule.next };
  const moment = readMoment(reading, at);
  if (moment === null) return null;
  // "on Friday from 14:00": the day, with the times behind it.
  return { value: { moment: moment.value, problem: moment.value.problem }, next: moment.next };
}

function merge(one: Modifiers, other: Partial<Modifiers>): Modifiers | null {
  for (const [key, value] of Object.entries(one))
    if (key !== 'problem' && value !== null && key in other) return null;
  return { ...one, ...other, problem: one.problem ?? other.problem ?? null };
}

/** A day and times of day are one event. */
function withEvent(said: Modifiers, { timezone }: Reading): Modifiers {
  const { moment, range, length } = said;
  if (moment === null) return said;
  if (range !== null) {
    if (
      !moment.assumedHour ||
      length !== null ||
      range.from.zone !== null ||
      range.to.zone !== null
    )
      return said;
    const at = ({ hour, minute }: Clock) => {
      const time = moment.date.toPlainDateTime({ hour, minute }).toZonedDateTime(timezone);
      return time.toString({ timeZoneName: 'never', smallestUnit: 'second' });
    };
    const event = { start: at(range.from), end: at(range.to), assumedHour: false };
    return { ...said, event: Date.parse(event.end) > Date.parse(event.start) ? event : null };
  }
  const end = length === null ? null : addMinutes(moment.iso, length.seconds / 60, timezone);
  return { ...said, event: { start: moment.iso, end, assumedHour: moment.assumedHour } };
}

/** What is said in front of a command: "Tomorrow at 9, …", "Two days after that, …", "If Ana says yes, …". */
export function readPrefix(reading: Reading, from: number, follows: boolean): Read<Modifiers> {
  let said: Modifiers = noModifiers;
  let at = from;
  const behind = matchStart(lag, reading, at);
  if (behind !== null) {
    said = { ...said, lag: (behind.value.d as Duration).seconds / 60 };
    at = behind.next;
  }
  const until = matchStart(waiting, reading, at);
  const moment = until?.value.m as Moment | undefined; // what the slot reads
  if (until !== null && moment !== undefined && until.next < reading.end) {
    said = { ...said, moment, problem: moment.problem };
    at = until.next;
  }
  const wait = follows ? matchStart(pause, reading, at) : null;
  const { seconds = 0, exact = false } = (wait?.value.d ?? {}) as Partial<Duration>;
  if (wait !== null && exact) return { value: { ...said, wait: seconds }, next: wait.next };
  for (let round = 0; round < 4; round += 1) {
    if (!begins.test(valueAt(reading, at)) || valueAt(reading, at) === ',') break;
    const one = readOne(reading, at);
    if (one === null || one.next >= reading.end || one.value.length != null) break;
    const merged = merge(said, one.value);
    if (merged === null) break;
    [said, at] = [merged, one.next];
    if (/^[,:]$/.test(valueAt(reading, at)) && at + 1 < reading.end) at += 1;
  }
  return { value: withEvent(said, reading), next: at };
}
