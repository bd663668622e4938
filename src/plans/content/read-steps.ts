// The steps whose outputs a step reads through its operation (`Operation.readsSteps`): it waits for them as for those it refers
// to.
import { predecessorsOf, type StepDraft } from '#domain/plan/step-content.ts';
import type { StepSelector } from '#domain/plan/step-selector.ts';
import { isSliceOver, nextTurn } from '#domain/slices.ts';
import { type Catalogue, operationName } from '#domain/tool.ts';
import type { Problems } from './check-references.ts';

/** The steps it reads besides its references, or null if there are none. */
export function selectorOf(
  { tool, operation, args }: Pick<StepDraft, 'tool' | 'operation' | 'args'>,
  catalogue: Pick<Catalogue, 'get'>,
): StepSelector | null {
  return catalogue.get(operationName(tool, operation))?.readsSteps?.(args ?? {}) ?? null;
}

type Candidate = { partition?: string | null | undefined; tags?: string[] | undefined };

export function isSelected({ partition, tags }: Candidate, selector: StepSelector): boolean {
  const inPartition = selector.partition !== undefined && partition === selector.partition;
  return inPartition || (selector.tag !== undefined && tags?.includes(selector.tag) === true);
}

/** Adds a problem if a selector by partition or tag matches no step. */
export function checkSelected(
  label: string,
  path: string,
  { partition, tag, ids }: StepSelector,
  found: string[],
  problems: Problems,
): void {
  if (found.length > 0 || ids !== undefined) return;
  const where = [
    ...(partition === undefined ? [] : [`in partition ${partition}`]),
    ...(tag === undefined ? [] : [`tagged ${tag}`]),
  ];
  problems.add(
    'unknown_step',
    `${path}.args`,
    `Step ${label} reads the steps ${where.join(' or ')}, and there is none before it.`,
  );
}

/** Ids of the steps that wait for `id`, directly or not. */
function followers(id: string, successors: ReadonlyMap<string, string[]>): Set<string> {
  const found = new Set([id]);
  for (const one of found) for (const next of successors.get(one) ?? []) found.add(next);
  return found;
}

function findSuccessors(steps: (StepDraft & { id: string })[]): Map<string, string[]> {
  const successors = new Map<string, string[]>();
  for (const step of steps) {
    for (const one of predecessorsOf(step)) {
      const known = successors.get(one);
      if (known === undefined) successors.set(one, [step.id]);
      else known.push(step.id);
    }
  }
  return successors;
}

/**
 * For each step that reads others, their IDs. A partition or tag excludes steps that read others themselves and steps that wait
 * for the reader.
 */
export async function findReads(
  steps: (StepDraft & { id: string })[],
  catalogue: Pick<Catalogue, 'get'>,
): Promise<Map<string, { selector: StepSelector; ids: string[] }>> {
  const selectors = new Map(
    steps.flatMap((step) => {
      const selector = selectorOf(step, catalogue);
      return selector === null ? [] : [[step.id, selector] as const];
    }),
  );
  const reads = new Map<string, { selector: StepSelector; ids: string[] }>();
  if (selectors.size === 0) return reads;
  const successors = findSuccessors(steps);
  const byPartition = Map.groupBy(steps, ({ partition }) => partition);
  for (const [id, selector] of selectors) {
    if (isSliceOver()) await nextTurn();
    const later = followers(id, successors);
    // Most readers name one partition, so only its steps are checked.
    const candidates =
      selector.tag === undefined ? (byPartition.get(selector.partition) ?? []) : steps;
    const selected = candidates.filter(
      (step) => isSelected(step, selector) && !later.has(step.id) && !selectors.has(step.id),
    );
    reads.set(id, {
      selector,
      ids: [...new Set([...(selector.ids ?? []), ...selected.map((step) => step.id)])],
    });
  }
  return reads;
}
