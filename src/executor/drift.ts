// Whether what a step touches still is as it was when the plan was proposed; if not, a person is asked before the call.
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { SeenState } from '#contracts/seen.ts';
import type { JsonObject } from '#contracts/text.ts';
import type { Operation } from '#contracts/tool.ts';
import type { Outcome } from '#store/sql/settle.ts';
import { readStepsById } from '#store/step-pages.ts';
import { askToConfirm } from './outcomes.ts';
import type { Confirmation } from './prepare-arguments.ts';
import { askDatabase, type StepRun } from './step-run.ts';

/** The target as it was shown, or as a person confirmed it since, and as it is now; null: that could not be looked up. */
type Drift = { was: SeenState | null; now: SeenState | null };

/** What a step keeps while it asks, and until it is called. */
const Asked = z.looseObject({ confirm: z.literal(true), drift: SeenState.nullable() });

function isSame(one: SeenState | null, other: SeenState | null): boolean {
  return one?.state === other?.state && one?.fingerprint === other?.fingerprint;
}

/** What a person was asked about and has confirmed; undefined: nothing, or a retry has forgotten it. */
async function readConfirmed(run: StepRun): Promise<SeenState | null | undefined> {
  const { context, plan, step } = run;
  if (step.final_args === null) return undefined;
  const [stored] = await askDatabase(run, () =>
    readStepsById(context.db.query, plan.id, [step.step_id]),
  );
  const asked = Asked.safeParse(stored?.output);
  return asked.success ? asked.data.drift : undefined;
}

/**
 * The difference that a person has not confirmed; null: there is none, nothing was seen before, or the call only reads.
 * @param args of the call
 */
export async function findDrift(
  run: StepRun,
  operation: Operation,
  args: JsonObject,
): Promise<Drift | null> {
  const { step } = run;
  const { seen } = step;
  if (seen == null || step.effect === 'read') return null;
  const now = (await operation.inspect?.(args, run.signal)) ?? null;
  if (isSame(seen, now)) return null;
  const after = now?.fingerprint ?? null;
  if (after !== null && operation.fingerprintAfter?.(args) === after) return null;
  const confirmed = await readConfirmed(run);
  if (confirmed === undefined) return { was: seen, now };
  const same = isSame(confirmed, now) && isDeepStrictEqual(step.final_args, args);
  return same ? null : { was: confirmed, now };
}

function describe(state: SeenState): string {
  if (state.text !== undefined) return `“${state.text}”`;
  if (state.state === 'missing') return 'missing';
  const size = state.size === null ? [] : [`${state.size.toLocaleString('en-US')} bytes`];
  const edited = state.modified_at === null ? [] : [`edited ${state.modified_at}`];
  if (state.state === 'new') return 'not there';
  return [...size, ...edited].join(', ') || 'there';
}

/** Asks with both states instead of calling; the state that is confirmed is kept with the step. */
export function askAboutDrift(
  { step }: StepRun,
  name: string,
  { args, confirm }: { args: JsonObject; confirm: Confirmation | null },
  { was, now }: Drift,
): Outcome {
  const asked = askToConfirm(step, name, args, confirm ?? 'values');
  const target = step.target ?? 'What this step touches';
  const before = was === null ? 'could not be looked up' : `was ${describe(was)}`;
  const after = now === null ? 'cannot be looked up' : `is ${describe(now)}`;
  const changed = now === null ? 'may have changed' : 'changed';
  const question = `${target} ${changed} after the plan was approved. It ${before}; now it ${after}. ${asked.question ?? ''}`;
  return { ...asked, question, output: { confirm: true, drift: now } };
}
