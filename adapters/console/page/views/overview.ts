// Overview: in one sentence what will be true, what changes, how far it is, what waits, and the latest events.
import { html, nothing, svg, type TemplateResult } from 'lit-html';
import { viewEvidence } from '#cards/evidence.ts';
import type { Section } from '#cards/view.ts';
import type { StepCounts } from '#domain/plan/plan.ts';
import type { Change } from '#domain/plan/views.ts';
import type { Card, PlanView, State } from '../live/state.ts';
import { formatMoment } from '../plan/format.ts';
import { type Share, shareCounts } from '../plan/statuses.ts';
import { nameSteps, type StepNames } from '../plan/step-names.ts';
import { describeKind, describeStep } from '../plan/words.ts';
import { drawCard } from './card.ts';
import { drawDownloads, drawFacts } from './facts.ts';
import { drawArtifacts, drawFindings, drawRequests } from './found.ts';
import { drawSection } from './parts.ts';

function drawLines({ label, lines, more }: Section): TemplateResult {
  return drawSection(
    label,
    html`<ul class="lines">
      ${lines.map(
        ({ lead, text, note }) =>
          html`<li>
            <span class="lead">${lead}</span><span>${text}${note === '' ? nothing : html` · <span class="muted">${note}</span>`}</span>
          </li>`,
      )}
      ${more === '' ? nothing : html`<li class="muted">${more}</li>`}
    </ul>`,
  );
}

function drawEvent({ at, kind, step_id, detail }: Change, names: StepNames): TemplateResult {
  const step = step_id === null ? undefined : (names.get(step_id) ?? step_id);
  return html`<li>
    <time datetime=${at}>${formatMoment(at)}</time>
    <span
      >${describeKind(kind, step)}${detail === undefined ? nothing : html` <span class="muted">${detail}</span>`}</span
    >
  </li>`;
}

function drawEvents(view: PlanView, names: StepNames): TemplateResult {
  const events = view.overview?.recent_events ?? [];
  const newest = [...events].sort((a, b) => b.revision - a.revision);
  return html`<ol class="events">${newest.slice(0, 12).map((event) => drawEvent(event, names))}</ol>`;
}

/** Sections of the card that are said here too; the others have a part or a tab of their own. */
const shownHere = new Set<Section['kind']>([
  'effects',
  'steps',
  'blocked',
  'running',
  'next',
  'failed',
  'done',
  'left',
  'risks',
  'terms',
  'options',
]);

/** A card of another conversation can be decided about here; in its own it stands on the left. */
function drawOwnCard(state: State, { facts: { plan } }: Card): TemplateResult | typeof nothing {
  const spoken = state.messages.some((message) => message.plan_id === plan.id);
  return spoken || plan.conversation === state.conversation ? nothing : drawCard(state, plan.id);
}

function drawWaiting({ view: words }: Card): TemplateResult | typeof nothing {
  if (!words.state.open) return nothing;
  const [ask] = words.asks;
  return html`<div class="waiting" data-tone=${words.state.tone}>
    <strong>${ask?.label ?? words.state.words}</strong>
    <span
      >${ask?.text ?? (words.status === 'proposed' ? 'Nothing has run. Read the plan, then decide on the card.' : 'Decide on the card.')}</span
    >
  </div>`;
}

/** What the plan is based on. Its content is in the words of files and servers: text, opened by those who want to see it. */
function drawEvidence({ facts }: Card): TemplateResult | typeof nothing {
  const all = viewEvidence(facts);
  if (all.length === 0) return nothing;
  const items = all.map(
    ({ what, content }) =>
      html`<li><details><summary>${what}</summary><pre>${content}</pre></details></li>`,
  );
  return drawSection('Based on', html`<ul class="evidence">${items}</ul>`);
}

export function drawOverview(state: State, view: PlanView, card: Card): TemplateResult {
  const { facts, view: words } = card;
  const counts = view.overview?.counts ?? facts.plan.counts;
  const begun = facts.plan.execution_started_at !== null;
  const said = words.sections.filter(({ kind }) => shownHere.has(kind)).map(drawLines);
  return html`
    ${words.sentence === '' ? nothing : html`<p class="sentence">${words.sentence}</p>`}
    ${drawWaiting(card)} ${drawOwnCard(state, card)}
    ${begun ? drawProgress(counts, facts.plan.total_steps, words.progress?.pace ?? '') : nothing}
    ${said} ${drawFindings(view.findings)} ${drawEvidence(card)} ${drawRequests(view)} ${drawArtifacts(view)}
    ${drawSection('Facts', drawFacts(card))} ${drawSection('Latest events', drawEvents(view, nameSteps(card, view)))}
    ${drawSection('Files', drawDownloads(view.id))}
  `;
}

// How far the plan is: one bar by status, and the same in words and numbers.

function drawShare({ status, from, width }: Share): TemplateResult {
  return svg`<rect class="bar-part" data-status=${status} x=${`${from}%`} y="0" width=${`${width}%`} height="8" />` as TemplateResult;
}

function drawLegend({ status, count }: Share): TemplateResult {
  const { symbol, words, tone } = describeStep(status);
  return html`<li data-tone=${tone}>
    <span class="badge-symbol" aria-hidden="true">${symbol}</span>${words} <strong>${count.toLocaleString()}</strong>
  </li>`;
}

function drawProgress(counts: StepCounts, total: number, pace: string): TemplateResult {
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
