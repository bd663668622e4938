// Editing a step of a waiting plan where it is shown: its form, what was changed and not sent yet, and the button that opens it.
import type { ShownStep } from '#domain/plan/call.ts';
import { showText } from '#domain/shown-text.ts';
import { html, nothing, type TemplateResult } from '../lit.ts';
import {
  changeEdit,
  editedFields,
  edits,
  enterEdit,
  leaveEdit,
  saveEdit,
  startEdit,
  suggestEdit,
} from '../live/edits.ts';
import type { Card, State } from '../live/state.ts';
import type { StepEdit, StepEditing } from '../plan/step-edit.ts';
import type { StepLabels } from '../plan/step-labels.ts';
import { drawControl } from './control.ts';
import { drawFields } from './operation-fields.ts';
import { drawIcon } from './parts.ts';

type Drawn = TemplateResult | typeof nothing;

/** In larger plans the order is changed in words. */
const mostChoices = 40;

function onKey(event: KeyboardEvent): void {
  const { key, ctrlKey, metaKey, currentTarget } = event;
  if (key === 'Escape') {
    event.preventDefault();
    leaveEdit();
  }
  if (key === 'Enter' && (ctrlKey || metaKey) && currentTarget instanceof HTMLFormElement)
    currentTarget.requestSubmit();
}

function drawWaits(card: Card, editing: StepEditing, names: StepLabels): Drawn {
  const { steps, plan } = card.facts;
  const others = steps.filter(({ id }) => id !== editing.step.id);
  if (others.length === 0 || steps.length > mostChoices || plan.total_steps > steps.length)
    return nothing;
  const toggle = (id: string) => {
    const rest = editing.after.filter((one) => one !== id);
    changeEdit({ after: editing.after.includes(id) ? rest : [...editing.after, id] });
  };
  return html`<fieldset class="operation-field">
    <legend class="bar-label">Waits for</legend>
    <span class="choice-row">
      ${others.map(
        ({ id }) => html`<label
          ><input type="checkbox" .checked=${editing.after.includes(id)} @change=${() => toggle(id)} />Step ${names.get(id) ?? id}</label
        >`,
      )}
    </span>
  </fieldset>`;
}

function drawForm(card: Card, editing: StepEditing, names: StepLabels): TemplateResult {
  const { label, entries, problems, values, counts, at } = editing;
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    saveEdit(card, names);
  };
  return html`<form class="step-edit operation-form" aria-label=${`Edit step ${label}`} @submit=${submit} @keydown=${onKey} novalidate>
    ${drawFields(editedFields(editing), {
      ...{ form: 'edit', entries, problems, values, sources: [] },
      enter: enterEdit,
      suggest: (field, typed) => void suggestEdit(field, typed),
      repeat: (list, count) => changeEdit({ counts: { ...counts, [list]: count } }),
    })}
    ${drawWaits(card, editing, names)}
    <div class="operation-field">
      <span class="bar-label">Not before <span class="muted">optional</span></span>
      ${drawControl(
        { type: 'moment', label: 'Not before', options: [] },
        { id: 'edit-at', value: at, invalid: false, note: (value) => changeEdit({ at: value }) },
      )}
    </div>
    <div class="bar-buttons">
      <button type="button" class="plain-button" @click=${leaveEdit}>Cancel</button>
      <button type="submit" class="primary">Save change</button>
    </div>
  </form>`;
}

function drawEdit(plan: string, edit: StepEdit, isOld: boolean): TemplateResult {
  return html`<div class="comment step-edited">
    <div>
      ${isOld ? html`<p class="muted">Not sent, from version ${edit.version}</p>` : nothing}
      <dl>
        ${edit.lines.map(
          ({ name, before, now }) => html`<div>
            <dt>${name}</dt>
            <dd><del>${showText(before)}</del> <ins>${showText(now)}</ins></dd>
          </div>`,
        )}
      </dl>
    </div>
    <div class="comment-buttons">
      <button class="quiet" aria-label=${`Remove the change of step ${edit.label}`} @click=${() => edits.remove(plan, edit)}>
        Remove
      </button>
    </div>
  </div>`;
}

/** A step's edits, its open form, and the button that opens it. */
export function drawStepEdit(
  state: State,
  card: Card,
  step: ShownStep,
  names: StepLabels,
): { edit: Drawn; editButton: Drawn } {
  const { plan } = card.facts;
  const may = card.view.buttons.some(
    ({ press: { action, step_id } }) =>
      action === 'propose_changes' || (action === 'retry_edited' && step_id === step.id),
  );
  if (!may) return { edit: nothing, editButton: nothing };
  const label = names.get(step.id) ?? String(step.position);
  const { editing } = state;
  if (editing?.plan === plan.id && editing.digest === plan.digest && editing.step.id === step.id)
    return { edit: drawForm(card, editing, names), editButton: nothing };
  const { current, older } = edits.split(card);
  const own = (some: StepEdit[]) => some.filter((one) => one.step === step.id);
  const edit = html`${own(current).map((one) => drawEdit(plan.id, one, false))}${own(older).map((one) => drawEdit(plan.id, one, true))}`;
  const editButton = html`<button
    class="quiet comment-button"
    data-edit=${step.id}
    aria-label=${`Edit step ${label}`}
    title="Edit"
    @click=${() => void startEdit(card, step, label)}
  >
    ${drawIcon('pen')}<span>Edit</span>
  </button>`;
  return { edit, editButton };
}
