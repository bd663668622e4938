// Reads changes of dates out of words: "move the launch to Friday 10:00", "not before Monday", "everything a day later",
// "done by the 20th". What cannot be read, or could mean two things, becomes a question; nothing is guessed.
import type { PlanOutline } from '#contracts/planning/outline.ts';
import { createNodeFinder } from '../roadmap/find-node.ts';
import { indexOutline } from '../roadmap/outline-index.ts';
import { changeOf } from './date-change.ts';
import { quote, splitWishes } from './date-clauses.ts';
import type { DateContext, DateReading, ReadDates } from './date-reading.ts';
import { forNodes } from './meant-nodes.ts';
import { readDuration } from './read-duration.ts';
import { findMoment, prepareMoments, printDate } from './read-moment.ts';
import { readMomentWish } from './read-moment-wish.ts';
import { readShift } from './read-shift.ts';

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
