// Conditions on steps (A18): a value from an earlier step's output compared with a literal.
import { z } from 'zod';
import { JsonValue, line } from './text.ts';

export const ConditionOperator = z.enum([
  'equals',
  'not_equals',
  'contains',
  'greater',
  'less',
  'exists',
]);
export type ConditionOperator = z.infer<typeof ConditionOperator>;

/** `{ "step": "2", "path": "/status", "is": "equals", "value": "green" }`; `exists` takes no value. */
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
  });
export type StepCondition = z.infer<typeof StepCondition>;
