// Sentences about the work rather than instructions: "everything must be done by Friday", "the review must finish before
// the launch ends", "the report takes two days".

import { isDictated } from './repetition.ts';
import {
  joinTimes,
  noTimes,
  readDeadline,
  readDuration,
  type SaidTimes,
  type TimeContext,
} from './said-times.ts';
import { readWords } from './timing-words.ts';

export type Statement = {
  /** The part it is about, in words. */
  subject: string;
  times: SaidTimes;
  words: string;
};

export type Statements = {
  /** The request without them. */
  rest: string;
  times: SaidTimes;
  statements: Statement[];
};

const whole =
  /^(?:all(?:\s+of\s+(?:it|this|them))?|everything|it\s+all|(?:the\s+)?(?:whole\s+)?(?:plan|project|thing|work)|this|it)\s+((?:must|should|has\s+to|needs?\s+to|is\s+to|is)\s+(?:all\s+)?(?:be\s+)?(?:done|finished|ready|completed?|due|finish|end)\b.+)$/i;
const deadline =
  /^(?:the\s+|my\s+|our\s+)?deadline(?:\s+is|\s*:)?\s+(.+)$|^due(?:\s+(?:by|on))?\s*:?\s+(.+)$/i;
const ordered =
  /^(?:the\s+)?(\S.{0,120}?)\s+((?:(?:must|should|shall|has to|have to|needs? to|cannot|can['’]?t|may not|must not|can only|may only|should not)\s+(?:only\s+)?(?:start|begin|finish|end|be\s+(?:done|finished|ready|completed?)|run|happen|wait|come)|starts|begins|finishes|ends|waits|depends)\b.+)$/i;
const lasts = /^(?:the\s+)?(\S.{0,120}?)\s+((?:will\s+)?(?:takes?|lasts?|needs)\s+\S.{1,40})$/i;
const together =
  /^(?:the\s+)?(\S.{0,120}?)\s+and\s+(?:the\s+)?(\S.{0,120}?)\s+(?:(?:must|should|have to|can)\s+)?(start|begin|finish|end|run)\s+(?:together|at the same time|in parallel)$/i;

const instructing =
  /^(?:please\s+)?(?:ask|tell|remind|post|say|announce|let|have|notify|write|create|make|put|set|add|schedule|move|copy|delete|append)\s/i;

/** Takes such sentences out of a request in which quoted parts are hidden. */
export function findStatements(text: string, context: TimeContext): Statements {
  const found: Statements = { rest: '', times: noTimes(), statements: [] };
  const kept: string[] = [];
  for (const piece of text.split(/(?<=[.!;]\s+|\n)/)) {
    const sentence = piece.trim().replace(/[.!;,\s]+$/, '');
    const before = kept.join('');
    // What follows words such as "saying" may be part of the text.
    const inText = before.trim() !== '' && isOpen(before);
    const read = inText ? null : readStatement(sentence, context);
    if (read === null) kept.push(piece);
    else if ('subject' in read[0]) found.statements.push(...(read as Statement[]));
    else found.times = joinTimes(found.times, read[0]);
  }
  return { ...found, rest: kept.join('') };
}

/** The last sentence dictates, and nothing shows where the text ends. */
function isOpen(before: string): boolean {
  const last = before.split(/\n/).at(-1) ?? '';
  if (last.trim() === '') return false;
  const shielded = { text: last, quotes: [] };
  const context = {
    shielded,
    manifest: [],
    focus: { paths: [], output: false },
    now: new Date(0),
    timezone: 'UTC',
    answers: new Map<string, string>(),
    tool: undefined,
  };
  return !/[\uE000-\uF8FF]/u.test(last) && isDictated(last, context);
}

function readStatement(
  sentence: string,
  context: TimeContext,
): [SaidTimes] | [Statement, ...Statement[]] | null {
  if (sentence === '' || sentence.length > 300) return null;
  const due = whole.exec(sentence)?.[1];
  const bare = deadline.exec(sentence);
  const limit =
    due !== undefined
      ? readDeadline(due, context)
      : bare === null
        ? null
        : readDeadline(`by ${(bare[1] ?? bare[2] ?? '').replace(/^(?:by|on)\s+/i, '')}`, context);
  if (limit !== null) return [{ ...noTimes(), deadline: limit }];
  // "Remind me that the shop closes …" is an instruction, whatever it speaks of.
  if (instructing.test(sentence)) return null;
  const both = together.exec(sentence);
  if (both?.[1] !== undefined && both[2] !== undefined) {
    const how = /^(?:finish|end)/i.test(both[3] ?? '') ? 'finishes' : 'starts';
    const timing = `${how} together with ${both[1]}`;
    return [{ subject: both[2], times: { ...noTimes(), timing: [timing] }, words: sentence }];
  }
  const long = lasts.exec(sentence);
  const duration = long?.[2] === undefined ? null : readDuration(long[2]);
  if (long?.[1] !== undefined && duration !== null)
    return [{ subject: long[1], times: { ...noTimes(), duration }, words: sentence }];
  const order = ordered.exec(sentence);
  const [, subject, timing] = order ?? [];
  if (subject === undefined || timing === undefined) return null;
  if (/^(?:you|we|i|they|and|please|if|when|once)\b/i.test(subject)) return null;
  const dated = readDeadline(timing, context);
  if (dated !== null)
    return [{ subject, times: { ...noTimes(), deadline: dated }, words: sentence }];
  if (typeof readWords(timing) === 'string') return null;
  return [{ subject, times: { ...noTimes(), timing: [timing] }, words: sentence }];
}
