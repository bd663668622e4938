// Notes of a draft may name a phase, a part or a group by its title, which a plan no more knows: they name its steps instead.
import type { StepDraft } from '#domain/plan/step-content.ts';
import type { PlanOutline } from '#domain/planning/outline.ts';
import { isObject, type Json } from '#domain/text.ts';
import { stepsNamed } from './edit-draft.ts';

const fold = (title: string): string => title.normalize('NFC').trim().toLowerCase();

/** Titles of nodes that are more than one step, as they stand in the outline, by how they are compared. */
function titlesOf({ nodes }: PlanOutline): Map<string, string> {
  const described = new Set(
    nodes.flatMap(({ steps }) => steps.map((one) => fold(one.description))),
  );
  return new Map(
    nodes
      .filter(({ steps, title }) => steps.length !== 1 && !described.has(fold(title)))
      .map(({ title }) => [fold(title), title]),
  );
}

const listOf = (value: Json | undefined): Json[] =>
  value === undefined ? [] : Array.isArray(value) ? value : [value];

export function namePrerequisites(outline: PlanOutline, steps: StepDraft[]): StepDraft[] {
  const noted = (notes: Json | undefined) => isObject(notes) && notes.prereq_titles !== undefined;
  if (!steps.some(({ notes }) => noted(notes))) return steps;
  const titles = titlesOf(outline);
  return steps.map((step): StepDraft => {
    const { notes } = step;
    if (!isObject(notes) || !noted(notes)) return step;
    const said: Json[] = listOf(notes.prereq_titles);
    const wholes = said.flatMap((title) => {
      const known = typeof title === 'string' ? titles.get(fold(title)) : undefined;
      return known === undefined ? [] : [{ title, known }];
    });
    if (wholes.length === 0) return step;
    const named = new Set(wholes.map(({ title }) => title));
    const left = said.filter((title) => !named.has(title));
    const ids = stepsNamed(
      outline,
      wholes.map(({ known }) => known),
    ).filter((id) => id !== step.id);
    const { prereq_titles: _, prereq_step_ids: own, ...others } = notes;
    return {
      ...step,
      notes: {
        ...others,
        ...(left.length === 0 ? {} : { prereq_titles: left }),
        prereq_step_ids: [...listOf(own), ...ids],
      },
    };
  });
}
