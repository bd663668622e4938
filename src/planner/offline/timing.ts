// "Tomorrow at 9", "in 5 minutes", "at 18:00" on something that is done once: the step does not begin before then.
// Words of time inside dictated text stay text.
import { readLeadVerb, stripPoliteness } from './lexicon.ts';
import { questions } from './questions.ts';
import { ask, type Reading, type ReadingContext, type Start } from './reading.ts';
import { isDictated } from './repetition.ts';
import { readSeconds, secondsForm } from './seconds.ts';
import { type Moment, readMoment } from './times.ts';

export type Timed = { text: string; start: Start | null };

const atOnce =
  /[,\s]+(?:right\s+now|now|today|immediately|at once|straight away|right away)[.!\s]*$/i;
/** What stands before a time that is no time to begin: "older than 2 days", "the report from Monday". */
const otherwise =
  /(?:^|\s)(?:from|by|of|for|since|until|till|before|than|to|about|and|or|the|with|within|every|each|between|during|past|last|not)$|[,:]$/i;
const opener = /(?:^|[\s,]+)(?:on|at|in|after|this|starting|beginning)$/i;

/** The time of an instruction and the instruction without it; a question where the time can't be used. null: no time. */
export function takeTime(text: string, context: ReadingContext): Timed | Reading | null {
  const bare = text.replace(atOnce, '');
  if (bare !== text && readLeadVerb(bare) && !isDictated(text.slice(0, bare.length + 1), context))
    return { text: bare, start: null };
  return (
    takeLeading(text, context) ??
    takeLeading(putTimeFirst(text), context) ??
    takeTrailing(text, context)
  );
}

/** "Tomorrow at 9, delete a.txt". */
function takeLeading(text: string, context: ReadingContext): Timed | Reading | null {
  if (readLeadVerb(text)) return null;
  const moment = readMoment(text.slice(0, 120), context.now, context.timezone);
  if (!moment) return null;
  const before = text.slice(0, moment.index).trim();
  if (before !== '' && !/^(?:on|at|in|after|from|this|starting)$/i.test(before)) return null;
  const rest = stripPoliteness(
    text.slice(moment.index + moment.words.length).replace(/^[\s,]+/, ''),
  );
  if (!readLeadVerb(rest)) return null;
  return settle(
    rest,
    text.slice(0, moment.index + moment.words.length).trim(),
    moment,
    true,
    context,
  );
}

/** "Announce at 5pm that we ship" says "at 5pm announce that we ship". */
function putTimeFirst(text: string): string {
  const match =
    /^((?:announce|post|say|publish|tell\s+\S+)(?:\s+here)?)\s+((?:at|on|in|tomorrow|today|tonight)\b.{0,40}?)\s*,?\s+(?=(?:that|saying)\b|[\uE000-\uF8FF])/i.exec(
      text,
    );
  return match?.[1] && match[2] ? `${match[2]} ${match[1]} ${text.slice(match[0].length)}` : text;
}

/** "Delete a.txt on Friday at 18:00". */
function takeTrailing(text: string, context: ReadingContext): Timed | Reading | null {
  const clean = text.replace(/[.!?\s]+$/, '');
  const from = Math.max(0, clean.length - 120);
  // The longest run of words at the end that is a time as a whole.
  for (const match of clean.slice(from).matchAll(/\s/g)) {
    const index = from + match.index;
    const tail = clean.slice(index + 1);
    const moment = readMoment(tail, context.now, context.timezone);
    if (!moment) return null;
    const lead = tail.slice(0, moment.index).trim();
    if (moment.index + moment.words.length !== tail.length) continue;
    if (lead !== '' && !/^(?:on|at|in|after|starting)$/i.test(lead)) continue;
    const rest = clean.slice(0, index).replace(opener, '').replace(/\s+$/, '');
    if (otherwise.test(rest) || !/\s/.test(rest)) return null;
    if (/^\d+(?:[-/.]\d+)*$/.test(tail) || isDictated(`${rest} `, context)) return null;
    return settle(rest.replace(/[,\s]+$/, ''), tail, moment, false, context);
  }
  return null;
}

function settle(
  text: string,
  words: string,
  moment: Moment,
  leading: boolean,
  context: ReadingContext,
): Timed | Reading {
  if (/^(?:right\s+)?now$/i.test(words)) return { text, start: null };
  if (!leading && isLooseText(text)) {
    const question = questions.timeOrText(words);
    const answer = context.answers.get(question);
    if (answer === undefined) return ask(question);
    if (/\btext\b/i.test(answer)) return { text: `${text} ${words}`, start: null };
  }
  if (Date.parse(moment.iso) < context.now.getTime() - 60_000) {
    const question = questions.past(words);
    const answer = context.answers.get(question);
    const later = answer === undefined ? null : readMoment(answer, context.now, context.timezone);
    if (!later || Date.parse(later.iso) < context.now.getTime()) return ask(question);
    return { text, start: toStart(later, words, leading) };
  }
  return { text, start: toStart(moment, words, leading) };
}

function toStart(moment: Moment, words: string, leading: boolean): Start {
  return { at: moment.iso, words, assumedHour: moment.assumedHour, leading };
}

/** 'post hello': nothing says where the text ends. */
function isLooseText(text: string): boolean {
  return (
    /^(?:post|say|announce|publish|broadcast|share|send|message|notify|tell|write)\b/i.test(text) &&
    !/[\uE000-\uF8FF]|\bhere$|\b(?:to|in|into|on|as)\s+(?:(?:the|this|our|my)\s+)?\S+$/i.test(text)
  );
}

const delay = new RegExp(`^(?:in|after)\\s+(${secondsForm})$`, 'i');

/** A length of time rather than a moment: "in 5 minutes", "after an hour". In seconds; null when it is none. */
export function readDelay(words: string): number | null {
  const length = delay.exec(words.trim())?.[1];
  return length === undefined ? null : readSeconds(length);
}
