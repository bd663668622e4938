// The audit: who did what, when, how and why.
import { offlinePlanner } from '#domain/plan/step-words.ts';
import type { AuditEntry } from '#domain/plan/views.ts';
import { showText } from '#domain/shown-text.ts';
import { html, nothing, type TemplateResult } from '../lit.ts';
import { openTab } from '../live/focus.ts';
import { toggleStep } from '../live/plans.ts';
import type { Card, PlanView } from '../live/state.ts';
import { describeAuditEntry } from '../plan/audit-words.ts';
import { formatMoment } from '../plan/format.ts';
import { callPerson } from '../plan/people.ts';
import { labelKnownSteps, type StepLabels } from '../plan/step-labels.ts';
import { drawEmpty, drawLoading } from './parts.ts';

function drawStepLink(step: string, names: StepLabels): TemplateResult {
  const open = () => {
    openTab('steps');
    void toggleStep(step);
  };
  return html`<button class="link" @click=${open}>Step ${names.get(step) ?? step}</button>`;
}

/** The reason, or at least the step. */
function drawReason({ reason, data }: AuditEntry, names: StepLabels): TemplateResult {
  const step = typeof data?.step === 'string' ? drawStepLink(data.step, names) : null;
  if (step === null && reason === null) return html`–`;
  const why = reason === null ? nothing : html`<span class="reason">${showText(reason)}</span>`;
  return html`${step ?? nothing}${step === null || reason === null ? nothing : ': '}${why}`;
}

function drawVersion(version: number | null): TemplateResult {
  if (version === null) return html`–`;
  if (version === 1) return html`1`;
  return html`<button class="link" aria-label=${`What changed in version ${version}`} @click=${() => openTab('changes')}>${version}</button>`;
}

function drawEntry(entry: AuditEntry, { facts }: Card, names: StepLabels): TemplateResult {
  const { at, actor, actor_kind: kind, via, version } = entry;
  return html`<tr>
    <td><time datetime=${at}>${formatMoment(at)}</time></td>
    <td><bdi>${callPerson(facts, actor)}</bdi>${kind === 'person' || actor === offlinePlanner ? '' : html` <span class="muted">${kind}</span>`}</td>
    <td class="wide">${describeAuditEntry(entry)}${via === 'system' ? nothing : html` <span class="muted">via ${via}</span>`}</td>
    <td class="number">${drawVersion(version)}</td>
    <td class="wide">${drawReason(entry, names)}</td>
  </tr>`;
}

export function drawAudit(view: PlanView, card: Card): TemplateResult {
  const { audit } = view;
  if (audit === null) return drawLoading();
  if (audit.length === 0)
    return drawEmpty('No entries', 'Decisions about this plan are listed here.');
  const names = labelKnownSteps(card, view);
  const heads = ['When', 'Who', 'What', 'Version', 'Reason'];
  return html`<div class="table-scroll" tabindex="0">
    <table class="table">
      <thead><tr>${heads.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
      <tbody>${audit.map((entry) => drawEntry(entry, card, names))}</tbody>
    </table>
  </div>`;
}
