// What is different between two drafts of a plan, as the stages see it: content, order, or times.
import type { Dependency, PlanDraft, StepDraft } from '#contracts/plan.ts';
import type { Gate } from '#contracts/planning/stages.ts';

const idsOf = ({ steps }: PlanDraft) => steps.map((step, index) => step.id ?? String(index + 1));

function normalEdges(step: StepDraft): Dependency[] {
  return (step.after ?? [])
    .map((one) =>
      typeof one === 'string' ? { id: one, type: 'FS' as const, lag_minutes: 0 } : one,
    )
    .sort((a, b) => a.id.localeCompare(b.id) || a.type.localeCompare(b.type));
}

/** The step but for its order, its times, and the words that speak of times. */
function contentOf({ after: _, not_before: __, description: ___, ...content }: StepDraft): string {
  return JSON.stringify({ ...content, args: content.args ?? {} });
}

const orderOf = (step: StepDraft) => JSON.stringify(normalEdges(step));

/** The earliest stage that has to be done again to get from `before` to `after`. */
export function gateOfChange(before: PlanDraft, after: PlanDraft): Gate {
  const old = new Map(idsOf(before).map((id, index) => [id, before.steps[index]]));
  const ids = idsOf(after);
  const same =
    ids.length === old.size &&
    after.steps.every((step, index) => {
      const one = old.get(ids[index] ?? '');
      return one !== undefined && contentOf(one) === contentOf(step);
    });
  if (!same) return 'outline';
  const reordered = after.steps.some((step, index) => {
    const one = old.get(ids[index] ?? '');
    return one === undefined || orderOf(one) !== orderOf(step);
  });
  return reordered ? 'roadmap' : 'schedule';
}

/** The edges of every step as `after` has them, from step to step. */
export function reorderedSteps(_before: PlanDraft, after: PlanDraft) {
  const ids = idsOf(after);
  return after.steps.flatMap((step, index) =>
    normalEdges(step).map(({ id, type, lag_minutes }) => ({
      from: id,
      to: ids[index] ?? '',
      type,
      lag_minutes,
    })),
  );
}

/** Steps whose times are others in `after`. */
export function movedSteps(before: PlanDraft, after: PlanDraft) {
  const old = new Map(idsOf(before).map((id, index) => [id, before.steps[index]]));
  const ids = idsOf(after);
  return after.steps.flatMap((step, index) => {
    const id = ids[index] ?? '';
    const one = old.get(id);
    const not_before = step.not_before ?? null;
    const duration_minutes = step.duration_minutes ?? null;
    const moved =
      (one?.not_before ?? null) !== not_before ||
      (one?.duration_minutes ?? null) !== duration_minutes;
    return moved ? [{ node: id, not_before, duration_minutes, deadline: null }] : [];
  });
}
