// Current files that waiting steps write, move or delete.
import type { Queryable } from '#db/database.ts';
import { readPlanRow } from '#db/plans/plans.ts';
import { readStepsById } from '#db/steps/pages.ts';
import { CountersignError } from '#domain/errors.ts';
import type { Step } from '#domain/plan/plan.ts';
import type { StepPreview } from '#domain/plan/preview.ts';
import { isSameState } from '#domain/plan/seen.ts';
import { type Catalogue, operationName } from '#domain/tool.ts';

/** For all files of a page: milliseconds and characters. */
const withinMs = 1500;
const maxCharacters = 2_000_000;
const notBegun = new Set<Step['status']>(['pending', 'ready']);

async function preview(
  catalogue: Pick<Catalogue, 'get'>,
  step: Step,
  signal: AbortSignal,
): Promise<StepPreview | null> {
  const { tool, operation: name, args, seen, attempt, status } = step;
  const operation = catalogue.get(operationName(tool, name));
  if (seen === null || attempt > 0 || !notBegun.has(status) || signal.aborted) return null;
  const file = await operation?.preview?.(args, signal);
  if (file === undefined || file === null) return null;
  const now = await operation?.inspect?.(args, signal);
  const changed = now !== undefined && now !== null && !isSameState(seen, now);
  return { step_id: step.id, file, changed };
}

const lengthOf = ({ file: { hunks, text } }: StepPreview): number =>
  (text?.length ?? 0) +
  (hunks ?? []).reduce((sum, { lines }) => sum + lines.join('').length + lines.length, 0);

/** In order. @throws `plan_not_found`, `unknown_step` */
export async function readStepPreviews(
  db: Queryable,
  catalogue: Pick<Catalogue, 'get'>,
  planId: string,
  ids: string[],
): Promise<StepPreview[]> {
  await readPlanRow(db, planId);
  const steps = await readStepsById(db, planId, ids);
  const known = new Set(steps.map(({ id }) => id));
  const missing = ids.filter((id) => !known.has(id));
  if (missing.length > 0)
    throw new CountersignError('unknown_step', `This plan has no step ${missing.join(', ')}.`);
  const signal = AbortSignal.timeout(withinMs);
  const until = performance.now() + withinMs;
  const found: (StepPreview | null)[] = [];
  for (const step of steps) {
    // Sequential: no timer fires while texts are compared.
    if (performance.now() > until) break;
    found.push(await preview(catalogue, step, signal).catch(() => null));
  }
  let left = maxCharacters;
  return found.flatMap((one) => {
    if (one === null) return [];
    const length = lengthOf(one);
    if (length > left)
      return [{ ...one, file: { ...one.file, hunks: null, text: null, cut: true } }];
    left -= length;
    return [one];
  });
}
