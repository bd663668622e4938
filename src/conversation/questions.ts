// What is said about steps that wait for a person's word, and about those a person could not do.
import type { Step } from '#contracts/plan.ts';
import type { Json, JsonObject } from '#contracts/text.ts';

function isObject(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function textOf(step: Step, key: string): string | null {
  const value = isObject(step.output) ? step.output[key] : undefined;
  return typeof value === 'string' && value !== '' ? value : null;
}

/** Whom a step that waits was given to; null: nobody in particular. */
export function assigneeOf(step: Step): string | null {
  return textOf(step, 'assignee');
}

/** The question of a step that waits, or whose outcome nobody knows. */
export function describeQuestion(step: Step): string {
  const question = step.question ?? 'It waits for you.';
  return step.status === 'unknown'
    ? `Step ${step.id} (${step.description}): ${question} Say what became of it.`
    : `Step ${step.id} waits for ${assigneeOf(step) ?? 'you'}: ${question}`;
}

/** Who could not do their step, and why; null for any other step. */
export function describeBlocked(step: Step): string | null {
  if (step.status !== 'failed' || step.error?.code !== 'blocked') return null;
  const who = textOf(step, 'by') ?? 'Somebody';
  return `${who} is blocked at step ${step.id} (${step.description}): ${step.error.message} What depends on it is skipped; the rest goes on. The step can be asked again.`;
}
