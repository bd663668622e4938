// From the arguments that were approved to those of the call: references filled in, run-time values decided, all checked.
import { hasRuntime, referencesOf } from '#contracts/arguments.ts';
import { CountersignError } from '#contracts/errors.ts';
import type { Json, JsonObject } from '#contracts/text.ts';
import type { Operation } from '#contracts/tool.ts';
import { readOutputs } from '#store/outputs.ts';
import { resolveReferences } from '#tools/resolve-arguments.ts';
import { askDatabase, type StepRun } from './step-run.ts';

/** `confirm`: a person sees the arguments before the call is made. */
type Ready = { kind: 'call' | 'confirm'; args: JsonObject };

/**
 * The arguments of the call.
 * @throws CountersignError `invalid_reference`, `invalid_arguments` or what the model's failure is called
 */
export async function prepareArguments(run: StepRun, operation: Operation): Promise<Ready> {
  const { context, plan, step, signal } = run;
  if (step.final_args !== null) return { kind: 'call', args: step.final_args };
  const references = [...new Set(referencesOf(step.args).map(({ $from }) => $from))];
  const outputs = await askDatabase(run, () => readOutputs(context.db.query, plan.id, references));
  let args = resolveReferences(step.args, outputs);
  const validate = (candidate: JsonObject) => context.registry.validate(operation.name, candidate);
  // Only what was approved decides; what a tool answered is data, whatever it looks like.
  const decides = hasRuntime(step.args);
  if (decides) {
    requireData(outputs);
    if (context.decide === null) {
      throw new CountersignError(
        'model_failed',
        'This step decides its arguments when it runs, and no model is configured. Set OPENAI_API_KEY or propose it with fixed arguments.',
      );
    }
    const decided = await context.decide({
      operation,
      args,
      description: step.description,
      outputs: Object.fromEntries(outputs),
      validate,
      signal,
    });
    args = decided.args;
  }
  const problems = validate(args);
  if (problems.length > 0)
    throw new CountersignError('invalid_arguments', `${problems.join('; ')}.`);
  return { kind: decides && step.guarded ? 'confirm' : 'call', args };
}

/** @throws `invalid_reference` when an output would pass for an argument that is still to be decided */
function requireData(outputs: Map<string, Json>): void {
  for (const [id, output] of outputs) {
    if (!hasRuntime(output)) continue;
    throw new CountersignError(
      'invalid_reference',
      `The output of step ${id} holds a "$decide" of its own, which cannot be told from the plan's. Propose this step with fixed arguments.`,
    );
  }
}
