// Conditions on steps (A18): a value from an earlier step's output compared with a literal.
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

/** Characters of JSON; a condition is shown whole wherever its step is. */
const maxValue = 500;

/**
 * `{ "step": "2", "path": "/status", "is": "equals", "value": "green" }`; `exists` takes no value. Text is compared without
 * the blanks around it and with its case. `contains` looks for text in text, or for an item of a list. `greater` and `less`
 * compare numbers (also where they are text) and ISO 8601 dates and times. Where there is no value, nothing holds; `exists`
 * asks for one that is not null.
 */
export const StepCondition = z
  .strictObject({
    /** The id of an earlier step. */
    step: line(200),
    /** A JSON pointer (RFC 6901) into its output; empty: the whole output. */
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

/** A condition as it is shown. `label`: of the value in its form; left out: the value itself. */
export const ShownCondition = StepCondition.safeExtend({ label: z.string().exactOptional() });
export type ShownCondition = z.infer<typeof ShownCondition>;

/** The code of a step that was skipped because a condition did not hold, a person said no, or what it needs was skipped so. */
export const conditionNotMet = 'condition_not_met';

/** The conditions of a draft as a list; none: it has none. */
export function conditionsOf(
  when: StepCondition | StepCondition[] | null | undefined,
): StepCondition[] {
  if (when == null) return [];
  return Array.isArray(when) ? when : [when];
}

/** The same conditions about steps of other names. */
export function renameConditions(
  when: StepCondition | StepCondition[],
  rename: (id: string) => string,
): StepCondition[] {
  return conditionsOf(when).map((condition) => ({ ...condition, step: rename(condition.step) }));
}
