// Overview: goal, outcome, progress, changes, latest events.
import { evidenceLabel, viewEvidence } from '#cards/evidence.ts';
import { drawQuote, goalOf } from '#cards/plain.ts';
import { describeDone } from '#cards/times.ts';
import type { Section } from '#cards/view.ts';
import { dryRunButton } from '#cards/words.ts';
import type { StepCounts } from '#domain/plan/plan.ts';
import type { Change } from '#domain/plan/views.ts';
import { html, nothing, svg, type TemplateResult } from '../lit.ts';
import { openTab, showPane } from '../live/focus.ts';
import { runDry } from '../live/plans.ts';
import type { Card, PlanView } from '../live/state.ts';
import { afterDrawing } from '../live/store.ts';
import { formatMoment } from '../plan/format.ts';
import { type Share, shareCounts } from '../plan/statuses.ts';
import { labelKnownSteps, type StepLabels } from '../plan/step-labels.ts';
import { describeKind, describeStep } from '../plan/words.ts';
import { fillComposer } from './composer.ts';
import { drawDownloads, drawFacts } from './facts.ts';
import { drawArtifacts, drawFindings, drawRequests } from './found.ts';
import { drawLazily } from './lazy.ts';
import { drawLead, drawSection } from './parts.ts';

const drawDryRunResult = drawLazily(async () => (await import('./dry-run.ts')).drawDryRun);

/** Shows the address itself, so text can't lie. */
function drawLink(url: string, text: string): TemplateResult {
  return html`<a href=${url} target="_blank" rel="noopener noreferrer">${text}</a>`;
}

const compareButton = html`<button class="chip" @click=${() => openTab('changes')}>Compare</button>`;

function drawLines({ kind, label, lines, more }: Section): TemplateResult {
  return drawSection(
    label,
    html`<ul class="lines">
      ${lines.map(
        ({ lead, text, note, url, quotes }) =>
          html`<li>
            <span class="lead">${drawLead(lead)}</span><span>${url === null ? text : drawLink(url, text)}${note === '' ? nothing : html` · <span class="muted">${note}</span>`}${quotes.map((one) => html`<br />${drawQuote(one)}`)}</span>
          </li>`,
      )}
      ${more === '' ? nothing : html`<li class="muted">${more}</li>`}
    </ul>`,
    kind === 'changes' ? compareButton : nothing,
  );
}

/** Detailed in a section above. */
const shownAbove = new Set(['step_failed', 'failed']);

function drawEvent({ at, kind, step_id, detail }: Change, names: StepLabels): TemplateResult {
  const step = step_id === null ? undefined : (names.get(step_id) ?? step_id);
  return html`<li>
    <time datetime=${at}>${formatMoment(at)}</time>
    <span
      >${describeKind(kind, step)}${detail === undefined || shownAbove.has(kind) ? nothing : html` <span class="muted">${detail}</span>`}</span
    >
  </li>`;
}

function drawEvents(view: PlanView, names: StepLabels): TemplateResult {
  const events = view.overview?.recent_events ?? [];
  const newest = [...events].sort((a, b) => b.revision - a.revision);
  return html`<ol class="events">${newest.slice(0, 12).map((event) => drawEvent(event, names))}</ol>`;
}

/** Card sections shown here too. */
const shownHere = new Set<Section['kind']>([
  'changes',
  'effects',
  'steps',
  'partitions',
  'conflicts',
  'blocked',
  'running',
  'next',
  'failed',
  'done',
  'left',
  'risks',
  'terms',
  'times',
  'calendar',
  'options',
]);

function drawGoal({ facts }: Card): TemplateResult | typeof nothing {
  const [goal] = goalOf(facts);
  return goal === undefined ? nothing : html`<p class="sentence">${goal.words}</p>`;
}

function drawOutcome({ facts, view }: Card): TemplateResult | typeof nothing {
  const { status, revising, counts } = facts.plan;
  const planned = ['proposed', 'approved', 'executing'].includes(status) && !revising;
  const shown = status === 'failed' && counts.failed > 0;
  if (planned || shown || view.sentence === '') return nothing;
  return html`<p class="outcome">${view.sentence}</p>`;
}

/** Text from files and servers, so collapsed. */
function drawEvidence({ facts }: Card): TemplateResult | typeof nothing {
  const all = viewEvidence(facts);
  if (all.length === 0) return nothing;
  const items = all.map(
    ({ what, content }) =>
      html`<li><details><summary>${what}</summary><pre>${content}</pre></details></li>`,
  );
  return drawSection(evidenceLabel, html`<ul class="evidence">${items}</ul>`);
}

/** Begins the request in the composer. */
function writeAgain(id: string): void {
  showPane('conversation');
  afterDrawing(() => fillComposer(`run ${id} again with `));
}

/** For ended plans; waiting ones are changed. */
function drawAgain({ facts }: Card): TemplateResult | typeof nothing {
  const { id, status } = facts.plan;
  if (!['completed', 'failed', 'cancelled'].includes(status)) return nothing;
  return drawSection(
    'Reuse',
    html`<div class="downloads">
      <button class="download" @click=${() => writeAgain(id)}>
        <span>Run again…</span><span class="muted">with other values, as a new proposal</span>
      </button>
    </div>`,
  );
}

function drawDryRun({ dryRun, id }: PlanView, { facts }: Card): TemplateResult | typeof nothing {
  if (['completed', 'cancelled', 'rejected'].includes(facts.plan.status)) return nothing;
  return drawSection(
    'Try it',
    html`<div class="downloads">
        <button class="download" @click=${() => void runDry(id)}>
          <span>${dryRunButton}</span><span class="muted">what each step would do today; nothing is called</span>
        </button>
      </div>
      ${dryRun?.simulation.version !== facts.plan.version ? nothing : drawDryRunResult(dryRun.simulation, dryRun.at)}`,
  );
}

export function drawOverview(view: PlanView, card: Card): TemplateResult {
  const { facts, view: words } = card;
  const counts = view.overview?.counts ?? facts.plan.counts;
  const begun = facts.plan.execution_started_at !== null;
  // The outcome says so.
  const allDone = facts.plan.status === 'completed' && counts.succeeded === facts.plan.total_steps;
  const lines = words.sections.filter(({ kind }) => shownHere.has(kind)).map(drawLines);
  return html`
    ${drawGoal(card)} ${drawOutcome(card)}
    ${begun && !allDone ? drawProgress(counts, facts) : nothing}
    ${lines} ${drawFindings(view.findings)} ${drawEvidence(card)} ${drawDryRun(view, card)} ${drawRequests(view)} ${drawArtifacts(view, labelKnownSteps(card, view))}
    ${drawSection('Facts', drawFacts(card))} ${drawSection('Latest events', drawEvents(view, labelKnownSteps(card, view)))}
    ${drawSection('Files', drawDownloads(card.facts.plan))} ${drawAgain(card)}
  `;
}

function drawShare({ status, from, width }: Share): TemplateResult {
  return svg`<rect class="bar-part" data-status=${status} x=${`${from}%`} y="0" width=${`${width}%`} height="8" />` as TemplateResult;
}

function drawLegend({ status, count }: Share): TemplateResult {
  const { symbol, words, tone } = describeStep(status);
  return html`<li data-tone=${tone}>
    <span class="badge-symbol" aria-hidden="true">${symbol}</span>${words} <strong>${count.toLocaleString()}</strong>
  </li>`;
}

function drawProgress(counts: StepCounts, { plan, repeats }: Card['facts']): TemplateResult {
  const shares = shareCounts(counts);
  const done = counts.succeeded + counts.skipped + counts.cancelled + counts.failed;
  return html`<div class="progress">
    <p class="progress-head"><strong>${describeDone({ plan: { ...plan, counts }, repeats: repeats ?? [] })}</strong></p>
    ${repeats === undefined ? drawBar(shares, done, plan.total_steps) : nothing}
    <ul class="legend">${shares.map(drawLegend)}</ul>
  </div>`;
}

function drawBar(shares: Share[], done: number, total: number): TemplateResult {
  return html`<svg
    class="bar"
    role="progressbar"
    aria-label="Steps that have ended"
    aria-valuemin="0"
    aria-valuemax=${total}
    aria-valuenow=${done}
  >
    ${shares.map(drawShare)}
  </svg>`;
}
