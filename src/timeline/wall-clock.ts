// Rules on a fixed clock, for calendars with unknown zones.
import { toZoned } from './recurrence.ts';
import { type Limits, openRule, readFields, writeFields } from './rule.ts';

/** Per rule. */
const wallLimits: Limits = { maxIterations: 20_000, maxCandidateEvaluations: 100_000 };

const unitMs: Record<string, number> = {
  WEEKLY: 604_800_000,
  DAILY: 86_400_000,
  HOURLY: 3_600_000,
  MINUTELY: 60_000,
  SECONDLY: 1000,
};

/** COUNT as a last time, if steps are equal. */
function countToEnd(fields: ReadonlyMap<string, string>, start: number): number {
  const unit = unitMs[fields.get('FREQ') ?? ''];
  const count = fields.get('COUNT');
  const plain = ![...fields.keys()].some((key) => key.startsWith('BY'));
  return unit === undefined || count === undefined || !plain
    ? Number.POSITIVE_INFINITY
    : start + (Number(count) - 1) * Number(fields.get('INTERVAL') ?? 1) * unit;
}

/** UTC milliseconds, inclusive. `to` replaces UNTIL. @throws Error if it takes too many steps */
export function expandWall(
  rrule: string,
  start: number,
  from: number,
  to: number,
  limit: number,
): number[] {
  const fields = readFields(rrule);
  fields.delete('UNTIL');
  const end = countToEnd(fields, start);
  if (end !== Number.POSITIVE_INFINITY) fields.delete('COUNT');
  const last = Math.min(to, end);
  if (last < from) return [];
  const rule = openRule(writeFields(fields), toZoned(new Date(start), 'UTC'), wallLimits, true);
  if (fields.has('COUNT'))
    return rule
      .between(new Date(from), new Date(last), true)
      .slice(0, limit)
      .map(({ epochMilliseconds }) => epochMilliseconds);
  const found: number[] = [];
  for (let after = new Date(from - 1); found.length < limit; ) {
    const next = rule.next(after, false);
    if (next === null || next === undefined || next.epochMilliseconds > last) break;
    after = new Date(next.epochMilliseconds);
    found.push(next.epochMilliseconds);
  }
  return found;
}

/** Last at or before `at`. @throws Error if it takes too many steps */
export function lastOnWall(rrule: string, start: number, at: number): number | null {
  const rule = openRule(rrule, toZoned(new Date(start), 'UTC'), wallLimits, true);
  return rule.previous(new Date(at), true)?.epochMilliseconds ?? null;
}
