// Checks references against schemas.
import type { Problems } from '#domain/errors.ts';
import { isReference } from '#domain/plan/argument-kinds.ts';
import { findMalformed, safeReferences } from '#domain/plan/arguments.ts';
import type { Dependency } from '#domain/plan/dependency.ts';
import { predecessorsOf, type StepContent, type StepDraft } from '#domain/plan/step-content.ts';
import type { StepSelector } from '#domain/plan/step-selector.ts';
import { findBareTemplate } from '#domain/plan/templates.ts';
import { isSliceOver, mapInSlices, nextTurn } from '#domain/slices.ts';
import type { JsonObject } from '#domain/text.ts';
import { type Catalogue, operationName } from '#domain/tool.ts';
import { type Producer, ReferenceChecker } from '#tools/check-reference.ts';

type CheckedStep = Pick<StepContent, 'id' | 'tool' | 'operation' | 'args' | 'when'>;

/** Reports unparsable references and run-time values. */
export function areReadable(
  args: JsonObject,
  path: string,
  label: string,
  problems: Problems,
): boolean {
  const reasons = isReference(args)
    ? ['its arguments as a whole are a reference; give each argument its own']
    : findMalformed(args);
  if (reasons.length === 0) return true;
  problems.add('invalid_reference', `${path}.args`, `Step ${label}: ${reasons.join('; ')}.`);
  return false;
}

/**
 * Adds `invalid_reference` for what no output satisfies; missing steps and operations are reported elsewhere.
 * @param known the steps referred to
 */
export function createReferenceCheck(
  known: readonly CheckedStep[],
  catalogue: Pick<Catalogue, 'get'>,
  problems: Problems,
): (step: CheckedStep, index: number) => void {
  const checker = new ReferenceChecker();
  const byId = new Map(known.map((step) => [step.id, step]));
  const producers = new Map<string, Producer | null>();
  const producerOf = (id: string): Producer | null => {
    const read = producers.get(id);
    if (read !== undefined) return read;
    const step = byId.get(id);
    const producer = step === undefined ? null : describeProducer(step, catalogue);
    producers.set(id, producer);
    return producer;
  };
  return (step, index) => {
    const name = operationName(step.tool, step.operation);
    const bare = findBareTemplate(step.args, (id) => byId.has(id));
    if (bare !== null) {
      const message = `Step ${step.id} (${name}): {{${bare}}} names a step and no value of it, and would stay as it is. Write {{${bare}/…}} with the path of a value, or give step ${bare} another id.`;
      problems.add('invalid_reference', `steps[${index}].args`, message);
    }
    for (const condition of step.when) {
      const problem = checker.checkPath(condition.path, producerOf(condition.step));
      if (problem === null) continue;
      const message = `Step ${step.id} (${name}): its condition ${problem}.`;
      problems.add('invalid_reference', `steps[${index}].when`, message);
    }
    const operation = catalogue.get(name);
    if (operation === undefined) return;
    for (const problem of checker.check(step.args, operation.input, producerOf)) {
      problems.add(
        'invalid_reference',
        `steps[${index}].args`,
        `Step ${step.id} (${name}): ${problem}.`,
      );
    }
  };
}

function describeProducer(step: CheckedStep, catalogue: Pick<Catalogue, 'get'>): Producer | null {
  const name = operationName(step.tool, step.operation);
  const operation = catalogue.get(name);
  const output = operation?.outputOf?.(step.args) ?? operation?.output;
  return output === undefined ? null : { id: step.id, operation: name, output };
}

/** Kept steps must wait for every step whose output they use. @param all steps of the plan */
export async function checkWaits(
  kept: readonly (CheckedStep & { after: Dependency[] })[],
  all: readonly CheckedStep[],
  catalogue: Pick<Catalogue, 'get'>,
  problems: Problems,
): Promise<void> {
  for (const { id, args, after, when } of kept) {
    if (isSliceOver()) await nextTurn();
    const waits = new Set(after.filter(({ type }) => type === 'FS').map((one) => one.id));
    for (const { $from } of safeReferences(args)) {
      if (waits.has($from)) continue;
      problems.add(
        'invalid_reference',
        'operations',
        `Step ${id} uses the output of step "${$from}" and does not wait for it any more.`,
      );
    }
    for (const { step } of when) {
      if (waits.has(step)) continue;
      problems.add(
        'invalid_reference',
        'operations',
        `Step ${id} has a condition on step "${step}" and does not wait for it any more.`,
      );
    }
  }
  await mapInSlices(kept, createReferenceCheck(all, catalogue, problems));
}

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

/** IDs by reader. Partitions and tags exclude other readers and steps that wait for this one. */
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
    // Most readers name one partition; check only its steps.
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
