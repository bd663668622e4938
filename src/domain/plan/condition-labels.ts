// Labels of condition values, from forms.
import type { Json, JsonObject } from '../text.ts';
import type { ShownCondition, StepCondition } from './condition.ts';
import { fieldsOf } from './form.ts';

export type AskingStep = { id: string; args: JsonObject };

function labelOf({ path, value }: StepCondition, form: Json | undefined): string | null {
  const field = fieldsOf(form).find(({ name }) => path === `/fields/${name}`);
  const option = field?.options.find((one) => one.value === value);
  return option === undefined || option.label === option.value ? null : option.label;
}

/** @param asking includes steps that conditions refer to */
export function labelConditions(
  when: StepCondition[],
  asking: readonly AskingStep[],
): ShownCondition[] {
  return when.map((condition) => {
    const step = asking.find(({ id }) => id === condition.step);
    const label = step === undefined ? null : labelOf(condition, step.args.form);
    return label === null ? condition : { ...condition, label };
  });
}
