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

const keyOf = ({ id, type, lag_minutes }: Dependency, to: string) =>
  JSON.stringify([id, to, type, lag_minutes]);

function edgesOf(draft: PlanDraft) {
  const ids = idsOf(draft);
  return new Map(
    draft.steps.flatMap((step, index) => {
      const to = ids[index] ?? '';
      return normalEdges(step).map((edge) => [keyOf(edge, to), { ...edge, to }] as const);
    }),
  );
}

/** The edges that `after` has and `before` has not, and those that are to be taken away. */
export function reorderedSteps(before: PlanDraft, after: PlanDraft) {
  const [old, now] = [edgesOf(before), edgesOf(after)];
  const changed = [
    ...[...old].flatMap(([key, edge]) => (now.has(key) ? [] : [{ ...edge, remove: true }])),
    ...[...now].flatMap(([key, edge]) => (old.has(key) ? [] : [{ ...edge, remove: false }])),
  ];
  return changed.map(({ id, to, type, lag_minutes, remove }) => ({
    from: id,
    to,
    type,
    lag_minutes,
    remove,
  }));
}

/** Steps whose times are others in `after`. */
export function movedSteps(before: PlanDraft, after: PlanDraft) {
  const old = new Map(idsOf(before).map((id, index) => [id, before.steps[index]]));
  const ids = idsOf(after);
  return after.steps.flatMap((step, index) => {
    const node = ids[index] ?? '';
    const one = old.get(node);
    const was = { not_before: one?.not_before ?? null, duration: one?.duration_minutes ?? null };
    const not_before = step.not_before ?? null;
    const duration_minutes = step.duration_minutes ?? null;
    if (was.not_before === not_before && was.duration === duration_minutes) return [];
    const drop = [
      ...(was.not_before !== null && not_before === null ? ['not_before'] : []),
      ...(was.duration !== null && duration_minutes === null ? ['duration_minutes'] : []),
    ];
    return [{ node, not_before, duration_minutes, drop: drop.length === 0 ? null : drop }];
  });
}
