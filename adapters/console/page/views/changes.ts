// Changes between two versions of the plan.
import { shortenCall } from '#cards/calls.ts';
import {
  describeCounts,
  describeCut,
  describeDeltas,
  describeFields,
} from '#cards/version-words.ts';
import type { ComparedStep, VersionDiff } from '#domain/plan/views.ts';
import { quoteWords } from '#domain/shown-text.ts';
import { countOf } from '#domain/words.ts';
import { html, nothing, type TemplateResult } from '../lit.ts';
import { compareVersions, showSideBySide } from '../live/plans.ts';
import type { Card, PlanView } from '../live/state.ts';
import { formatTime, zone } from '../plan/format.ts';
import { callPerson } from '../plan/people.ts';
import { labelKnownSteps, type StepLabels } from '../plan/step-labels.ts';
import { drawEmpty, drawLoading, drawSection } from './parts.ts';
import { drawSideBySide } from './versions.ts';

type Drawn = TemplateResult | typeof nothing;

const drawNote = (text: string): TemplateResult => html`<span class="muted">${text}</span>`;

function drawChange(
  sign: string,
  words: string,
  description: string,
  note: Drawn = nothing,
): Drawn {
  return html`<li data-sign=${sign}>
    <span class="sign" aria-hidden="true">${sign}</span>
    <span><span class="visually-hidden">${words}: </span>${description} ${note}</span>
  </li>`;
}

function drawFields(step: VersionDiff['changed'][number], now: string): Drawn {
  if (step.changes.length === 0) return nothing;
  return html`<ul class="fields">
    ${describeFields(step, now, zone()).map((text) => html`<li>${text}</li>`)}
  </ul>`;
}

function drawDeltas(diff: VersionDiff, now: string): TemplateResult {
  const words = [describeCounts(diff), ...describeDeltas(diff, now, zone())];
  const { from, to } = diff.total;
  const size = from === to ? [] : [`${countOf(to, 'step')} instead of ${from.toLocaleString()}`];
  return html`<p class="deltas">${[...words, ...size].filter((text) => text !== '').join(' · ')}</p>`;
}

function drawDiff(diff: VersionDiff, side: boolean, labels: StepLabels): TemplateResult {
  const now = new Date().toISOString();
  const { added, removed, changed, risks_added, risks_removed } = diff;
  const called = ({ id, call }: ComparedStep) =>
    [labels.get(id) ?? '', shortenCall(call, 200).text].join(' ').trim();
  const items = [
    ...added.map((step) => drawChange('+', 'Added', called(step))),
    ...removed.map(({ call }) => drawChange('−', 'Removed', shortenCall(call, 200).text)),
    ...changed.map((step) => drawChange('~', 'Changed', called(step), drawFields(step, now))),
    ...risks_added.map((text) => drawChange('+', 'New risk', text, drawNote('risk'))),
    ...risks_removed.map((text) => drawChange('−', 'Risk gone', text, drawNote('risk'))),
  ];
  if (items.length === 0 && describeDeltas(diff, now, zone()).length === 0) {
    return drawEmpty('No difference', 'These versions are the same.');
  }
  const cut = describeCut(diff).map((text) => html`<p class="muted">${text}</p>`);
  return html`${drawDeltas(diff, now)}
    ${side ? drawSideBySide(diff) : html`<ul class="diff">${items}</ul>`}
    ${cut}`;
}

function drawChoice(
  { a, b }: { a: number; b: number },
  latest: number,
): TemplateResult | typeof nothing {
  if (latest < 3) return nothing;
  const pairs = Array.from({ length: latest - 1 }, (_, index) => [index + 1, index + 2] as const);
  const all = [...pairs, [1, latest] as const];
  return html`<div class="chips" role="group" aria-label="Which versions">
    ${all.map(
      ([
        from,
        to,
      ]) => html`<button class="chip" aria-pressed=${a === from && b === to} @click=${() => void compareVersions(from, to)}>
        ${from} → ${to}
      </button>`,
    )}
  </div>`;
}

function drawWays(side: boolean): TemplateResult {
  const way = (words: string, is: boolean) =>
    html`<button class="chip" aria-pressed=${side === is} @click=${() => showSideBySide(is)}>${words}</button>`;
  return html`<div class="chips" role="group" aria-label="How to compare">
    ${way('List', false)} ${way('Side by side', true)}
  </div>`;
}

function drawFeedback({ facts }: Card): TemplateResult | typeof nothing {
  const { rejection_history: history } = facts.plan;
  if (history.length === 0) return nothing;
  return drawSection(
    'Feedback',
    html`<ul class="feedback">
      ${history.map(
        ({ version, by, at, feedback }) => html`<li>
          <p>${feedback === null ? 'Rejected without a reason.' : quoteWords(feedback, 20_000)}</p>
          <span class="muted">${callPerson(facts, by)} to version ${version}, ${formatTime(at)}</span>
        </li>`,
      )}
    </ul>`,
  );
}

export function drawChanges(view: PlanView, card: Card): TemplateResult {
  const { version } = card.facts.plan;
  if (version < 2) {
    return html`${drawEmpty('One version so far', 'Propose changes to compare versions here.')}
    ${drawFeedback(card)}`;
  }
  if (view.versions === null) return drawLoading();
  const { a, b, diff } = view.versions;
  return html`${drawChoice(view.versions, version)}
  ${drawSection(`From version ${a} to ${b}`, drawDiff(diff, view.side, labelKnownSteps(card, view)), drawWays(view.side))} ${drawFeedback(card)}`;
}
