// A message's attachment: plan reference or session card.
import { cutText } from '#domain/shown-text.ts';
import type { SessionPressedEvent } from '../cards/session-card.ts';
import { html, nothing, type TemplateResult } from '../lit.ts';
import { openPlan, showPane } from '../live/focus.ts';
import { pressSession } from '../live/press.ts';
import type { Card, SessionCard, State } from '../live/state.ts';
import { drawBadge, drawLoading } from './parts.ts';

const maxWaiting = 120;

function drawWaiting({ view }: Card): TemplateResult | typeof nothing {
  const [ask] = view.asks;
  if (ask === undefined) return nothing;
  return html`<p class="ref-waiting"><strong>${ask.label}</strong> ${cutText(ask.text, maxWaiting)}</p>`;
}

function drawSummary(card: Card): TemplateResult {
  const { view, facts } = card;
  const { symbol, words, tone } = view.state;
  return html`<div class="ref-state">
      ${drawBadge(symbol, words, tone)}
      ${facts.plan.version === 1 ? nothing : html`<span class="muted">version ${facts.plan.version}</span>`}
      ${view.progress === null ? nothing : html`<span class="ref-progress">${view.progress.text}</span>`}
    </div>
    <p class="ref-title">${view.title}</p>
    ${drawWaiting(card)}`;
}

export function drawReference(state: State, id: string): TemplateResult {
  const card = state.cards.get(id);
  const shown = state.plan?.id === id;
  const open = () => {
    openPlan(id);
    showPane('plan');
  };
  if (card === undefined) {
    const notice = state.notices.get(id);
    return html`<div class="card plan-ref" data-plan=${id}>
      ${notice === undefined ? drawLoading() : html`<p class="notice" role="alert">${notice}</p>`}
    </div>`;
  }
  return html`<div class="card plan-ref" data-plan=${id} data-shown=${shown}>
    <div class="ref-text">${drawSummary(card)}</div>
    <button class="plain-button" aria-label=${`Open ${card.view.title}`} aria-pressed=${shown} @click=${open}>Open</button>
  </div>`;
}

function onSessionPressed(event: SessionPressedEvent): void {
  void pressSession(event.detail.press, event.detail.inputs);
}

/** Plain questions are answered in the message field. */
export function hasSessionCard({ view }: SessionCard): boolean {
  if (view.kind === 'questions') return view.buttons.some(({ press }) => 'choice' in press);
  return view.buttons.length > 0;
}

export function drawSessionCard(state: State, card: SessionCard): TemplateResult {
  const notice = state.notices.get(card.run_id);
  return html`<div class="card" data-run=${card.run_id}>
    <session-card
      .card=${card.adaptive_card}
      .busy=${state.pressing.has(card.run_id)}
      @pressed-session=${onSessionPressed}
    ></session-card>
    ${notice === undefined ? nothing : html`<p class="notice" role="alert">${notice}</p>`}
  </div>`;
}
