// Steps by page; a review before approval.
import { repeat } from 'lit-html/directives/repeat.js';
import { shortenCall } from '#cards/calls.ts';
import type { ShownStep } from '#domain/plan/call.ts';
import type { StepStatus } from '#domain/plan/plan.ts';
import { quoteWords } from '#domain/shown-text.ts';
import { html, nothing, type TemplateResult } from '../lit.ts';
import { reviewedDigest } from '../live/part.ts';
import { loadMoreSteps, showStepsWith, toggleStep } from '../live/plans.ts';
import type { Card, PlanView, State, StepList } from '../live/state.ts';
import { shareCounts } from '../plan/statuses.ts';
import { labelKnownSteps, type StepLabels, sortByLabel } from '../plan/step-labels.ts';
import { describeStep } from '../plan/words.ts';
import { drawEmpty, drawIcon, drawLoading, drawStepBadge } from './parts.ts';
import { drawReview } from './review.ts';
import { drawSearch } from './search.ts';
import { drawStepBody } from './step-body.ts';
import { drawStepDetails } from './step-details.ts';

function drawFilter(view: PlanView, list: StepList): TemplateResult | typeof nothing {
  if (view.overview === null) return nothing;
  const option = (status: StepStatus | null, words: string, count: number) => html`<button
    class="chip"
    aria-pressed=${list.status === status}
    @click=${() => void showStepsWith({ status })}
  >
    ${words} <span class="chip-count">${count.toLocaleString()}</span>
  </button>`;
  const shares = shareCounts(view.overview.counts);
  return html`<div class="chips" role="group" aria-label="Only steps that are">
    ${option(null, 'All', view.overview.total)}
    ${shares.map(({ status, count }) => option(status, `${describeStep(status).symbol} ${describeStep(status).words}`, count))}
  </div>`;
}

function drawStep(
  step: ShownStep,
  names: StepLabels,
  {
    open,
    workingDay,
    body,
  }: { open: boolean; workingDay: number | null; body: TemplateResult | typeof nothing },
): TemplateResult {
  const name = names.get(step.id) ?? String(step.position);
  return html`<li class="step" data-open=${open}>
    <button class="step-head" aria-expanded=${open} @click=${() => void toggleStep(step.id)}>
      <span class="chevron">${drawIcon('chevron')}</span>
      <span class="step-number">${name}</span>
      <span class="step-what"
        >${shortenCall(step.call, 200).text}
        <span class="step-operation"
          >${step.guarded ? drawIcon('shield') : nothing}${step.tool}_${step.operation} · ${quoteWords(step.description, 2000)}</span
        ></span
      >
      ${drawStepBadge(step.status)}
    </button>
    ${open ? drawStepDetails(step, names, { titled: false, body, workingDay }) : nothing}
  </li>`;
}

export function drawSteps(state: State, view: PlanView, card: Card): TemplateResult {
  const { list } = view;
  const digest = reviewedDigest(card);
  // Another version's steps are not up for decision.
  if (list === null || list.reviewed !== digest) return drawLoading();
  const names = labelKnownSteps(card, view);
  if (digest !== null) return drawReview(state, view, list, card, names);
  const { working_day_minutes: workingDay } = card.facts;
  const rows =
    list.steps.length === 0
      ? list.words === ''
        ? drawEmpty('No such steps', 'No step of this plan is in this state now.')
        : nothing
      : html`<ol class="steps">
          ${repeat(
            sortByLabel(list.steps, names),
            (step) => step.id,
            (step) =>
              drawStep(step, names, {
                open: list.open.has(step.id),
                body: drawStepBody(state, step, names, undefined),
                workingDay,
              }),
          )}
        </ol>`;
  return html`${drawSearch(view, list)} ${drawFilter(view, list)} ${rows}
  ${list.next_cursor === null ? nothing : html`<button class="quiet more" @click=${() => void loadMoreSteps()}>Show more</button>`}`;
}
