// The review of a waiting plan, most dangerous calls first.
import { repeat } from 'lit-html/directives/repeat.js';
import { headlineOf, type Mark, marksOf, markWords } from '#cards/calls.ts';
import type { ShownStep } from '#domain/plan/call.ts';
import { type ReviewRank, reviewRank } from '#domain/plan/review-rank.ts';
import type { PartitionSummary } from '#domain/plan/views.ts';
import { quoteName, quoteWords } from '#domain/shown-text.ts';
import { countOf } from '#domain/words.ts';
import { html, nothing, type TemplateResult } from '../lit.ts';
import { describeAlso, takenOffCard, toggleOff } from '../live/part.ts';
import { loadMorePartitions, loadMoreSteps, showStepsWith, toggleStep } from '../live/plans.ts';
import type { Card, PlanView, State, StepList } from '../live/state.ts';
import type { StepLabels } from '../plan/step-labels.ts';
import { drawIcon } from './parts.ts';
import { drawSearch } from './search.ts';
import { drawStepBody } from './step-body.ts';
import { drawOlderComments, drawStepComment } from './step-comments.ts';
import { drawStepDetails, listLimits } from './step-details.ts';
import { drawStepEdit } from './step-edit.ts';

const headings: Record<ReviewRank, string> = {
  4: 'Guarded',
  3: 'Cannot be undone',
  2: 'External calls',
  1: 'Changes',
  0: 'Reads only',
};

type Row = {
  comment: TemplateResult | typeof nothing;
  commentButton: TemplateResult | typeof nothing;
  edit: TemplateResult | typeof nothing;
  editButton: TemplateResult | typeof nothing;
  body: TemplateResult | typeof nothing;
  names: StepLabels;
  open: boolean;
  off: boolean;
  /** Steps that followed its tick. */
  also: string;
  toggle: () => void;
  workingDay: number | null;
};

const rankOf = ({ call, guarded }: ShownStep): ReviewRank => reviewRank(call, guarded);

/** For all steps below the heading. */
const markOfHeading: Partial<Record<ReviewRank, Mark>> = { 3: 'irreversible', 2: 'external' };

function drawMark(mark: Mark): TemplateResult {
  return html`<span class="mark" data-mark=${mark}>${markWords[mark]}</span>`;
}

/** Only plain reads fold. */
function drawRow(
  step: ShownStep,
  {
    names,
    open,
    off,
    also,
    toggle,
    workingDay,
    comment,
    commentButton,
    edit,
    editButton,
    body,
  }: Row,
): TemplateResult {
  const name = names.get(step.id) ?? String(step.position);
  const headline = headlineOf(step.call, new Date().toISOString());
  const rank = rankOf(step);
  const reads = rank === 0;
  const marks = marksOf(step.call).filter((mark) => mark !== markOfHeading[rank]);
  const limits = listLimits(step, names);
  return html`<li class="step" data-open=${open} data-off=${off}>
    <div class="step-row">
      <input
        type="checkbox"
        class="tick"
        aria-label=${`Approve step ${name}: ${headlineOf(step.call)}`}
        .checked=${!off}
        @change=${toggle}
      />
      <button class="step-head" aria-expanded=${open} @click=${() => void toggleStep(step.id)}>
        <span class="step-number">${name}</span>
        <span class="step-what"
          >${step.guarded ? drawIcon('shield') : nothing}<span class="headline">${headline}</span>
          ${marks.map(drawMark)}
          ${limits.length === 0 ? nothing : html`<span class="limits">${limits.join(' · ')}</span>`}
        </span>
        <span class="chevron">${drawIcon('chevron')}</span>
      </button>
      ${editButton} ${commentButton}
    </div>
    ${also === '' ? nothing : html`<p class="step-also" role="status">${also}</p>`}
    ${reads && !open ? nothing : html`<div class="effect">${body}</div>`}
    ${edit} ${comment}
    ${open ? html`<p class="step-operation">${step.tool}_${step.operation} · ${quoteWords(step.description, 2000)}</p>` : nothing}
    ${open ? drawStepDetails(step, names, { titled: false, body: nothing, workingDay }) : nothing}
  </li>`;
}

function drawIntro(list: StepList, { facts }: Card): TemplateResult {
  const { total_steps: total } = facts.plan;
  const filtered = list.partition !== null || list.words !== '';
  const whole = list.next_cursor === null && !filtered;
  const shown = filtered
    ? `${countOf(list.steps.length, 'step')}${list.next_cursor === null ? '' : ' so far'} of ${countOf(total, 'step')}`
    : whole
      ? countOf(total, 'step')
      : `The first ${list.steps.length.toLocaleString()} of ${countOf(total, 'step')}`;
  const isRanked = !whole || new Set(list.steps.map(rankOf)).size > 1;
  return html`<p class="review-intro">
    <strong>${shown}${isRanked ? ', most dangerous first' : ''}.</strong>
    <span class="muted">${whole ? '' : 'Approve covers the rest too. '}Uncheck steps you don’t want.</span>
  </p>`;
}

/** `12 steps · 2 guarded · 10 change something` */
function describeParts({ steps, ranks }: PartitionSummary): string {
  const parts = ranks.flatMap(({ rank, steps: some }) => {
    const heading = headingOf(rank);
    return heading === null ? [] : [`${some.toLocaleString()} ${heading.toLowerCase()}`];
  });
  return [countOf(steps, 'step'), ...parts].join(' · ');
}

const headingOf = (rank: number): string | null =>
  rank === 4 || rank === 3 || rank === 2 || rank === 1 ? headings[rank] : null;

/** A press lists a partition's steps. */
function drawPartitions({ partitions }: PlanView, list: StepList): TemplateResult | typeof nothing {
  if (partitions === null || partitions.partitions.length === 0) return nothing;
  return html`<section class="partitions">
    <h3>Parts</h3>
    <ul>
      ${partitions.partitions.map(
        (one) => html`<li>
          <button
            class="partition"
            aria-pressed=${list.partition === one.name}
            @click=${() => void showStepsWith({ partition: list.partition === one.name ? null : one.name })}
          >
            <strong>${quoteName(one.name, 200)}</strong> <span class="muted">${describeParts(one)}</span>
            ${one.sample === null ? nothing : html`<span class="partition-sample">${headlineOf(one.sample.call)}</span>`}
          </button>
        </li>`,
      )}
    </ul>
    ${partitions.next_cursor === null ? nothing : html`<button class="quiet more" @click=${() => void loadMorePartitions()}>More parts</button>`}
  </section>`;
}

export function drawReview(
  state: State,
  view: PlanView,
  list: StepList,
  card: Card,
  names: StepLabels,
): TemplateResult {
  const off = takenOffCard(state, card);
  const { working_day_minutes: workingDay } = card.facts;
  const groups = [...Map.groupBy(list.steps, rankOf)].toSorted(([a], [b]) => b - a);
  const row = (step: ShownStep) =>
    drawRow(step, {
      names,
      open: list.open.has(step.id),
      body: drawStepBody(state, step, names, list.previews.get(step.id)),
      ...drawStepEdit(state, card, step, names),
      ...drawStepComment(state, card, step, names.get(step.id) ?? String(step.position)),
      off: off.has(step.id),
      also: describeAlso(state, card, step.id, (id) => names.get(id) ?? id),
      toggle: () => void toggleOff(card, step.id),
      workingDay,
    });
  return html`${drawIntro(list, card)} ${drawOlderComments(card)} ${drawSearch(view, list)} ${list.words === '' ? drawPartitions(view, list) : nothing}
  ${groups.map(
    ([rank, steps]) => html`<section class="rank" data-rank=${rank}>
      <h3>${headings[rank]} <span class="chip-count">${steps.length.toLocaleString()}</span></h3>
      <ol class="steps">
        ${repeat(steps, ({ id }) => id, row)}
      </ol>
    </section>`,
  )}
  ${list.next_cursor === null ? nothing : html`<button class="quiet more" @click=${() => void loadMoreSteps()}>Show more</button>`}`;
}
