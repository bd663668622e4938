// The person a human task was given to. Other operations may use the same argument names for something else.
import { isObject } from '../text.ts';
import { operationName } from '../tool.ts';
import type { Step } from './plan.ts';

/** Whether the step is a task for a person, or a question to one, in any status. */
export function isHumanTask({ tool, operation }: Pick<Step, 'tool' | 'operation'>): boolean {
  return ['human_task', 'human_confirm'].includes(operationName(tool, operation));
}

/** Who took the task over from its assignee; null: nobody. */
export function takerOf({ output }: Pick<Step, 'output'>): string | null {
  const taken = isObject(output) ? output.taken_over_by : null;
  return typeof taken === 'string' ? taken : null;
}

/** Whom a task is for, as it was asked or else as it was proposed; null: nobody in particular, or it is no task. */
export function assigneeOf(
  step: Pick<Step, 'tool' | 'operation' | 'args' | 'output'>,
): string | null {
  if (!isHumanTask(step)) return null;
  const { output, args } = step;
  // One that an earlier step named is known once the step asks.
  const asked = isObject(output) ? output.assignee : null;
  const assignee = asked ?? args.assignee;
  return typeof assignee === 'string' && assignee !== '' ? assignee : null;
}
