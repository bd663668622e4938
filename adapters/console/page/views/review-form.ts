// A form or confirmation in the review bar.
import { fieldInputId, inputIdOf } from '#cards/input-ids.ts';
import type { Button, Field } from '#cards/view.ts';
import { html, nothing, type TemplateResult } from '../lit.ts';
import { closeForm, noteTyped, submit, typedIn } from '../live/forms.ts';
import { inputKey, type State } from '../live/state.ts';
import { drawControl, drawField, type Input, onInput } from './control.ts';
import { drawShields } from './parts.ts';

function drawInput(field: Field, input: Input): TemplateResult {
  const { label, help, required, missing, type } = field;
  const wrong = input.invalid ? missing : undefined;
  const optional = !required && type !== 'boolean';
  return drawField({ label, optional, help, wrong, place: 'bar' }, drawControl(field, input));
}

/** Escape leaves, Ctrl or ⌘ with Enter sends. */
function onKey(event: KeyboardEvent): void {
  if (event.key === 'Escape') {
    event.preventDefault();
    closeForm();
  }
  if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
    const { currentTarget } = event;
    if (currentTarget instanceof HTMLFormElement) currentTarget.requestSubmit();
  }
}

export type FormOptions = {
  before?: TemplateResult | typeof nothing;
  /** Opened by a button. */
  closes: boolean;
  label?: string;
  extra?: TemplateResult | typeof nothing;
};

export function drawForm(
  state: State,
  plan: string,
  button: Button,
  { before = nothing, closes, label: called, extra = nothing }: FormOptions,
): TemplateResult {
  const { form, confirm, press, label } = button;
  const input = (id: string): Input => ({
    id,
    note: (value) => noteTyped(plan, id, value),
    value: typedIn(state, plan, id),
    invalid: state.missing.has(inputKey(plan, id)),
  });
  const text = input(inputIdOf(press));
  const send = (event: SubmitEvent) => {
    event.preventDefault();
    void submit(plan, button);
  };
  return html`<form class="bar-form" aria-label=${label} @submit=${send} @keydown=${closes ? onKey : nothing}>
    ${before} ${confirm === null ? nothing : html`<p>${drawShields(confirm.text)}</p>`}
    ${(form?.fields ?? []).map((field) => drawInput(field, input(fieldInputId(press.step_id ?? '', field.name))))}
    ${
      form === null || form.label === ''
        ? nothing
        : html`<div class="bar-field">
            <label class="bar-label" for=${text.id}>${called ?? form.label}</label>
            <textarea
              id=${text.id}
              rows="3"
              maxlength="20000"
              placeholder=${form.placeholder}
              aria-invalid=${text.invalid}
              .value=${text.value}
              @input=${onInput(text)}
            ></textarea>
            ${text.invalid ? html`<span class="field-missing" role="alert">${form.missing}</span>` : nothing}
          </div>`
    }
    <div class="bar-buttons">
      ${closes ? html`<button type="button" class="plain-button" @click=${closeForm}>Back</button>` : nothing} ${extra}
      <button type="submit" class="primary" aria-disabled=${state.pressing.has(plan)}>
        ${confirm?.submit ?? form?.submit ?? label}
      </button>
    </div>
  </form>`;
}
