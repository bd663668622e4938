// What stands in a calendar: looking at it, and adding an event with its beginning, its end and its recurrence.
import { nextOccurrences } from '#timeline/recurrence.ts';
import { readLeadVerb } from '../lexicon.ts';
import { findPaths } from '../paths.ts';
import { questions } from '../questions.ts';
import { ask, type Frame, intents, type Reading, type ReadingContext } from '../reading.ts';
import { readRecurrence } from '../recurrences.ts';
import { readSeconds, secondsForm } from '../seconds.ts';
import { readQuote, unshield } from '../shield.ts';
import { printMomentIn, readMoment } from '../times.ts';

const calendarWords = /\b(?:calendar|agenda|diary|appointments?|meetings?|events?)\b/i;
const looks =
  /^(?:(?:show|read|check|list|open|display|print|view|look at|(?:give|tell)\s+(?:me|us))\b|what(?:['’]s|\s+is|\s+are|\s+do)\b|which\b|do\s+(?:i|we)\s+have\b|(?:is|are)\s+there\b|when\s+is\s+my\s+next\b)/i;
const toCalendar = /\s+(?:to|in|into|on)\s+(?:(?:the|my|our)\s+)?(?:calendar|agenda|diary)\b/i;
const eventNoun =
  /^(?:(?:a|an|the|another|new|me|us)\s+)*(?:\p{L}+\s+)?(?:meeting|appointment|event|calendar entry|calendar event|call)\b/iu;
const addVerbs = new Set(
  'add put schedule create enter make set plan book'.split(' ').concat('set up'),
);

export const readCalendar: Frame = (clause, context) => {
  if (looks.test(clause) && calendarWords.test(clause) && !/\.\p{L}/u.test(clause))
    return readLook(clause, context);
  const lead = readLeadVerb(clause);
  if (!lead || !addVerbs.has(lead.verb)) return null;
  const named = toCalendar.test(lead.rest);
  const event = eventNoun.test(lead.rest) && lead.verb !== 'book';
  const { text, span } = takeSpan(lead.rest.replace(toCalendar, ''), context);
  const scheduled =
    lead.verb === 'schedule' &&
    span !== null &&
    findPaths(lead.rest, context.shielded).length === 0 &&
    !/^(?:an?\s+|the\s+)?(?:post|message|reminder|task|plan|job|backup|file)\b/i.test(lead.rest);
  if (!named && !event && !scheduled) return null;
  const title = readTitle(text, context) ?? context.answers.get(questions.event());
  if (title === undefined) return ask(questions.event());
  const when = span ?? readAnswered(title, context);
  if (!when) return ask(questions.starts(title));
  return addEvent(title, when, context);
};

function readLook(clause: string, context: ReadingContext): Reading {
  const moment = readMoment(clause, context.now, context.timezone);
  if (!moment || /\bnext\b/i.test(clause))
    return intents({ act: 'calendar_read', from: null, to: null });
  const day = moment.iso.slice(0, 10);
  return intents({ act: 'calendar_read', from: `${day}T00:00:00`, to: `${day}T23:59:59` });
}

/** When an event is: `start` is a date alone for a whole day. */
type Span = { start: string; end: string | null; rrule: string | null; assumedHour: boolean };

function addEvent(title: string, span: Span, context: ReadingContext): Reading {
  const length = span.end === null ? 1 : Date.parse(span.end) - Date.parse(span.start);
  const leftover = /\b\d{1,2}(?::\d\d|\s*[ap]m)\b|\b(?:until|till)\b|\ball[- ]day\b/i.exec(title);
  if (length <= 0 || leftover) {
    const question = questions.eventEnd(title);
    const answer = context.answers.get(question);
    const answered = answer === undefined ? null : takeSpan(answer, context).span;
    if (!answered) return ask(question);
    return intents({ act: 'calendar_add', title, ...answered });
  }
  return intents({ act: 'calendar_add', title, ...span });
}

function readAnswered(title: string, context: ReadingContext): Span | null {
  const answer = context.answers.get(questions.starts(title));
  return answer === undefined ? null : takeSpan(answer, context).span;
}

const wholeDay = /,?\s*\b(?:for\s+)?(?:the\s+)?(?:all|whole|entire|full)[- ]day\b/i;
const length = new RegExp(String.raw`,?\s*\b(?:for|lasting)\s+(?:about\s+)?(${secondsForm})`, 'i');
const bareRange =
  /\b(?:from\s+)?(\d{1,2}(?::\d\d)?)\s*(?:-|–|to|until|till)\s*(\d{1,2}(?::\d\d)?\s*(am|pm))\b/i;

/** Takes the words of time out of `text`. */
function takeSpan(given: string, context: ReadingContext): { text: string; span: Span | null } {
  // "from 3 to 4pm" means 3pm.
  const text = given.replace(bareRange, (all, from: string, to: string, half: string) =>
    Number.parseInt(from, 10) <= Number.parseInt(to, 10) || Number.parseInt(to, 10) === 12
      ? `${from}${half} - ${to}`
      : all,
  );
  const whole = wholeDay.test(text);
  const lasts = length.exec(text);
  const rest = text.replace(wholeDay, ' ').replace(lasts?.[0] ?? '', ' ');
  const recurrence = readRecurrence(rest);
  if (recurrence) return takeRecurring(rest, recurrence, lasts, whole, context);
  const moment = readMoment(rest, context.now, context.timezone);
  if (!moment) return { text, span: null };
  const day = moment.iso.slice(0, 10);
  const left = removeWords(rest, moment.words);
  if (whole || (moment.assumedHour && moment.end !== null)) {
    const end = moment.end === null ? null : nextDay(moment.end.slice(0, 10));
    return { text: left, span: { start: day, end, rrule: null, assumedHour: false } };
  }
  const end = lasts ? addLength(moment.iso, lasts, context) : moment.end;
  return {
    text: left,
    span: { start: moment.iso, end, rrule: null, assumedHour: moment.assumedHour },
  };
}

function takeRecurring(
  text: string,
  recurrence: NonNullable<ReturnType<typeof readRecurrence>>,
  lasts: RegExpExecArray | null,
  whole: boolean,
  context: ReadingContext,
): { text: string; span: Span | null } {
  const { rrule, assumedHour, pieces } = recurrence;
  const [first] = nextOccurrences(
    { rrule, timezone: context.timezone, startsAt: context.now },
    context.now,
    1,
  );
  const left = pieces.reduce((rest, piece) => rest.replace(piece, ' '), text);
  if (!first) return { text: left, span: null };
  const iso = printMomentIn(first, context.timezone);
  // The hour is that of the beginning; a rule of its own would say it twice.
  const rule = rrule.replace(/;BY(?:HOUR|MINUTE|SECOND)=\d+/g, '');
  const start = whole ? iso.slice(0, 10) : iso;
  const end = lasts && !whole ? addLength(iso, lasts, context) : null;
  return { text: left, span: { start, end, rrule: rule, assumedHour: assumedHour && !whole } };
}

function removeWords(text: string, words: string): string {
  const pattern = words.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return text.replace(
    new RegExp(`(?:\\b(?:on|at|by|for|from)\\s+(?:the\\s+)?)?${pattern}`, 'i'),
    ' ',
  );
}

function addLength(iso: string, lasts: RegExpExecArray, context: ReadingContext): string {
  const end = Date.parse(iso) + readSeconds(lasts[1] ?? '') * 1000;
  return printMomentIn(new Date(end), context.timezone);
}

function nextDay(date: string): string {
  return new Date(Date.parse(`${date}T00:00:00Z`) + 86_400_000).toISOString().slice(0, 10);
}

function readTitle(text: string, context: ReadingContext): string | undefined {
  const tidy = text.replace(/\s+/g, ' ').trim();
  const named = /\b(?:called|named|titled|saying)\s+([\s\S]+)$/i.exec(tidy)?.[1];
  const rest = (named ?? tidy)
    .replace(
      /^(?:(?:a|an|the|new|me|us)\s+)*(?:calendar\s+)?(?:event|entry)\b\s*(?:(?:for|about|:)\s+)?/i,
      '',
    )
    .replace(/^(?:(?:a|an|the|me|us)\s+)+/i, '')
    .replace(/[\s,]+(?:on|at|for|from)?[\s,.]*$/i, '')
    .trim();
  if (rest === '') return undefined;
  const words = readQuote(rest, context.shielded.quotes) ?? unshield(rest, context.shielded.quotes);
  return words.charAt(0).toUpperCase() + words.slice(1);
}
