// Reads changes of dates out of words: "move the launch to Friday 10:00", "not before Monday", "everything a day later",
// "done by the 20th". What cannot be read, or could mean two things, becomes a question; nothing is guessed.
import type { PlanOutline } from '#contracts/planning/outline.ts';
import type { Schedule } from '#contracts/planning/schedule.ts';
import { toLocalIso } from '#timeline/recurrence.ts';
import { createNodeFinder, type NodeFinder } from '../roadmap/find-node.ts';
import { describeNodes } from '../roadmap/name-nodes.ts';
import { indexOutline } from '../roadmap/outline-index.ts';
import { readLength } from '../roadmap/read-amount.ts';
import { changeOf, type DateChange } from './date-change.ts';
import { quote, splitWishes } from './date-clauses.ts';
import {
  endOfDay,
  findMoment,
  keepClock,
  prepareMoments,
  printDate,
  shiftMoment,
} from './read-moment.ts';
import { toMs } from './time-model.ts';
import { sayMoment, sayNode } from './time-words.ts';

export type ReadDates = {
  changes: DateChange[];
  /** Local dates on which people work although they would not, or the other way round. */
  days_on: string[];
  days_off: string[];
  /** What to ask, a question each; empty: all of it was read. */
  questions: string[];
};

export type DateReading = {
  outline: PlanOutline;
  /** The times as they were, for "two hours later". */
  schedule: Schedule | null;
  now: Date;
  timezone: string;
  /** Minutes of a day's work for the nodes that take a person's time; null for the others, whose days have 24 hours. */
  workday(node: string): number | null;
};

type Context = DateReading & { finder: NodeFinder; read: ReadDates };

export function readDateChanges(feedback: string, reading: DateReading): ReadDates {
  const read: ReadDates = { changes: [], days_on: [], days_off: [], questions: [] };
  const finder = createNodeFinder(indexOutline(reading.outline));
  const context = { ...reading, finder, read };
  const wishes = splitWishes(feedback);
  for (const wish of wishes) {
    const understood =
      readDays(wish, context) ||
      readDrop(wish, context) ||
      readShift(wish, context) ||
      readDuration(wish, context) ||
      readDated(wish, context);
    if (!understood)
      read.questions.push(
        `What does ${quote(wish)} change? Name a step and a time, such as “move step 2 to Friday 10:00”.`,
      );
  }
  if (wishes.length === 0) read.questions.push('Which times should change, and to what?');
  return read;
}

/** "Work on Saturday", "no work on Friday". */
function readDays(wish: string, { read, now, timezone }: Context): boolean {
  const on =
    /^(?:we (?:can |could |will )?|people (?:can )?)?(?:also )?work (?:also )?on (.+?)(?: (?:as well|too|also))?$/i;
  const off =
    /^(?:no(?:body)? works?|(?:we |people )?(?:do not|don['’]t) work|(?:a )?day off) on (.+)$/i;
  const words = on.exec(wish)?.[1] ?? off.exec(wish)?.[1];
  if (words === undefined) return false;
  const dates = words.split(/\s+and\s+/i).map((part) => {
    const found = findMoment(prepareMoments(part, now, timezone), now, timezone);
    return found === null ? null : printDate(found.at, timezone);
  });
  if (dates.includes(null)) return false;
  const list = on.test(wish) ? read.days_on : read.days_off;
  list.push(...dates.filter((date) => date !== null));
  return true;
}

/** "Let the launch begin when it can", "drop the deadline of the launch". */
function readDrop(wish: string, context: Context): boolean {
  const moment =
    /^(?:let|have) (.+) (?:begin|start|run|happen) (?:when(?:ever)?|as soon as) (?:it|they) can$/i.exec(
      wish,
    ) ??
    /^(?:start|begin|do|run)?\s*(.*?)\s*(?:as soon as possible|asap|at any time|whenever it can)$/i.exec(
      wish,
    ) ??
    /^(?:drop|remove|forget|lift) the (?:fixed )?(?:time|date|start|moment) (?:of|for) (.+)$/i.exec(
      wish,
    );
  const deadline =
    /^(?:drop|remove|forget|lift) the deadline(?: (?:of|for) (.+))?$/i.exec(wish) ??
    /^no deadline(?: (?:of|for) (.+))?$/i.exec(wish);
  const match = moment ?? deadline;
  if (match === null) return false;
  const what = moment === null ? 'deadline' : 'not_before';
  const holds = ({ deadline: due, not_before }: PlanOutline['nodes'][number]) =>
    (what === 'deadline' ? due : not_before) !== null;
  return forNodes(match[1] ?? '', context, holds, (node) => {
    context.read.changes.push(changeOf(node, { drop: [what] }));
  });
}

const one = String.raw`(?:\d+(?:[.,]\d+)?|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|half an?|a couple of|a quarter of an)`;
const unit = '(?:minutes?|mins?|hours?|hrs?|h|days?|weeks?|fortnights?|months?)';
const counted = String.raw`${one}\s*-?\s*(?:working |business |work)?${unit}`;
const amount = String.raw`(${counted}(?:(?:\s+and)?\s+${counted})*(?:\s+and a half)?)`;
const shiftForm = new RegExp(
  String.raw`^(?:(move|shift|push|postpone|delay|put|bring|start|do|run|begin|make)\b\s*)?(.*?)\s*\b(?:(back|forwards?|off|out|up|ahead)\s+)?(?:by\s+)?${amount}\s*(later|earlier|sooner|back|forwards?)?$`,
  'i',
);

/** "Everything a day later", "bring the launch forward by two hours". */
function readShift(wish: string, context: Context): boolean {
  const match = shiftForm.exec(wish.replace(/\s+(?:please|instead)$/i, ''));
  if (match === null) return false;
  const [, verb = '', words = '', particle = '', length = '', end = ''] = match;
  const direction = findDirection(verb, particle, end);
  const minutes = readLength(length, null);
  if (direction === null || minutes === null) return false;
  return shift(words, direction * minutes, context);
}

function findDirection(verb: string, particle: string, end: string): 1 | -1 | null {
  if (/^later|^back/i.test(end)) return 1;
  if (/^(?:earlier|sooner)/i.test(end)) return -1;
  if (/^(?:postpone|delay|push)/i.test(verb)) return 1;
  if (/^forward/i.test(end) || /^(?:forward|up|ahead)/i.test(particle)) return -1;
  return /^(?:back|off|out)/i.test(particle) ? 1 : null;
}

function shift(words: string, minutes: number, context: Context): boolean {
  const { schedule, now, timezone, outline, read } = context;
  const blocks = new Map(schedule?.blocks.map((block) => [block.node, block]));
  if (isEverything(words) && !outline.nodes.some(({ not_before }) => not_before !== null)) {
    const begin = toMs(schedule?.starts_at) ?? now.getTime();
    const to = shiftMoment(begin, minutes, timezone);
    if (to < now.getTime()) {
      read.questions.push(
        'Nothing in the plan has a time that could be earlier. When should it begin?',
      );
      return true;
    }
    for (const { id, parent } of outline.nodes)
      if (parent === null)
        read.changes.push(changeOf(id, { not_before: toLocalIso(new Date(to), timezone) }));
    return true;
  }
  return forNodes(
    words,
    context,
    ({ not_before }) => not_before !== null,
    (node, index) => {
      const block = blocks.get(node);
      const from = toMs(outline.nodes[index]?.not_before) ?? toMs(block?.starts_at);
      const base = from ?? (minutes > 0 ? now.getTime() : null);
      if (base === null) {
        read.questions.push(`${name(context, node)} has no time yet. When should it begin?`);
        return;
      }
      const to = shiftMoment(base, minutes, timezone);
      if (isPast(to, node, context)) return;
      const exact = block?.fixed === true ? true : null;
      read.changes.push(changeOf(node, { not_before: toLocalIso(new Date(to), timezone), exact }));
    },
  );
}

const durationForms: [RegExp, 'to' | 'more' | 'less'][] = [
  [new RegExp(String.raw`^(?:give|allow|plan)\s+(.+?)\s+${amount}\s+more$`, 'i'), 'more'],
  [new RegExp(String.raw`^(?:extend|lengthen)\s+(.+?)\s+by\s+${amount}$`, 'i'), 'more'],
  [new RegExp(String.raw`^(?:shorten|cut|reduce)\s+(.+?)\s+by\s+${amount}$`, 'i'), 'less'],
  [new RegExp(String.raw`^(?:make\s+)?(.+?)\s+${amount}\s+longer$`, 'i'), 'more'],
  [new RegExp(String.raw`^(?:make\s+)?(.+?)\s+${amount}\s+shorter$`, 'i'), 'less'],
  [new RegExp(String.raw`^(?:give|allow)\s+(.+?)\s+${amount}$`, 'i'), 'to'],
  [
    new RegExp(
      String.raw`^(?:shorten|cut|reduce|extend|lengthen|make)\s+(.+?)\s+(?:to\s+)?${amount}(?:\s+long)?$`,
      'i',
    ),
    'to',
  ],
  [
    new RegExp(
      String.raw`^(.+?)\s+(?:(?:will|should|must|may|can|only)\s+)*(?:takes?|lasts?|needs?|is)\s+(?:only\s+|about\s+|just\s+)?${amount}(?:\s+long)?$`,
      'i',
    ),
    'to',
  ],
];

/** "The review takes three days", "shorten it by an hour". A person's day has the hours of a working day. */
function readDuration(wish: string, context: Context): boolean {
  for (const [form, how] of durationForms) {
    const match = form.exec(wish);
    if (match === null) continue;
    return forNodes(match[1] ?? '', context, null, (node, index) => {
      const minutes = readLength(match[2] ?? '', context.workday(node));
      const now = context.outline.nodes[index]?.duration_minutes ?? null;
      if (minutes === null || (how !== 'to' && now === null)) {
        context.read.questions.push(`How long should ${name(context, node)} take?`);
        return;
      }
      const next = how === 'to' ? minutes : (now ?? 0) + (how === 'more' ? minutes : -minutes);
      if (next < 0)
        context.read.questions.push(
          `${name(context, node)} cannot be that much shorter. How long should it take?`,
        );
      else context.read.changes.push(changeOf(node, { duration_minutes: next }));
    });
  }
  return false;
}

const never =
  /(?:\b(?:not|never)|n['’]t)\b.*\b(?:before|until|till|earlier than)$|\b(?:no earlier than|not before|from|at the earliest(?: on)?)$/i;
const after = /\bafter$/i;
const due =
  /\b(?:by|until|till|before|no later than|at the latest(?: (?:on|by))?|due(?: on)?|deadline\b.*)$/i;
const verbs =
  /^(?:(?:please|and|then|but|do not|don['’]t|never|move|shift|reschedule|put|schedule|start|begin|do|run|set|hold|plan|finish|complete|end|deliver|get|have|postpone|push|bring|delay)\s+|(?:the\s+)?deadline\s+(?:of|for|is)\s*)+/i;
const ending =
  /(?:\s+|^)(?:no earlier than|not earlier than|earlier than|no later than|at the earliest|at the latest|the|not|never|must|should|shall|can|can['’]?t|cannot|may|has to|have to|needs? to|is|are|be|to|on|at|for|in|out|back|forward|instead|only|starts?|begins?|runs?|ends?|finish(?:es|ed)?|done|ready|complete[sd]?|due|over|delivered|happens?|do|don['’]t|deadline|until|till|before|after|by|from)$/i;

/** A wish that names a moment: where something begins, from when on it may, or by when it is done. */
function readDated(wish: string, context: Context): boolean {
  const { now, timezone, read } = context;
  const text = prepareMoments(wish.replace(/\s+instead$/i, ''), now, timezone);
  const moment = findMoment(text, now, timezone);
  if (moment === null) return false;
  const before = text.slice(0, moment.index).trim();
  const behind = text.slice(moment.index + moment.length).trim();
  const words = before.replace(/(?:^|\s+)the$/i, '');
  const kind =
    never.test(words) || /^(?:or later|at the earliest|onwards?|on)$/i.test(behind)
      ? 'earliest'
      : after.test(words)
        ? 'after'
        : due.test(words) ||
            /^(?:at the latest|or (?:earlier|sooner))$/i.test(behind) ||
            /\bdeadline\b/i.test(words)
          ? 'due'
          : 'at';
  const rest = behind.replace(
    /^(?:or later|at the (?:earliest|latest)|onwards?|on|or (?:earlier|sooner)|please)$/i,
    '',
  );
  const said = [stripWords(words), stripWords(rest)].filter((part) => part !== '').join(' ');
  // "Move the deadline to Friday" means the one that there is.
  const fits =
    kind === 'due' && isIt(said) && /\bdeadline\b/i.test(words)
      ? ({ deadline }: PlanOutline['nodes'][number]) => deadline !== null
      : null;
  return forNodes(said, context, fits, (node, index) => {
    const change = dateChange(node, index, kind, moment, context);
    const limit = toMs(change.not_before ?? change.deadline);
    if (limit !== null && isPast(limit, node, context)) return;
    read.changes.push(change);
  });
}

type Said = NonNullable<ReturnType<typeof findMoment>>;

function dateChange(
  node: string,
  index: number,
  kind: 'earliest' | 'after' | 'due' | 'at',
  { at, until, day }: Said,
  { timezone, outline, workday }: Context,
): DateChange {
  const iso = (moment: number) => toLocalIso(new Date(moment), timezone);
  switch (kind) {
    case 'due':
      return changeOf(node, { deadline: iso(day === null ? at : endOfDay(day, timezone)) });
    case 'earliest':
      return changeOf(node, { not_before: iso(day ?? at), exact: false });
    case 'after':
      return changeOf(node, {
        not_before: iso(day === null ? at : endOfDay(day, timezone)),
        exact: false,
      });
    case 'at': {
      const old = toMs(outline.nodes[index]?.not_before);
      const begin =
        day === null
          ? at
          : old !== null
            ? keepClock(day, old, timezone)
            : workday(node) === null
              ? at
              : day;
      return changeOf(node, {
        not_before: iso(begin),
        exact: day === null,
        ...(until === null || until <= at ? {} : { duration_minutes: (until - at) / 60_000 }),
      });
    }
    default:
      return kind satisfies never;
  }
}

function isPast(at: number, node: string, { now, timezone, read, finder }: Context): boolean {
  if (at >= now.getTime() - 60_000) return false;
  read.questions.push(
    `${sayMoment(at, timezone)} has passed. When should ${sayNode(finder.index, node)} be?`,
  );
  return true;
}

function stripWords(words: string): string {
  let left = words.replace(/[,:]+$/, '').trim();
  for (let last = ''; last !== left; ) {
    last = left;
    left = left
      .replace(verbs, '')
      .replace(ending, '')
      .replace(/[,:]+$/, '')
      .trim();
  }
  return left;
}

function isEverything(words: string): boolean {
  return /^(?:everything|all(?: of (?:it|them))?|(?:all )?the (?:whole )?(?:plan|thing|schedule|project)|the (?:dates?|times?)|them|each step|all (?:the )?(?:steps|tasks))$/i.test(
    words.trim(),
  );
}

function isIt(words: string): boolean {
  return /^(?:it|that|this|the (?:step|task|start|time|date))?$/i.test(words.trim());
}

/**
 * Does something for each node that the words mean. @param fits which nodes "everything" means; null: the whole, by its
 * roots. @returns true, also where a question was asked instead
 */
function forNodes(
  words: string,
  context: Context,
  fits: ((node: PlanOutline['nodes'][number]) => boolean) | null,
  act: (node: string, index: number) => void,
): boolean {
  const { finder, outline, read } = context;
  const { nodes } = finder.index;
  const apply = (places: number[]) => {
    for (const place of places) act(nodes[place]?.id ?? '', place);
  };
  const roots = nodes.flatMap(({ parent }, place) => (parent === null ? [place] : []));
  if (isEverything(words) || isIt(words)) {
    const meant = fits === null ? [] : nodes.flatMap((node, place) => (fits(node) ? [place] : []));
    const work = nodes.flatMap(({ steps }, place) => (steps.length > 0 ? [place] : []));
    // Where there is only one piece of work, "it" is that; a moment of the whole would hide behind the step's own.
    const whole = work.length === 1 ? work : roots;
    apply(meant.length > 0 ? meant : whole);
    return outline.nodes.length > 0;
  }
  const found = finder.find(words.replace(/^(“.*”) \((.+)\)$/, '$2'), null);
  if (found.kind === 'found') apply([found.node]);
  else if (found.kind === 'ambiguous')
    read.questions.push(
      `Which one is meant by ${quote(words)}: ${describeNodes(finder.index, found.nodes)}?`,
    );
  else
    read.questions.push(
      `Nothing in the plan is called ${quote(words.replace(/^the\s+/i, ''))}. Which step is meant?`,
    );
  return true;
}

function name({ finder }: Context, node: string): string {
  return sayNode(finder.index, node);
}
