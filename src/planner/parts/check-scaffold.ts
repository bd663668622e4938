// Checks a scaffold as a whole: ids, what comes after what, and no circles. Pure.
import type { ScaffoldPart } from '#domain/planning/part.ts';
import { quoteWords } from '#domain/shown-text.ts';
import { digraphOf } from '#graph/cycles.ts';
import { findCycle } from '#graph/digraph.ts';

export const maxParts = 500;
const maxProblems = 20;

/** @param groups ids of groups that the draft has already; parts may come after them */
export function checkScaffold(parts: ScaffoldPart[], groups: ReadonlySet<string>): string[] {
  if (parts.length === 0) return ['The scaffold has no parts.'];
  if (parts.length > maxParts)
    return [`The scaffold has ${parts.length} parts; ${maxParts} are the most. Make larger parts.`];
  const places = new Map(parts.map(({ id }, place) => [id, place]));
  const problems: string[] = [];
  const seen = new Set<string>();
  for (const { id, after } of parts) {
    // Ids of steps begin with it, and texts name steps as {{id/path}}.
    if (!/^[\p{L}\p{N}_.-]+$/u.test(id))
      problems.push(`Part ${quoteWords(id, 200)}: an id has letters, digits, - and _ only.`);
    if (seen.size === seen.add(id).size) problems.push(`Two parts have the id ${id}.`);
    for (const before of after) {
      if (before === id) problems.push(`Part ${id} comes after itself.`);
      else if (!places.has(before) && !groups.has(before))
        problems.push(`Part ${id} comes after ${before}, which does not exist.`);
    }
  }
  if (problems.length > 0) return problems.slice(0, maxProblems);
  const arrows = parts.flatMap(({ after }, to) =>
    after.flatMap((id) => {
      const from = places.get(id);
      return from === undefined ? [] : [{ from, to }];
    }),
  );
  const circle = findCycle(digraphOf(parts.length, arrows));
  if (circle === null) return [];
  const names = circle.slice(0, 10).flatMap((place) => parts[place]?.id ?? []);
  return [`The parts ${names.join(', ')} wait for each other.`];
}
