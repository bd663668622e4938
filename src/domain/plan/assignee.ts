// The assignee of a human task. Other operations may use the same argument names differently.
import { isObject } from '../text.ts';
import { operationName } from '../tool.ts';
import type { Step } from './plan.ts';

/** Whether the step is a task or question for a person, in any status. */
export function isHumanTask({ tool, operation }: Pick<Step, 'tool' | 'operation'>): boolean {
  return ['human_task', 'human_confirm'].includes(operationName(tool, operation));
}

/** Who took the task over, or null. */
export function takerOf({ output }: Pick<Step, 'output'>): string | null {
  const taken = isObject(output) ? output.taken_over_by : null;
  return typeof taken === 'string' ? taken : null;
}

/** A task's assignee, as asked or proposed, or null. */
export function assigneeOf(
  step: Pick<Step, 'tool' | 'operation' | 'args' | 'output'>,
): string | null {
  if (!isHumanTask(step)) return null;
  const { output, args } = step;
  // One named by an earlier step is known once the step asks.
  const asked = isObject(output) ? output.assignee : null;
  const assignee = asked ?? args.assignee;
  return typeof assignee === 'string' && assignee !== '' ? assignee : null;
}
