// Groups of steps in words.
import { stepWords } from '#cards/words.ts';
import type { GroupBy, StepGroup } from '#domain/plan/groups.ts';
import type { StepCounts } from '#domain/plan/plan.ts';
import type { Forecast } from '#domain/planning/forecast.ts';
import { quoteName } from '#domain/shown-text.ts';
import { capitalise, countOf } from '#domain/words.ts';
import { formatDuration } from './format.ts';
import type { StepLabels } from './step-labels.ts';

export const groupingWords: Record<GroupBy, string> = {
  partition: 'Partition',
  operation: 'Operation',
  stage: 'Stage',
};

export function nameGroup(by: GroupBy, key: string): string {
  if (by === 'stage') return `Stage ${key}`;
  return key === '' ? 'No partition' : quoteName(key, 200);
}

/** Coarser than the ten statuses. */
export type Heat = 'done' | 'running' | 'failed' | 'hold' | 'later' | 'left_out';

export const heatWords: Record<Heat, { symbol: string; words: string }> = {
  done: { symbol: '✓', words: stepWords.succeeded },
  running: { symbol: '▸', words: stepWords.running },
  failed: { symbol: '✕', words: stepWords.failed },
  hold: { symbol: '◷', words: stepWords.stale },
  later: { symbol: '○', words: stepWords.pending },
  left_out: { symbol: '⊘', words: stepWords.cancelled },
};

export type HeatShare = { heat: Heat; count: number; from: number; width: number };

/** In percent, side by side from 0. */
export function shareHeat(counts: StepCounts): HeatShare[] {
  const all: [Heat, number][] = [
    ['done', counts.succeeded],
    ['failed', counts.failed],
    ['running', counts.running],
    ['hold', counts.waiting + counts.stale + counts.unknown],
    ['later', counts.pending + counts.ready],
    ['left_out', counts.skipped + counts.cancelled],
  ];
  const total = all.reduce((sum, [, count]) => sum + count, 0);
  let from = 0;
  return all
    .filter(([, count]) => count > 0)
    .map(([heat, count]) => {
      const share = { heat, count, from, width: (count / total) * 100 };
      from += share.width;
      return share;
    });
}

/** Most important: failed, waiting or running. */
export function heatOf(counts: StepCounts): Heat {
  const shares = shareHeat(counts);
  const has = (heat: Heat) => shares.some((one) => one.heat === heat);
  for (const heat of ['failed', 'hold', 'running'] as const) if (has(heat)) return heat;
  if (has('later')) return has('done') ? 'running' : 'later';
  return has('done') ? 'done' : 'left_out';
}

/** `12 done, 3 running, 5 not yet` */
export function describeCounts(counts: StepCounts): string {
  return shareHeat(counts)
    .map(({ heat, count }) => `${count.toLocaleString()} ${heatWords[heat].words}`)
    .join(', ');
}

/** `Not started`, `All done`, else counts. */
export function describeGroup({ steps, counts }: Pick<StepGroup, 'steps' | 'counts'>): string {
  const shares = shareHeat(counts);
  const [only, ...more] = shares;
  if (only === undefined) return countOf(steps, 'step');
  if (more.length > 0) return describeCounts(counts);
  const { words } = heatWords[only.heat];
  return only.heat === 'later' ? capitalise(words) : `All ${words}`;
}

const leftOut: Record<NonNullable<Forecast['critical']['left_out']>, string> = {
  too_large: 'The plan is too large to work out which steps decide when it ends.',
  no_steps: '',
};

/** `1 → 2b → … → 9` */
function describePath({ steps, total }: Forecast['critical'], names: StepLabels): string {
  const labels = steps.map(({ id, position }) => names.get(id) ?? String(position));
  if (total <= 8) return labels.join(' → ');
  const end = total === steps.length ? labels.slice(-2) : [];
  return [...labels.slice(0, 4), '…', ...end].join(' → ');
}

/** Ordered IDs; empty if a mark says nothing (one step, or two without times). */
export function markedSteps(forecast: Forecast | null): string[] {
  if (forecast === null) return [];
  const { basis, total, steps } = forecast.critical;
  return total < (basis === 'order' ? 3 : 2) ? [] : steps.map(({ id }) => id);
}

/** Steps that decide when the plan ends; may be empty. */
export function describeCritical(
  critical: Forecast['critical'],
  names: StepLabels,
  over: boolean,
): string {
  const { basis, total, minutes, left_out } = critical;
  if (left_out !== null) return leftOut[left_out];
  if (total === 0) return '';
  const path = describePath(critical, names);
  if (basis === 'order') {
    const many = total > 8 ? ` (${countOf(total, 'step')})` : '';
    return total < 3 ? '' : `The longest chain: ${path}${many}`;
  }
  const about = over ? '' : 'about ';
  const facts = [
    ...(total > 8 ? [countOf(total, 'step')] : []),
    ...(minutes === null ? [] : [`${about}${formatDuration(minutes * 60_000)}`]),
  ];
  return `Critical path: ${path}${facts.length === 0 ? '' : ` (${facts.join(', ')})`}`;
}
