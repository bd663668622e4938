// What is said about steps that wait for a person's word, and about those a person could not do.
import { assigneeOf } from '#contracts/assignee.ts';
import { nameCall } from '#contracts/call-words.ts';
import type { Step } from '#contracts/plan.ts';
import type { Json, JsonObject } from '#contracts/text.ts';
import { operationName } from '#contracts/tool.ts';
import { describeCall } from '#tools/describe-call.ts';

function isObject(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Who answered a step; null: it does not say. */
function answererOf({ output }: Step): string | null {
  const by = isObject(output) ? output.by : undefined;
  return typeof by === 'string' && by !== '' ? by : null;
}

function callAssignee(step: Step, called: (name: string) => string): string | null {
  const name = assigneeOf(step);
  return name === null ? null : called(name);
}

/** What was called, where nobody knows what became of it. */
function nameOf({ tool, operation, args, final_args: final }: Step): string {
  return nameCall(describeCall(operationName(tool, operation), undefined, final ?? args));
}

/** The question of a step that waits, or whose outcome nobody knows. */
export function describeQuestion(step: Step, called: (name: string) => string): string {
  const question = step.question ?? 'It waits for you.';
  return step.status === 'unknown'
    ? `Step ${step.id} (${nameOf(step)}): ${question} Say what became of it.`
    : `Step ${step.id} waits for ${callAssignee(step, called) ?? 'you'}: ${question}`;
}

/** Who could not do their step, and why; null for any other step. */
export function describeBlocked(step: Step, called: (name: string) => string): string | null {
  if (step.status !== 'failed' || step.error?.code !== 'blocked') return null;
  const by = answererOf(step);
  const who = by === null ? '' : `, as ${called(by)} says`;
  return `Step ${step.id} (${step.description}) is blocked${who}: ${step.error.message} What depends on it is skipped; the rest goes on. The step can be asked again.`;
}
