// Raises findings for missing parts of a two-layer plan.
import type { Transaction } from '#db/database.ts';
import { readEndedParts } from '#db/planning/parts.ts';
import type { RunRow } from '#db/planning/runs.ts';
import { readPlanRow } from '#db/plans/plans.ts';
import { system } from '#domain/people/actor.ts';
import type { PlanDraft } from '#domain/plan/plan.ts';
import { quoteWords } from '#domain/shown-text.ts';
import { shorten } from '#domain/words.ts';
import type { ConversationContext } from '#messages/context.ts';
import { findMissing } from '#planner/parts/assemble-parts.ts';
import { raiseFindings } from '#plans/findings/raise.ts';

function partsOf({ steps }: PlanDraft): Set<string> {
  return new Set(steps.flatMap(({ partition }) => partition?.split('/')[0] ?? []));
}

export async function tellMissingParts(
  context: ConversationContext,
  tx: Transaction,
  { id: run_id, turn }: Pick<RunRow, 'id' | 'turn'>,
  planId: string,
  draft: PlanDraft,
): Promise<void> {
  const parts = await readEndedParts(tx, { run_id, turn });
  if (parts.length === 0) return;
  const there = partsOf(draft);
  const findings = [...findMissing(parts)].flatMap(([id, why]) => {
    const part = parts.find((one) => one.part.id === id)?.part;
    if (part === undefined || there.has(id)) return [];
    const message = shorten(
      `${quoteWords(part.title, 200)} could not be planned and is not in this plan. ${why}`,
      2000,
    );
    return {
      severity: 'WARN' as const,
      category: 'planning' as const,
      message,
      partition: id,
      evidence: [],
      key: `part:${run_id}:${turn}:${id}`,
      raisedBy: system.id,
    };
  });
  if (findings.length > 0)
    await raiseFindings(context, tx, await readPlanRow(tx, planId), findings);
}
