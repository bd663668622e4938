// A form's fields as inputs of an Adaptive Card. The client checks what it can; the server checks everything again.
import { fieldInputId } from './input-ids.ts';
import type { Field } from './view.ts';

const longest = { text: 1000, multiline: 4000 } as const;

type Element = { [key: string]: unknown };

/** Where the input itself has no room for help, it stands behind the label. */
function labelOf({ label, help, required, type }: Field): string {
  const shown = type === 'date' || type === 'boolean' ? help : '';
  const note = [shown, required || type === 'boolean' ? '' : 'optional'].filter(
    (part) => part !== '',
  );
  return note.length === 0 ? label : `${label} (${note.join(', ')})`;
}

/** One input; its id says which field of which step it is. */
export function drawInput(field: Field, stepId: string): Element {
  const { type, help, required, missing, options, min, max } = field;
  const common = {
    id: fieldInputId(stepId, field.name),
    label: labelOf(field),
    spacing: 'medium',
    isRequired: required,
    errorMessage: missing,
  };
  const placeholder = help === '' ? null : help;
  switch (type) {
    case 'text':
    case 'multiline':
      return {
        type: 'Input.Text',
        ...common,
        placeholder,
        isMultiline: type === 'multiline',
        maxLength: longest[type],
      };
    case 'number':
      return { type: 'Input.Number', ...common, placeholder, min, max };
    case 'date':
      return { type: 'Input.Date', ...common };
    case 'choice':
      return {
        type: 'Input.ChoiceSet',
        ...common,
        style: 'compact',
        placeholder: placeholder ?? 'Choose',
        choices: options.map(({ label, value }) => ({ title: label, value })),
      };
    case 'boolean': {
      // Required would mean "must be ticked" there; not ticked is an answer too.
      const { isRequired: _, errorMessage: __, ...rest } = common;
      return {
        type: 'Input.Toggle',
        ...rest,
        title: 'Yes',
        value: 'false',
        valueOn: 'true',
        valueOff: 'false',
      };
    }
    default:
      return type satisfies never;
  }
}
