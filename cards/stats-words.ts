// How many plans stand where, and what people asked for that no tool can do, in lines.
import type { PlanStatus } from '#contracts/plan.ts';
import type { PlanStats } from '#contracts/stats.ts';
import { countOf } from '#contracts/words.ts';
import { isolateText, showLine } from './plain.ts';
import { formatAge, statusWords } from './words.ts';

// The keys of the table are the statuses, in the order of a list.
const statuses = Object.keys(statusWords) as PlanStatus[];

function describeGap({ wanted, times, people, last_at }: PlanStats['gaps'][number], now: string) {
  const often = countOf(times, 'time');
  const all = people > 1 ? `${often}, by ${people} people` : often;
  const age = formatAge(last_at, now);
  const last = /^\d/.test(age) ? `${age} ago` : age;
  return `${isolateText(showLine(wanted, 120))} · ${all} · last ${last}`;
}

/** @param now an ISO time; ages are counted from it */
export function describeStats({ plans, gaps, gap_days }: PlanStats, now: string): string {
  const counts = statuses.flatMap((status) => {
    const count = plans[status] ?? 0;
    return count === 0 ? [] : [`${count} ${statusWords[status]}`];
  });
  const lines = counts.length === 0 ? ['There are no plans yet.'] : counts;
  if (gaps.length === 0) return lines.join('\n');
  const title = `What people asked for most in the last ${gap_days} days that no connected tool can do:`;
  return [...lines, '', title, ...gaps.map((gap) => describeGap(gap, now))].join('\n');
}
