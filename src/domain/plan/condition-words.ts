// Conditions in words for people. Without zod, since pages draw them too.
import type { StepCondition } from './condition.ts';

/** What a condition looks at: `step 2 /status`. @param label what the step is called */
export function describePlace(path: string, label: string): string {
  return path === '' ? `the output of step ${label}` : `step ${label} ${path}`;
}

/** `step 2 /status is "green"`. @param label what the step is called where this is read */
export function describeCondition(
  { step, path, is, value }: StepCondition,
  label: string = step,
): string {
  const place = describePlace(path, label);
  const literal = JSON.stringify(value);
  switch (is) {
    case 'equals':
      return `${place} is ${literal}`;
    case 'not_equals':
      return `${place} is not ${literal}`;
    case 'contains':
      return `${place} contains ${literal}`;
    case 'greater':
      return `${place} is greater than ${literal}`;
    case 'less':
      return `${place} is less than ${literal}`;
    case 'exists':
      return `${place} has a value`;
    default:
      return is satisfies never;
  }
}
