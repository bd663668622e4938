// Steps: pages by status, details on demand.
import { html, nothing, type TemplateResult } from 'lit-html';
import { repeat } from 'lit-html/directives/repeat.js';
import type { Step, StepStatus } from '#contracts/plan.ts';
import { loadMoreSteps, showStepsWith, toggleStep } from '../live/plans.ts';
import type { PlanView, StepList } from '../live/state.ts';
import { shareCounts } from '../plan/statuses.ts';
import { describeStep } from '../plan/words.ts';
import { drawEmpty, drawIcon, drawLoading, drawStepBadge } from './parts.ts';
import { drawStepDetails } from './step-details.ts';

function drawFilter(view: PlanView, list: StepList): TemplateResult | typeof nothing {
  if (view.overview === null) return nothing;
  const option = (status: StepStatus | null, words: string, count: number) => html`<button
    class="chip"
    aria-pressed=${list.status === status}
    @click=${() => void showStepsWith(status)}
  >
    ${words} <span class="chip-count">${count.toLocaleString()}</span>
  </button>`;
  const shares = shareCounts(view.overview.counts);
  return html`<div class="chips" role="group" aria-label="Only steps that are">
    ${option(null, 'All', view.overview.total)}
    ${shares.map(({ status, count }) => option(status, `${describeStep(status).symbol} ${describeStep(status).words}`, count))}
  </div>`;
}

function drawStep(step: Step, open: boolean): TemplateResult {
  return html`<li class="step" data-open=${open}>
    <button class="step-head" aria-expanded=${open} @click=${() => void toggleStep(step.id)}>
      <span class="chevron">${drawIcon('chevron')}</span>
      <span class="step-number">${step.position}</span>
      <span class="step-what"
        >${step.description}
        <span class="step-operation"
          >${step.guarded ? drawIcon('shield') : nothing}${step.tool}_${step.operation}${step.target === null ? '' : ` → ${step.target}`}</span
        ></span
      >
      ${drawStepBadge(step.status)}
    </button>
    ${open ? drawStepDetails(step, false) : nothing}
  </li>`;
}

export function drawSteps(view: PlanView): TemplateResult {
  const { list } = view;
  if (list === null) return drawLoading();
  const rows =
    list.steps.length === 0
      ? drawEmpty('No such steps', 'No step of this plan is in this state now.')
      : html`<ol class="steps">
          ${repeat(
            list.steps,
            (step) => step.id,
            (step) => drawStep(step, list.open.has(step.id)),
          )}
        </ol>`;
  return html`${drawFilter(view, list)} ${rows}
  ${list.next_cursor === null ? nothing : html`<button class="quiet more" @click=${() => void loadMoreSteps()}>Show more</button>`}`;
}
