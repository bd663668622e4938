// Corrections that need no model: steps whose source changed run again, and so do the steps that depend on them. Pure.
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
    reason: `Runs ${countOf(ids.length, 'step')} again, because the source${sources.length === 1 ? ` of step “${sources[0]?.id}” has` : `s of ${countOf(sources.length, 'step')} have`} changed.`,
  };
}
