// Changes that need no model: what has changed is read again, and what was made of it is made again. Pure.
import type { CoveredStep } from '#db/replanning.ts';
import type { FindingCategory } from '#domain/plan/finding.ts';
import type { PatchOperation } from '#domain/plan/patch.ts';
import { countOf } from '#domain/words.ts';

/**
 * The change that settles a finding by rule; null: none does.
 * @param sources the steps that the finding is about and that have been done
 * @param stale the steps that it made stale
 */
export function proposeByRule(
  category: FindingCategory,
  sources: Pick<CoveredStep, 'id'>[],
  stale: Pick<CoveredStep, 'id'>[],
): { operations: PatchOperation[]; reason: string } | null {
  if (category !== 'source_changed' || sources.length === 0) return null;
  const ids = [...new Set([...sources, ...stale].map(({ id }) => id))];
  return {
    operations: [{ op: 'rerun_steps', steps: { ids } }],
    reason: `Runs ${countOf(ids.length, 'step')} again, because what ${sources.length === 1 ? `step ${sources[0]?.id} has` : `${countOf(sources.length, 'step')} have`} read has changed.`,
  };
}
