// The input of a form field.
import type { FormField } from '#domain/plan/form.ts';
import { html, nothing, type TemplateResult } from '../lit.ts';

export type Input = {
  id: string;
  value: string;
  invalid: boolean;
  note(value: string): void;
  /** Default: a card's limit. */
  most?: number;
  /** ID of the message on what is wrong. */
  says?: string;
  /** ID of a list of choices. */
  list?: string;
  begun?: () => void;
};

export const onInput =
  ({ note }: Pick<Input, 'note'>) =>
  ({ target }: Event): void => {
    if (
      target instanceof HTMLInputElement ||
      target instanceof HTMLTextAreaElement ||
      target instanceof HTMLSelectElement
    )
      note(target.value);
  };

type Labelled = {
  label: string;
  optional: boolean;
  help: string;
  wrong?: string | undefined;
  says?: string;
  name?: string;
  extra?: TemplateResult | typeof nothing;
  /** Review bar or operation form. */
  place?: 'bar' | 'operation';
};

/** Label, meaning, control, problem. */
export function drawField(
  { label, optional, help, wrong, says, name, extra = nothing, place = 'operation' }: Labelled,
  control: TemplateResult,
): TemplateResult {
  const title = html`<span class="bar-label">${label}${optional ? html` <span class="muted">optional</span>` : nothing}</span>`;
  return html`<div class=${`${place}-field`} data-field=${name ?? nothing}>
    ${extra === nothing ? title : html`<div class="field-head">${title} ${extra}</div>`}
    ${help === '' ? nothing : html`<span class=${place === 'bar' ? 'muted' : 'field-help'}>${help}</span>`}
    ${control}
    ${wrong === undefined ? nothing : html`<span class="field-missing" role="alert" id=${says ?? nothing}>${wrong}</span>`}
  </div>`;
}

const lengths = { text: 1000, multiline: 4000 } as const;
const inputTypes = {
  text: 'text',
  number: 'text',
  date: 'date',
  moment: 'datetime-local',
} as const;

export function drawControl(
  {
    type,
    label,
    options,
  }: Pick<FormField, 'options' | 'label'> & {
    type: FormField['type'] | 'moment';
  },
  input: Input,
): TemplateResult {
  const { value, invalid, id, most, list, says = nothing, begun = nothing } = input;
  switch (type) {
    case 'multiline':
      return html`<textarea
        rows="3"
        maxlength=${most ?? lengths.multiline}
        aria-label=${label}
        aria-invalid=${invalid}
        aria-describedby=${says}
        .value=${value}
        @input=${onInput(input)}
      ></textarea>`;
    case 'choice':
      return html`<select aria-label=${label} aria-invalid=${invalid} aria-describedby=${says} @change=${onInput(input)}>
        <option value="" ?selected=${value === ''}>Choose …</option>
        ${options.map((one) => html`<option value=${one.value} ?selected=${value === one.value}>${one.label}</option>`)}
      </select>`;
    case 'boolean':
      return html`<span class="choice-row" role="radiogroup" aria-label=${label} aria-invalid=${invalid} aria-describedby=${says}>
        ${['true', 'false'].map(
          (one) => html`<label
            ><input type="radio" name=${id} value=${one} .checked=${value === one} @change=${onInput(input)} />${one === 'true' ? 'Yes' : 'No'}</label
          >`,
        )}
      </span>`;
    case 'text':
    case 'number':
    case 'date':
    case 'moment':
      return html`<input
        type=${inputTypes[type]}
        inputmode=${type === 'number' ? 'decimal' : 'text'}
        maxlength=${most ?? lengths.text}
        aria-label=${label}
        aria-invalid=${invalid}
        aria-describedby=${says}
        list=${list ?? nothing}
        autocomplete="off"
        .value=${value}
        @focus=${begun}
        @input=${onInput(input)}
      />`;
    default:
      return type satisfies never;
  }
}
