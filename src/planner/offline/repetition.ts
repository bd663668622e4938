// Steps run once. What should happen again and again can only be remembered: that is offered, never swallowed.
import { splitAtMarker } from './content.ts';
import { readLeadVerb } from './lexicon.ts';
import { questions } from './questions.ts';
import { ask, type Reading, type ReadingContext } from './reading.ts';
import { describeRule, readRecurrence } from './recurrences.ts';
import { readQuote, unshield } from './shield.ts';

const repetition =
  /\b(?:(?:every|each)\s+(?:other\s+|single\s+|second\s+|\d+\s+)?(?:(?:week|work|business)?\s?-?days?|weekends?|weeks?|months?|years?|hours?|minutes?|mornings?|afternoons?|evenings?|nights?|mon|tue|wed|thu|fri|sat|sun)|on\s+(?:mon|tues|wednes|thurs|fri|satur|sun)days|(?:daily|hourly|weekly|monthly|nightly|yearly)(?=\s+(?:at|on)\b|[\s.!]*$))/i;
const yes = /^\s*(?:y|yes|yep|yeah|sure|ok|okay|please|do|right)\b/i;

export function readRepetition(text: string, context: ReadingContext): Reading | null {
  const found = repetition.exec(text);
  if (!found || /\bremind|\bcalendar\b|\bmeeting\b|\bappointment\b/i.test(text)) return null;
  if (isDictated(text.slice(0, found.index), context)) return null;
  const rule = readRecurrence(text);
  if (!rule) return null;
  const rest = rule.pieces
    .reduce((left, piece) => left.replace(piece, ' '), text)
    .replace(/\s+/g, ' ')
    .replace(/^[\s,]+|[\s,.]+$/g, '');
  const lead = readLeadVerb(rest);
  if (!lead?.known || ['schedule', 'set', 'plan'].includes(lead.verb)) return null;
  const words = unshield(rest, context.shielded.quotes);
  const question = questions.repeat(words, describeRule(rule.rrule));
  const answer = context.answers.get(question);
  if (answer === undefined) return ask(question);
  if (!yes.test(answer)) return { kind: 'nothing', note: '' };
  const reminder = words.charAt(0).toUpperCase() + words.slice(1);
  return {
    kind: 'intents',
    intents: [
      { act: 'remind', text: reminder, at: null, rrule: rule.rrule, assumedHour: rule.assumedHour },
    ],
  };
}

/** Whether what follows `head` is text that somebody wants written or said, and no part of the instruction. */
export function isDictated(head: string, context: ReadingContext): boolean {
  const marked = splitAtMarker(`${head.trimEnd()} …`, context.shielded);
  if (marked) {
    const after = head.slice(marked.before.length);
    const quote = /[\uE000-\uF8FF]/.exec(after)?.[0];
    return quote === undefined || readQuote(quote, context.shielded.quotes) === undefined;
  }
  if (/^(?:ask|tell|have|let|instruct|assign)\b/i.test(head))
    return /\b(?:that|saying|whether|if|to|about|for|why|what|how|when|who|which)\s|:\s/i.test(
      head,
    );
  return /\b(?:that|saying|says)\s|:\s|\b(?:is|are|was|be)\s+$/i.test(head);
}
