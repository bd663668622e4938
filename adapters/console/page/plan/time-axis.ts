// Ticks of a time axis by the reader's clock.
import { formatDuration } from './format.ts';
import { placeTicks } from './timeline.ts';

export type Tick = { at: number; label: string };

type Unit = 'minute' | 'hour' | 'day' | 'month';

const minute = 60_000;
const day = 1440 * minute;

/** Smallest first; `length` is roughly milliseconds. */
const grids: { unit: Unit; by: number; length: number }[] = [
  ...[5, 10, 15, 30].map((by) => ({ unit: 'minute' as const, by, length: by * minute })),
  ...[1, 2, 3, 6, 12].map((by) => ({ unit: 'hour' as const, by, length: by * 60 * minute })),
  ...[1, 2, 7, 14].map((by) => ({ unit: 'day' as const, by, length: by * day })),
  ...[1, 3, 6, 12].map((by) => ({ unit: 'month' as const, by, length: by * 30 * day })),
];

/** Weeks begin on Monday. */
function floorTo(moment: number, unit: Unit, by: number): Date {
  const at = new Date(moment);
  at.setSeconds(0, 0);
  if (unit === 'minute') at.setMinutes(at.getMinutes() - (at.getMinutes() % by));
  else at.setMinutes(0);
  if (unit === 'hour') at.setHours(at.getHours() - (at.getHours() % by));
  if (unit === 'day' || unit === 'month') at.setHours(0);
  if (unit === 'day' && by >= 7) at.setDate(at.getDate() - ((at.getDay() + 6) % 7));
  if (unit === 'month') at.setMonth(at.getMonth() - (at.getMonth() % by), 1);
  return at;
}

/** By the clock: days at clock changes differ in length. */
function advance(at: Date, unit: Unit, by: number): Date {
  const next = new Date(at);
  if (unit === 'minute') return new Date(at.getTime() + by * minute);
  if (unit === 'hour') next.setHours(at.getHours() + by);
  if (unit === 'day') next.setDate(at.getDate() + by);
  if (unit === 'month') next.setMonth(at.getMonth() + by);
  return next.getTime() > at.getTime() ? next : new Date(at.getTime() + by * 60 * minute);
}

const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const date = new Intl.DateTimeFormat('en-GB', { weekday: 'short', day: 'numeric', month: 'short' });
const month = new Intl.DateTimeFormat('en-GB', { month: 'short', year: 'numeric' });

function nameTick(at: Date, unit: Unit): string {
  if (unit === 'month') return month.format(at);
  const midnight = at.getHours() === 0 && at.getMinutes() === 0;
  return unit === 'day' || midnight ? date.format(at).replace(',', '') : clock.format(at);
}

/** About `most` round times. */
export function placeClockTicks(start: number, end: number, most: number): Tick[] {
  const length = end - start;
  const fallback = { unit: 'month' as const, by: 12, length: 365 * day };
  const { unit, by } = grids.find((grid) => length / grid.length <= most) ?? fallback;
  const ticks: Tick[] = [];
  for (let at = floorTo(start, unit, by); at.getTime() <= end; at = advance(at, unit, by)) {
    if (at.getTime() >= start) ticks.push({ at: at.getTime(), label: nameTick(at, unit) });
  }
  return ticks;
}

/** Below, ticks count elapsed time. */
const clockFrom = 20 * minute;

/** @param dated the times are moments, not only lengths */
export function placeAxis(start: number, end: number, dated: boolean, most: number): Tick[] {
  if (dated && end - start >= clockFrom) return placeClockTicks(start, end, most);
  return placeTicks(end - start, most)
    .filter((offset) => offset > 0)
    .map((offset) => ({ at: start + offset, label: `+${formatDuration(offset)}` }));
}

type Stretch = { from: number; to: number };

const maxShaded = 120;

/** Empty too if the span is too long to show it. */
export function restBetween(working: Stretch[], start: number, end: number): Stretch[] {
  if (working.length === 0) return [];
  const rest: Stretch[] = [];
  let at = start;
  for (const { from, to } of working) {
    if (from >= end) break;
    if (from > at) rest.push({ from: at, to: Math.min(from, end) });
    at = Math.max(at, to);
  }
  if (at < end) rest.push({ from: at, to: end });
  return rest.length > maxShaded ? [] : rest;
}
