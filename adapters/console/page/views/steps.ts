// Steps: pages by status, details on demand; before the approval, which of them are to run.
import { html, nothing, type TemplateResult } from 'lit-html';
import { repeat } from 'lit-html/directives/repeat.js';
import { headlineOf, shortenCall } from '#cards/calls.ts';
import { cleanLine } from '#cards/plain.ts';
import type { ShownStep } from '#contracts/call.ts';
import type { StepStatus } from '#contracts/plan.ts';
import { mayTakeOff, takenOffCard, toggleOff } from '../live/part.ts';
import { loadMoreSteps, showStepsWith, toggleStep } from '../live/plans.ts';
import { press } from '../live/press.ts';
import type { Card, PlanView, State, StepList } from '../live/state.ts';
import { countOf } from '../plan/format.ts';
import { shareCounts } from '../plan/statuses.ts';
import { nameSteps, type StepNames, sortByName } from '../plan/step-names.ts';
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

/** A box to take the step off, while the plan waits for an approval. */
function drawTick(
  step: ShownStep,
  name: string,
  part: Part | null,
): TemplateResult | typeof nothing {
  if (part === null) return nothing;
  return html`<input
    type="checkbox"
    class="tick"
    aria-label=${`Approve step ${name}: ${headlineOf(step.call)}`}
    .checked=${!part.off.has(step.id)}
    @change=${() => part.toggle(step.id)}
  />`;
}

function drawStep(
  step: ShownStep,
  names: StepNames,
  { open, workingDay }: { open: boolean; workingDay: number | null },
  part: Part | null,
): TemplateResult {
  const name = names.get(step.id) ?? String(step.position);
  return html`<li class="step" data-open=${open} data-off=${part?.off.has(step.id) ?? false}>
    <div class="step-row">
    ${drawTick(step, name, part)}
    <button class="step-head" aria-expanded=${open} @click=${() => void toggleStep(step.id)}>
      <span class="chevron">${drawIcon('chevron')}</span>
      <span class="step-number">${name}</span>
      <span class="step-what"
        >${shortenCall(step.call, 200).text}
        <span class="step-operation"
          >${step.guarded ? drawIcon('shield') : nothing}${step.tool}_${step.operation} · ${cleanLine(step.description)}</span
        ></span
      >
      ${drawStepBadge(step.status)}
    </button>
    </div>
    ${open ? drawStepDetails(step, names, { titled: false, workingDay }) : nothing}
  </li>`;
}

type Part = { off: ReadonlySet<string>; toggle: (stepId: string) => void };

/** Approves what is ticked, as the card's own button does. */
function drawPart(state: State, card: Card, { off }: Part): TemplateResult {
  const { id, version, digest, total_steps: total } = card.facts.plan;
  const ticked = () => press({ action: 'approve', plan_id: id, version, digest }, {});
  const words =
    off.size === 0
      ? 'Untick the steps that should not run. Approve is about the ticked ones, here and on the card.'
      : `${(total - off.size).toLocaleString()} of ${countOf(total, 'step')} are ticked. They must not depend on ${off.size === 1 ? 'the other one' : 'the others'}.`;
  const notice = state.notices.get(id);
  return html`<div class="part">
      <p class="muted">${words}</p>
      <button
        class="primary"
        ?disabled=${off.size === 0 || off.size >= total || state.pressing.has(id)}
        @click=${() => void ticked()}
      >
        Approve what is ticked
      </button>
    </div>
    ${notice === undefined ? nothing : html`<p class="notice" role="alert">${notice}</p>`}`;
}

export function drawSteps(state: State, view: PlanView, card: Card): TemplateResult {
  const { list } = view;
  if (list === null) return drawLoading();
  const names = nameSteps(card, view);
  const { working_day_minutes: workingDay } = card.facts;
  const part = mayTakeOff(card)
    ? {
        off: takenOffCard(state, card),
        toggle: (stepId: string) => toggleOff(card, stepId),
      }
    : null;
  const rows =
    list.steps.length === 0
      ? drawEmpty('No such steps', 'No step of this plan is in this state now.')
      : html`<ol class="steps">
          ${repeat(
            sortByName(list.steps, names),
            (step) => step.id,
            (step) => drawStep(step, names, { open: list.open.has(step.id), workingDay }, part),
          )}
        </ol>`;
  return html`${part === null ? drawFilter(view, list) : drawPart(state, card, part)} ${rows}
  ${list.next_cursor === null ? nothing : html`<button class="quiet more" @click=${() => void loadMoreSteps()}>Show more</button>`}`;
}
