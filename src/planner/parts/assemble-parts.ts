// Assembles planned parts into the draft and reports missing ones. Pure.
import { renameReferences } from '#domain/plan/arguments.ts';
import { conditionsOf } from '#domain/plan/condition.ts';
import { toDependency } from '#domain/plan/dependency.ts';
import type { StepDraft } from '#domain/plan/step-content.ts';
import type { PlanOutline } from '#domain/planning/outline.ts';
import type { ScaffoldPart } from '#domain/planning/part.ts';
import { quoteWords } from '#domain/shown-text.ts';
import { isObject, type Json } from '#domain/text.ts';
import { countOf, shorten } from '#domain/words.ts';
import { addGroups, type Edited, placeSteps } from '../draft/edit-draft.ts';
import { takeId } from '../outline/outline-tree.ts';
import type { EndedPart } from '../ports.ts';

export type Assembled = {
  edited: Edited;
  missing: { part: ScaffoldPart; why: string }[];
};

const maxAssumptions = 50;

/** Not planned, or after something missing. */
export function findMissing(
  parts: Pick<EndedPart, 'part' | 'status' | 'message'>[],
): Map<string, string> {
  const missing = new Map<string, string>();
  for (const { part, status, message } of parts) {
    if (status === 'planned') continue;
    const held = 'Planning it would exceed the budget of one turn.';
    missing.set(part.id, message ?? (status === 'held' ? held : 'Its planner gave no reason.'));
  }
  // Each round gets at least one part further.
  for (let found = true; found; ) {
    found = false;
    for (const { part } of parts) {
      if (missing.has(part.id)) continue;
      const before = part.after.find((id) => missing.has(id));
      if (before === undefined) continue;
      const title = parts.find((one) => one.part.id === before)?.part.title ?? before;
      missing.set(part.id, `It comes after ${quoteWords(title, 80)}, which is missing.`);
      found = true;
    }
  }
  return missing;
}

export function assembleParts(outline: PlanOutline, parts: EndedPart[]): Assembled {
  const missing = findMissing(parts);
  const there = parts.filter(({ part }) => !missing.has(part.id));
  const replaced = new Set(there.map(({ part }) => part.id));
  const rest = { ...outline, nodes: outline.nodes.filter(({ id }) => !replaced.has(id)) };
  const ids = new Set(placeSteps(rest).keys());
  const groups = there.map(({ part, steps }) => ({
    id: part.id,
    title: part.title,
    steps: renameSteps(part.id, steps, ids),
    after: part.after.map(toDependency),
  }));
  const edited = addGroups(rest, groups);
  const lost = parts.flatMap(({ part }) => {
    const why = missing.get(part.id);
    return why === undefined ? [] : [{ part, why }];
  });
  return {
    edited:
      'problems' in edited
        ? edited
        : { outline: { ...edited.outline, assumptions: collectAssumptions(outline, parts, lost) } },
    missing: lost,
  };
}

/** References to renamed steps follow. */
function renameSteps(
  partId: string,
  steps: StepDraft[],
  taken: Set<string>,
): (StepDraft & { id: string })[] {
  const names = new Map(
    steps.map(({ id = '' }, place): [string, string] => {
      const wanted = `${partId}-${id}`;
      return [id, takeId(wanted.length > 190 ? `${partId}-${place + 1}` : wanted, taken)];
    }),
  );
  const rename = (id: string) => names.get(id) ?? id;
  return steps.map((step) => {
    const { id = '', args, after, when, notes, partition } = step;
    return {
      ...step,
      id: rename(id),
      partition: partition === undefined ? partId : `${partId}/${partition}`.slice(0, 200),
      ...(args === undefined ? {} : { args: renameReferences(args, rename) }),
      ...(after === undefined
        ? {}
        : { after: after.map(toDependency).map((one) => ({ ...one, id: rename(one.id) })) }),
      ...(when === undefined
        ? {}
        : { when: conditionsOf(when).map((one) => ({ ...one, step: rename(one.step) })) }),
      ...(notes === undefined ? {} : { notes: renameNotes(notes, rename) }),
    };
  });
}

/** Notes may name steps. */
function renameNotes(notes: Json, rename: (id: string) => string): Json {
  if (!isObject(notes) || !Array.isArray(notes.prereq_step_ids)) return notes;
  const named = notes.prereq_step_ids.map((id) => (typeof id === 'string' ? rename(id) : id));
  return { ...notes, prereq_step_ids: named };
}

const leadOf = ({ title }: ScaffoldPart) => `${quoteWords(title, 200)} is not in this plan.`;

/** Missing parts first. */
function collectAssumptions(
  { assumptions }: PlanOutline,
  parts: EndedPart[],
  missing: Assembled['missing'],
): string[] {
  // A replanned part drops its assumptions.
  const before = assumptions.filter(
    (text) => !parts.some(({ part }) => text.startsWith(leadOf(part))),
  );
  const sentences = missing.map(({ part, why }) => `${leadOf(part)} ${why}`);
  const room = maxAssumptions / 2;
  const rest = sentences.length - (room - 1);
  const lost =
    sentences.length <= room
      ? sentences
      : [
          ...sentences.slice(0, room - 1),
          `${countOf(rest, 'further part')} are not in this plan either: ${missing
            .slice(room - 1)
            .map(({ part }) => part.title)
            .join(', ')}`,
        ];
  const gone = new Set(missing.map(({ part }) => part.id));
  const assumed = parts.flatMap(({ part, message }) =>
    message === null || gone.has(part.id) ? [] : [`${part.title}: ${message}`],
  );
  const all = [...lost, ...before, ...assumed].map((text) => shorten(text, 1000));
  return [...new Set(all)].slice(0, maxAssumptions);
}
