// Reads changes of dates out of words: "move the launch to Friday 10:00", "not before Monday", "everything a day later",
// "done by the 20th". What cannot be read, or could mean two things, becomes a question; nothing is guessed.
import type { PlanOutline } from '#contracts/planning/outline.ts';
import { toLocalIso } from '#timeline/recurrence.ts';
import { indexOutline } from '../roadmap/outline-index.ts';
import { changeOf } from '../schedule/date-change.ts';
import { toMs } from '../schedule/time-model.ts';
import { amountForm, quote, splitWishes } from './date-clauses.ts';
import type { DateContext, DateReading, ReadDates } from './date-reading.ts';
import { createNodeFinder } from './find-node.ts';
import { forNodes, isEverything, isPast, nameNode } from './meant-nodes.ts';
import { readLength } from './read-amount.ts';
import { findMoment, prepareMoments, printDate, shiftMoment } from './read-moment.ts';
import { readMomentWish } from './read-moment-wish.ts';

// "Everything a day later", "bring the launch forward by two hours": moments that move by an amount.
const shiftForm = new RegExp(
  String.raw`^(?:(move|shift|push|postpone|delay|put|bring|start|do|run|begin|make)\b\s*)?(.*?)\s*\b(?:(back|forwards?|off|out|up|ahead)\s+)?(?:by\s+)?${amountForm}\s*(later|earlier|sooner|back|forwards?)?$`,
  'i',
);

function readShift(wish: string, context: DateContext): boolean {
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

function shift(words: string, minutes: number, context: DateContext): boolean {
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
        read.questions.push(`${nameNode(context, node)} has no time yet. When should it begin?`);
        return;
      }
      const to = shiftMoment(base, minutes, timezone);
      if (isPast(to, node, context)) return;
      const exact = block?.fixed === true ? true : null;
      read.changes.push(changeOf(node, { not_before: toLocalIso(new Date(to), timezone), exact }));
    },
  );
}

// "The review takes three days", "shorten it by an hour": how long something takes.
const durationForms: [RegExp, 'to' | 'more' | 'less'][] = [
  [new RegExp(String.raw`^(?:give|allow|plan)\s+(.+?)\s+${amountForm}\s+more$`, 'i'), 'more'],
  [new RegExp(String.raw`^(?:extend|lengthen)\s+(.+?)\s+by\s+${amountForm}$`, 'i'), 'more'],
  [new RegExp(String.raw`^(?:shorten|cut|reduce)\s+(.+?)\s+by\s+${amountForm}$`, 'i'), 'less'],
  [new RegExp(String.raw`^(?:make\s+)?(.+?)\s+${amountForm}\s+longer$`, 'i'), 'more'],
  [new RegExp(String.raw`^(?:make\s+)?(.+?)\s+${amountForm}\s+shorter$`, 'i'), 'less'],
  [new RegExp(String.raw`^(?:give|allow)\s+(.+?)\s+${amountForm}$`, 'i'), 'to'],
  [
    new RegExp(
      String.raw`^(?:shorten|cut|reduce|extend|lengthen|make)\s+(.+?)\s+(?:to\s+)?${amountForm}(?:\s+long)?$`,
      'i',
    ),
    'to',
  ],
  [
    new RegExp(
      String.raw`^(.+?)\s+(?:(?:will|should|must|may|can|only)\s+)*(?:takes?|lasts?|needs?|is)\s+(?:only\s+|about\s+|just\s+)?${amountForm}(?:\s+long)?$`,
      'i',
    ),
    'to',
  ],
];

/** A person's day has the hours of a working day. */
function readDuration(wish: string, context: DateContext): boolean {
  for (const [form, how] of durationForms) {
    const match = form.exec(wish);
    if (match === null) continue;
    return forNodes(match[1] ?? '', context, null, (node, index) => {
      const minutes = readLength(match[2] ?? '', context.workday(node));
      const now = context.outline.nodes[index]?.duration_minutes ?? null;
      if (minutes === null || (how !== 'to' && now === null)) {
        context.read.questions.push(`How long should ${nameNode(context, node)} take?`);
        return;
      }
      const next = how === 'to' ? minutes : (now ?? 0) + (how === 'more' ? minutes : -minutes);
      if (next < 0)
        context.read.questions.push(
          `${nameNode(context, node)} cannot be that much shorter. How long should it take?`,
        );
      else context.read.changes.push(changeOf(node, { duration_minutes: next }));
    });
  }
  return false;
}

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
      readMomentWish(wish, context);
    if (!understood)
      read.questions.push(
        `What does ${quote(wish)} change? Name a step and a time, such as “move step 2 to Friday 10:00”.`,
      );
  }
  if (wishes.length === 0) read.questions.push('Which times should change, and to what?');
  return read;
}

/** "Work on Saturday", "no work on Friday". */
function readDays(wish: string, { read, now, timezone }: DateContext): boolean {
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
function readDrop(wish: string, context: DateContext): boolean {
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
