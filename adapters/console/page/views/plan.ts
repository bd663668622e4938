// The right-hand column: a plan and its tabs.
import { html, nothing, type TemplateResult } from '../lit.ts';
import { openTab, showPane } from '../live/focus.ts';
import { type Card, type PlanView, type State, type Tab, tabs } from '../live/state.ts';
import { drawAudit } from './audit.ts';
import { drawChanges } from './changes.ts';
import { drawLazily } from './lazy.ts';
import { drawOverview } from './overview.ts';
import { drawBadge, drawLoading } from './parts.ts';
import { drawReviewBar } from './review-bar.ts';
import { drawSteps } from './steps.ts';
import { drawTrace } from './trace.ts';

const drawGraph = drawLazily(async () => (await import('./graph.ts')).drawGraph);
const drawTimeline = drawLazily(async () => (await import('./timeline.ts')).drawTimeline);

const names: Record<Tab, string> = {
  overview: 'Overview',
  graph: 'Graph',
  timeline: 'Timeline',
  steps: 'Steps',
  changes: 'Changes',
  trace: 'Trace',
  audit: 'Audit',
};

/** ARIA authoring practices, automatic activation. */
function onTabKey(event: KeyboardEvent, current: Tab): void {
  const index = tabs.indexOf(current);
  const target: Record<string, number> = {
    ArrowRight: (index + 1) % tabs.length,
    ArrowLeft: (index + tabs.length - 1) % tabs.length,
    Home: 0,
    End: tabs.length - 1,
  };
  const next = tabs[target[event.key] ?? -1];
  if (next === undefined) return;
  event.preventDefault();
  openTab(next);
  document.getElementById(`tab-${next}`)?.focus();
}

function drawTabs(view: PlanView): TemplateResult {
  return html`<div class="tabs" role="tablist" aria-label="About this plan">
    ${tabs.map(
      (tab) => html`<button
        role="tab"
        id=${`tab-${tab}`}
        data-name=${names[tab]}
        aria-selected=${view.tab === tab}
        aria-controls="tab-panel"
        tabindex=${view.tab === tab ? 0 : -1}
        @click=${() => openTab(tab)}
        @keydown=${(event: KeyboardEvent) => onTabKey(event, tab)}
      >
        ${names[tab]}
      </button>`,
    )}
  </div>`;
}

function drawTab(state: State, view: PlanView, card: Card): TemplateResult | typeof nothing {
  switch (view.tab) {
    case 'overview':
      return drawOverview(view, card);
    case 'graph':
      return drawGraph(view, card);
    case 'timeline':
      return drawTimeline(state, view, card);
    case 'steps':
      return drawSteps(state, view, card);
    case 'changes':
      return drawChanges(view, card);
    case 'trace':
      return drawTrace(view);
    case 'audit':
      return drawAudit(view, card);
    default:
      return view.tab satisfies never;
  }
}

function drawGuide(): TemplateResult {
  const steps = [
    ['Ask', 'Say what should be done.'],
    ['Read', 'The plan shows what it does, what changes and what it costs.'],
    ['Countersign', 'Approve exactly the plan you read. Only then does it run.'],
  ];
  return html`<section class="plan" aria-label="Plan">
    <ol class="guide">
      ${steps.map(([title, text]) => html`<li><strong>${title}</strong><span>${text}</span></li>`)}
    </ol>
  </section>`;
}

function drawHead({ view, facts }: Card): TemplateResult {
  const { symbol, words, tone } = view.state;
  return html`<header class="plan-head">
    <div class="plan-state">
      ${drawBadge(symbol, words, tone)}
      <span class="plan-id">${facts.plan.id}</span>
      <span class="plan-version">Version ${facts.plan.version}</span>
    </div>
    <h2>${view.title}</h2>
  </header>`;
}

export function drawPlan(state: State): TemplateResult {
  const view = state.plan;
  if (view === null) return drawGuide();
  const card = state.cards.get(view.id);
  const problem =
    view.problem === null
      ? nothing
      : html`<p class="plan-problem" role="alert">⚠ ${view.problem}</p>`;
  if (card === undefined) {
    return html`<section class="plan" aria-label="Plan">
      <div class="tab-panel" id="tab-panel" tabindex="-1">${view.problem === null ? drawLoading() : problem}</div>
      <button class="quiet back" @click=${() => showPane('conversation')}>Back to the conversation</button>
    </section>`;
  }
  return html`<section class="plan" aria-label=${`Plan ${view.id}`}>
    ${drawHead(card)} ${drawTabs(view)}
    <div class="tab-panel" id="tab-panel" role="tabpanel" aria-labelledby=${`tab-${view.tab}`} tabindex="0">
      ${problem} ${drawTab(state, view, card)}
    </div>
    ${drawReviewBar(state, view, card)}
  </section>`;
}
