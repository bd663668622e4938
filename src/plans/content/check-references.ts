// Collects all problems of a draft in one pass, for one error, and checks references between its steps against the schemas of their
// operations, so that impossible ones are refused before anything is stored.
import { CountersignError, type ErrorCode } from '#domain/errors.ts';
import { isReference } from '#domain/plan/argument-kinds.ts';
import { findMalformed, safeReferences } from '#domain/plan/arguments.ts';
import type { Dependency } from '#domain/plan/dependency.ts';
import type { StepContent } from '#domain/plan/step-content.ts';
import { findBareTemplate } from '#domain/plan/templates.ts';
import { isSliceOver, mapInSlices, nextTurn } from '#domain/slices.ts';
import type { JsonObject } from '#domain/text.ts';
import { type Catalogue, operationName } from '#domain/tool.ts';
import { countOf } from '#domain/words.ts';
import { type Producer, ReferenceChecker } from '#tools/check-reference.ts';

type Problem = { code: ErrorCode; path: string; message: string };

const shownProblems = 20;

/** Counts all problems of a draft and keeps the first 20. */
export class Problems {
  readonly list: Problem[] = [];
  count = 0;

  add(code: ErrorCode, path: string, message: string): void {
    this.count++;
    if (this.list.length < shownProblems) this.list.push({ code, path, message });
  }

  /** Throws if there are problems: the first one's code and sentence, with all kept ones in the details. */
  settle(): void {
    const [first] = this.list;
    if (first === undefined) return;
    const more = this.count - 1;
    throw new CountersignError(
      first.code,
      more === 0 ? first.message : `${first.message} And ${countOf(more, 'more problem')}.`,
      { details: { errors: this.list, problem_count: this.count } },
    );
  }
}

type CheckedStep = Pick<StepContent, 'id' | 'tool' | 'operation' | 'args' | 'when'>;

/** Whether references and run-time values in `args` can be parsed; if not, adds the reasons to `problems`. */
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
 * Creates a check of one step: adds an `invalid_reference` to `problems` for each reference or condition that no output can
 * satisfy. Missing steps and operations are reported elsewhere.
 * @param known contains the steps that the checked ones refer to
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

/** Steps that a change keeps must wait for every step whose output they use. @param all all steps of the plan */
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
