// A step's unsent edits and form button.
import type { ShownStep } from '#domain/plan/call.ts';
import { showText } from '#domain/shown-text.ts';
import { html, nothing, type TemplateResult } from '../lit.ts';
import { describeError } from '../live/api.ts';
import { edits } from '../live/edits.ts';
import type { Card, State } from '../live/state.ts';
import { change } from '../live/store.ts';
import type { StepEdit } from '../plan/step-edit.ts';
import type { StepLabels } from '../plan/step-labels.ts';
import { drawIcon } from './parts.ts';
import type { drawStepEditForm } from './step-edit-form.ts';

type Drawn = TemplateResult | typeof nothing;

let drawForm: typeof drawStepEditForm | null = null;

export async function openStepEdit(card: Card, step: ShownStep, label: string): Promise<void> {
  try {
    const [view, { startEdit }] = await Promise.all([
      import('./step-edit-form.ts'),
      import('../live/step-editing.ts'),
    ]);
    drawForm = view.drawStepEditForm;
    await startEdit(card, step, label);
  } catch (error) {
    change((s) => s.notices.set(card.facts.plan.id, describeError(error)));
  }
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
    return { edit: drawForm?.(card, editing, names) ?? nothing, editButton: nothing };
  const { current, older } = edits.split(card);
  const own = (some: StepEdit[]) => some.filter((one) => one.step === step.id);
  const edit = html`${own(current).map((one) => drawEdit(plan.id, one, false))}${own(older).map((one) => drawEdit(plan.id, one, true))}`;
  const editButton = html`<button
    class="quiet comment-button"
    data-edit=${step.id}
    aria-label=${`Edit step ${label}`}
    title="Edit"
    @click=${() => void openStepEdit(card, step, label)}
  >
    ${drawIcon('pen')}<span>Edit</span>
  </button>`;
  return { edit, editButton };
}
