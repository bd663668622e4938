// Timing words that name a date and no other part: "on Friday at 10:00", "by 20 March". They say when, not in what order.
import { readMoment } from './times.ts';

export type DateTiming = { not_before: string } | { deadline: string };

const latest =
  /^(?:(?:must|should|has to|to)\s+)?(?:be\s+)?(?:done\s+|finished\s+|ready\s+|finish(?:es)?\s+|complete[ds]?\s+)?(?:by|before|until|till|no later than|not later than|at the latest(?: by| on)?)$/i;
const earliest =
  /^(?:(?:must|should|can|has to|to)\s+)?(?:start(?:s|ing)?\s+|begin(?:s|ning)?\s+)?(?:on|at|from|in|after|not before|no earlier than|not earlier than)?$/i;

/** null: the words are not only about a date. */
export function readDateTiming(words: string, now: Date, timezone: string): DateTiming | null {
  const text = words.trim().replace(/[.;,!]+$/, '');
  const moment = readMoment(text, now, timezone);
  if (moment === null || text.slice(moment.index + moment.words.length).trim() !== '') return null;
  const before = text.slice(0, moment.index).trim();
  if (latest.test(before)) return { deadline: moment.iso };
  return earliest.test(before) ? { not_before: moment.iso } : null;
}
