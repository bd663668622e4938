// Conditions on earlier outputs (A18).
import { z } from 'zod';
import { JsonValue, line } from '../text.ts';

export const ConditionOperator = z.enum([
  'equals',
  'not_equals',
  'contains',
  'greater',
  'less',
  'exists',
]);
export type ConditionOperator = z.infer<typeof ConditionOperator>;

/** Characters of JSON; conditions are shown whole. */
const maxValue = 500;

/**
 * `{ "step": "2", "path": "/status", "is": "equals", "value": "green" }`. Trimmed, case-sensitive. `contains`: in a text or list.
 * `greater`, `less`: numbers (also as text) and ISO 8601 times. A missing value satisfies nothing; `exists` requires non-null.
 */
export const StepCondition = z
  .strictObject({
    step: line(200),
    /** JSON pointer (RFC 6901); empty for the whole. */
    path: z
      .string()
      .max(500)
      .regex(/^(\/.*)?$/, 'must be a JSON pointer: empty or beginning with "/"')
      .default(''),
    is: ConditionOperator,
    value: JsonValue.optional(),
  })
  .refine(({ is, value }) => (is === 'exists') === (value === undefined), {
    message: 'exists takes no value; every other comparison needs one',
  })
  .refine(({ value }) => value === undefined || JSON.stringify(value).length <= maxValue, {
    message: `the value has at most ${maxValue} characters as JSON`,
  });
export type StepCondition = z.infer<typeof StepCondition>;

/** `label`: of the value in its form. */
export const ShownCondition = StepCondition.safeExtend({ label: z.string().exactOptional() });
export type ShownCondition = z.infer<typeof ShownCondition>;

/** By a condition or a No, maybe through a dependency. */
export const conditionNotMet = 'condition_not_met';

export function conditionsOf(
  when: StepCondition | StepCondition[] | null | undefined,
): StepCondition[] {
  if (when == null) return [];
  return Array.isArray(when) ? when : [when];
}

export function renameConditions(
  when: StepCondition | StepCondition[],
  rename: (id: string) => string,
): StepCondition[] {
  return conditionsOf(when).map((condition) => ({ ...condition, step: rename(condition.step) }));
}
