// The card of a plan or of a planning session where it is spoken of, with what the server said to the last press under it.
import { html, nothing, type TemplateResult } from 'lit-html';
import type { PressedEvent, SessionPressedEvent } from '../cards/plan-card.ts';
import { openPlan, showPane } from '../live/focus.ts';
import { describePart } from '../live/part.ts';
import { press, pressSession } from '../live/press.ts';
import type { SessionCard, State } from '../live/state.ts';
import { drawLoading } from './parts.ts';

function onPressed(event: PressedEvent): void {
  void press(event.detail.press, event.detail.inputs);
}

function onOpened(event: CustomEvent<string>): void {
  openPlan(event.detail, 'steps');
  showPane('plan');
}

export function drawCard(state: State, id: string): TemplateResult {
  const card = state.cards.get(id);
  const notice = state.notices.get(id);
  const body =
    card === undefined
      ? notice === undefined
        ? drawLoading()
        : nothing
      : html`<plan-card
          .partial=${describePart(state, card)}
          .card=${card.adaptive_card}
          .busy=${state.pressing.has(id)}
          @pressed=${onPressed}
          @opened=${onOpened}
        ></plan-card>`;
  return html`<div class="card" data-plan=${id} data-shown=${state.plan?.id === id}>
    ${body}
    ${notice === undefined ? nothing : html`<p class="notice" role="alert">${notice}</p>`}
  </div>`;
}

function onSessionPressed(event: SessionPressedEvent): void {
  void pressSession(event.detail.press, event.detail.inputs);
}

/** Whether a session's card says or offers more than the message it stands under; a plain question is answered below. */
export function hasSessionCard({ view }: SessionCard): boolean {
  if (view.kind === 'questions') return view.buttons.some(({ press }) => 'choice' in press);
  return view.buttons.length > 0;
}

export function drawSessionCard(state: State, card: SessionCard): TemplateResult {
  const notice = state.notices.get(card.run_id);
  return html`<div class="card" data-run=${card.run_id}>
    <plan-card
      .card=${card.adaptive_card}
      .busy=${state.pressing.has(card.run_id)}
      @pressed-session=${onSessionPressed}
    ></plan-card>
    ${notice === undefined ? nothing : html`<p class="notice" role="alert">${notice}</p>`}
  </div>`;
}
