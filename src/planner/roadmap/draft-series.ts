// Nodes that come again by a rule, as series of a plan (B17): their steps are the template of each occurrence.
import type { Series, StepDraft } from '#contracts/plan.ts';
import { type OutlineIndex, seriesOf } from './outline-index.ts';

/** @param steps the drafted steps of the outline, by number */
export function draftSeries(index: OutlineIndex, steps: StepDraft[]): Series[] {
  const byNode = Map.groupBy(steps.keys(), (step) =>
    seriesOf(index, index.steps[step]?.node ?? -1),
  );
  return index.order.flatMap((place): Series[] => {
    const node = index.nodes[place];
    const template = (byNode.get(place) ?? []).flatMap((step) => steps[step] ?? []);
    if (node?.recurs == null || template.length === 0) return [];
    const { rrule, starts_at, timezone, until } = node.recurs;
    return [
      {
        id: node.id.slice(0, 100),
        title: node.title.slice(0, 300),
        rrule,
        starts_at,
        timezone,
        until,
        steps: template,
      },
    ];
  });
}
