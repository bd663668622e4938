// A step's form: fields, predecessors, earliest start.
import { buildWords as words } from '#cards/build-words.ts';
import { type Build, type BuiltStep, shownFields } from '#domain/plan/build.ts';
import type { Suggestion } from '#domain/plan/operation-form.ts';
import { html, nothing, type TemplateResult } from '../lit.ts';
import { type FormPlace, moveForm, repeatList, suggest } from '../live/step-form.ts';
import { drawControl, drawField } from './control.ts';
import { drawFields, type Source } from './operation-fields.ts';

type Drawn = TemplateResult | typeof nothing;

type StepFormOptions = {
  build: Build;
  step: BuiltStep;
  values: ReadonlyMap<string, Suggestion[]>;
  /** Possible predecessors; empty if fixed. */
  others: { id: string; label: string; gist: string }[];
  sources: Source[];
  name: string;
  head: Drawn;
  leave: { label: string; act(): void };
  submit: { label: string; act(): void };
};

function drawWaits(place: FormPlace, { step, others }: StepFormOptions): Drawn {
  if (others.length === 0) return nothing;
  const toggle = (id: string) => {
    const rest = step.after.filter((one) => one !== id);
    const after = step.after.includes(id) ? rest : [...step.after, id];
    moveForm(place, { kind: 'wait', after });
  };
  return html`<fieldset class="operation-field">
    <legend class="bar-label">${words.waits}</legend>
    <span class=${others.some(({ gist }) => gist !== '') ? 'choice-column' : 'choice-row'}>
      ${others.map(
        ({ id, label, gist }) => html`<label
          ><input type="checkbox" .checked=${step.after.includes(id)} @change=${() => toggle(id)} /><span
            >Step ${label}${gist === '' ? nothing : html` <span class="muted">${gist}</span>`}</span
          ></label
        >`,
      )}
    </span>
  </fieldset>`;
}

export function drawStepForm(place: FormPlace, options: StepFormOptions): TemplateResult {
  const { build, step, values, sources, name, head, leave, submit } = options;
  const fields = shownFields(step);
  const onSubmit = (event: SubmitEvent) => {
    event.preventDefault();
    submit.act();
  };
  const onKey = (event: KeyboardEvent) => {
    const { key, ctrlKey, metaKey, currentTarget } = event;
    if (key === 'Escape' && place === 'editing') {
      event.preventDefault();
      leave.act();
    }
    if (key === 'Enter' && (ctrlKey || metaKey) && currentTarget instanceof HTMLFormElement)
      currentTarget.requestSubmit();
  };
  return html`<form class="operation-form" data-place=${place} aria-label=${name} @submit=${onSubmit} @keydown=${onKey} novalidate>
    ${head}
    ${fields.length === 0 ? html`<p class="muted">${words.noFields}</p>` : nothing}
    ${drawFields(fields, {
      ...{ form: place, entries: step.entries, values, sources },
      problems: new Map(build.problems.map((one) => [one.name, one.message])),
      enter: (field, entry) => moveForm(place, { kind: 'fill', entries: { [field]: entry } }),
      suggest: (field, typed) => void suggest(place, field, typed),
      repeat: (list, count) => repeatList(place, list, count),
    })}
    ${drawWaits(place, options)}
    ${drawField(
      { label: words.at, optional: true, help: '' },
      drawControl(
        { type: 'moment', label: words.at, options: [] },
        {
          id: `${place}-at`,
          value: step.at,
          invalid: false,
          note: (at) => moveForm(place, { kind: 'wait', at }),
        },
      ),
    )}
    <div class="bar-buttons">
      <button type="button" class="plain-button" @click=${leave.act}>${leave.label}</button>
      <button type="submit" class="primary" data-adds>${submit.label}</button>
    </div>
  </form>`;
}
