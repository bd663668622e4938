// How far a plan is: one bar by status, and the same in words and numbers.
import { html, nothing, svg, type TemplateResult } from 'lit-html';
import type { StepCounts } from '#domain/plan/plan.ts';
import { type Share, shareCounts } from '../plan/statuses.ts';
import { describeStep } from '../plan/words.ts';

function drawShare({ status, from, width }: Share): TemplateResult {
  return svg`<rect class="bar-part" data-status=${status} x=${`${from}%`} y="0" width=${`${width}%`} height="8" />` as TemplateResult;
}

function drawLegend({ status, count }: Share): TemplateResult {
  const { symbol, words, tone } = describeStep(status);
  return html`<li data-tone=${tone}>
    <span class="badge-symbol" aria-hidden="true">${symbol}</span>${words} <strong>${count.toLocaleString()}</strong>
  </li>`;
}

export function drawProgress(counts: StepCounts, total: number, pace: string): TemplateResult {
  const shares = shareCounts(counts);
  const done = counts.succeeded + counts.skipped + counts.cancelled + counts.failed;
  return html`<div class="progress">
    <div class="progress-head">
      <strong>${counts.succeeded.toLocaleString()} of ${total.toLocaleString()} steps done</strong>
      ${pace === '' ? nothing : html`<span class="muted">${pace}</span>`}
    </div>
    <svg
      class="bar"
      role="progressbar"
      aria-label="Steps that have ended"
      aria-valuemin="0"
      aria-valuemax=${total}
      aria-valuenow=${done}
    >
      ${shares.map(drawShare)}
    </svg>
    <ul class="legend">${shares.map(drawLegend)}</ul>
  </div>`;
}
