// Instructions one after the other, each with what is said about its times: "create a.txt; two days after that, post it".
import type { OperationSpec } from '#contracts/tool.ts';
import { countForm } from '../number-words.ts';
import { type Clause, splitClauses } from './clauses.ts';
import { readLeadVerb, stripPoliteness } from './lexicon.ts';
import { findPaths } from './paths.ts';
import { questions } from './questions.ts';
import type { ReadingContext } from './reading.ts';
import { describeRule } from './recurrences.ts';
import { isDictated } from './repetition.ts';
import {
  joinTimes,
  noTimes,
  readDeadline,
  readDuration,
  readSaidTimes,
  type SaidTimes,
  type TimeContext,
  takeRule,
} from './said-times.ts';
import { splitName } from './schema-fields.ts';
import { type Shielded, unshield } from './shield.ts';

type TimedClause = { text: string; link: Clause['link']; times: SaidTimes };

export type ClauseContext = TimeContext & {
  shielded: Shielded;
  manifest: OperationSpec[];
  answers: ReadonlyMap<string, string>;
  /** Everything that comes again is planned so, not only what writes. */
  repeats: boolean;
};

const count = `(?:${countForm})`;
const unit = '(?:minutes?|mins?|hours?|hrs?|days?|weeks?|months?)';
const amount = `(?:at\\s+least\\s+)?${count}\\s*-?\\s*${unit}(?:\\s+and\\s+(?:a\\s+half|${count}\\s+${unit}))?`;
const reference = '(?:[^,;\\n.]|\\.(?=\\S)){1,100}?';
const phrase = new RegExp(
  `(?<![\\p{L}\\p{N}])(${amount}\\s+(?:later|afterwards|(?:after|before)\\s+(?:(?:that|this|it)(?![\\p{L}\\p{N}])|${reference}(?=\\s*(?:[,;\\n)]|\\.(?:\\s|$)|$|\\s(?:and|then)\\s)))))`,
  'giu',
);

type Segment = { text: string; lead: string | null; trail: string | null; link: Clause['link'] };

/** Cuts where words of order stand: before an instruction, or behind one. */
function cutAtTiming(text: string, context: ClauseContext): Segment[] {
  const segments: Segment[] = [];
  let start = 0;
  let lead: string | null = null;
  const reading = readingContext(context);
  const push = (end: number, trail: string | null) => {
    segments.push({ text: text.slice(start, end), lead, trail, link: 'sequence' });
    lead = null;
  };
  for (const found of text.matchAll(phrase)) {
    const { index } = found;
    if (index < start) continue;
    const words = found[1] ?? '';
    const before = text.slice(start, index);
    const behind = text.slice(index + words.length);
    const opens = /(?:^|[.;\n]|[,;]?\s+(?:and|then|but)|,)\s*$/i.test(before);
    const sentence = /(?:^|[.;\n])\s*(?:(?:and|then)\s+)?$/i.test(before);
    const dictated = before.trim() !== '' && isDictated(before, reading);
    if (opens && (sentence || !dictated) && startsWork(behind.replace(/^[\s,:]+/, ''))) {
      const end = index - (/(?:[.;,\n]|\s(?:and|then|but))*\s*$/i.exec(before)?.[0].length ?? 0);
      if (text.slice(start, end).trim() !== '') push(end, null);
      lead = words;
      start = index + words.length;
      continue;
    }
    const ends = /^\s*(?:[.;\n)]|$)/.test(behind);
    const goesOn = /^\s*(?:,\s*)?(?:(?:and|then|but)\s+)*/i.exec(behind)?.[0].length ?? 0;
    if (dictated || !(ends || (goesOn > 0 && startsWork(behind.slice(goesOn))))) continue;
    if (
      !startsWork(before.split(/[.;\n]\s+|,\s+(?:and\s+|then\s+)*|\s+(?:and|then)\s+/).at(-1) ?? '')
    )
      continue;
    push(index - (/[\s,(]*$/.exec(before)?.[0].length ?? 0), words);
    start = index + words.length + (/^\)?[\s.;,\n]*/.exec(behind)?.[0].length ?? 0);
  }
  if (text.slice(start).trim() !== '') push(text.length, null);
  return segments;
}

function startsWork(text: string): boolean {
  return readLeadVerb(stripPoliteness(text))?.known === true;
}

function readingContext({
  shielded,
  manifest,
  now,
  timezone,
  answers,
}: ClauseContext): ReadingContext {
  const focus = { paths: [], output: false };
  return { shielded, manifest, focus, now, timezone, answers, tool: undefined };
}

/** The instructions of `text`, in which quoted parts are hidden, with what is said about their times. */
export function readTimedClauses(text: string, context: ClauseContext): TimedClause[] {
  const verbs = new Set(
    context.manifest
      .filter((spec) => spec.source === 'mcp')
      .flatMap((spec) => splitName(spec.operation)),
  );
  return cutAtTiming(text, context).flatMap(({ text: segment, lead, trail }, place) => {
    const clauses = splitClauses(segment, verbs);
    return clauses.map((clause, index): TimedClause => {
      const own = takeTimes(clause.text, context);
      const said = [
        ...(index === 0 && lead !== null ? [lead] : []),
        ...(index === clauses.length - 1 && trail !== null ? [trail] : []),
      ];
      return {
        text: own.text,
        link: index === 0 && place > 0 ? 'sequence' : clause.link,
        times: joinTimes(own.times, { ...noTimes(), timing: said }),
      };
    });
  });
}

/** An instruction without what is said about its times, which stands in brackets, at its end or at its beginning. */
export function takeTimes(
  given: string,
  context: ClauseContext,
): { text: string; times: SaidTimes } {
  let text = given.trim().replace(/[.\s]+$/, '');
  let times = noTimes();
  for (;;) {
    const taken = takeBracket(text, context) ?? takeTail(text, context) ?? takeHead(text, context);
    if (taken === null) break;
    text = taken.text;
    times = joinTimes(taken.times, times);
  }
  const rule = takeRepetition(text, context);
  return rule === null ? { text, times } : { text: rule.text, times: joinTimes(times, rule.times) };
}

type Taken = { text: string; times: SaidTimes } | null;

function takeBracket(text: string, context: ClauseContext): Taken {
  const found = /^([\s\S]*\S)\s*\(([^()]{3,160})\)$/.exec(text);
  const times = found?.[2] === undefined ? null : readSaidTimes(found[2], context);
  return times === null || found?.[1] === undefined ? null : { text: found[1], times };
}

const tail =
  /^([\s\S]*\S)[,\s]+((?:(?:which|it|that)\s+)?(?:(?:must|should|has to|is to|to)\s+)?(?:be\s+)?(?:(?:done|finished|ready|completed?)\s+)?(?:by|before|no later than|due(?:\s+by)?)\s+[^,;]{3,50}|(?:which\s+|it\s+|that\s+)?(?:takes?|lasts?|taking|lasting)\s+[^,;]{3,40})$/i;

const saysHour = /\d{1,2}:\d{2}|\b\d{1,2}\s*[ap]\.?m\b|\b(?:noon|midnight)\b/i;

function takeTail(text: string, context: ClauseContext): Taken {
  const found = tail.exec(text);
  const [, head, words] = found ?? [];
  if (head === undefined || words === undefined || !startsWork(head)) return null;
  // "ask Ana to review it by Friday" tells Ana.
  const speaks = /^(?:ask|tell|remind|post|say|announce|let|have|notify)\b/i.test(
    stripPoliteness(head),
  );
  const quoted = /[\uE000-\uF8FF]\s*(?:here|to\s+\S+|(?:in|into|as)\s+\S+)?$/u.test(head);
  if (!quoted && (speaks || isDictated(`${head} `, readingContext(context)))) return null;
  // "Delete it by Friday" leaves open when to begin, and is asked about; an hour, or "done by", says a deadline.
  const meant = context.repeats || saysHour.test(words) || /\b(?:done|due|ready)\b/i.test(words);
  const deadline = meant ? readDeadline(words, context) : null;
  if (deadline !== null) return { text: head, times: { ...noTimes(), deadline } };
  const duration = readDuration(words.replace(/^(?:taking|lasting)\b/i, 'takes'));
  return duration === null ? null : { text: head, times: { ...noTimes(), duration } };
}

function takeHead(text: string, context: ClauseContext): Taken {
  const found = /^((?:by|before|no later than)\s+[^,]{3,40}),\s*([\s\S]+)$/i.exec(text);
  const [, words, rest] = found ?? [];
  if (words === undefined || rest === undefined || !startsWork(rest)) return null;
  const deadline = context.repeats || saysHour.test(words) ? readDeadline(words, context) : null;
  return deadline === null ? null : { text: rest, times: { ...noTimes(), deadline } };
}

const writing =
  /^(?:write|create|make|save|append|add|copy|move|rename|delete|remove|update|replace|overwrite|store|archive|back up)$/;

/** Work that comes again: what writes files does so by a rule; of the rest a reminder is offered first, as before. */
function takeRepetition(text: string, context: ClauseContext): Taken {
  if (/\b(?:remind|calendar|meeting|appointment)\b/i.test(text)) return null;
  const found = takeRule(text, context);
  if (found === null || !/\b(?:every|each|\w+ly|\w+days|of the month)\b/i.test(text)) return null;
  const lead = readLeadVerb(stripPoliteness(found.rest));
  if (lead === null || !lead.known || ['schedule', 'set', 'plan'].includes(lead.verb)) return null;
  const place = text.search(/\b(?:every|each|daily|weekly|monthly|hourly|yearly|nightly)\b/i);
  if (place > 0 && isDictated(text.slice(0, place), readingContext(context))) return null;
  // "each file in inbox" is no rule.
  const writes = writing.test(lead.verb) && findPaths(found.rest, context.shielded).length > 0;
  const wanted = context.repeats || writes || wantsSeries(found, context);
  return wanted ? { text: found.rest, times: { ...noTimes(), recurs: found.recurs } } : null;
}

/** A reminder was offered, and the person wants it done. */
function wantsSeries(
  { rest, rrule }: { rest: string; rrule: string },
  { answers, shielded }: ClauseContext,
): boolean {
  const question = questions.repeat(unshield(rest, shielded.quotes), describeRule(rrule));
  return /\b(?:plan|series|repeat|do it|actually|really|itself|yourself)\b/i.test(
    answers.get(question) ?? '',
  );
}
