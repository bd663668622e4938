// A plan's card where it is spoken of, with what the server said to the last press under it.
import { html, nothing, type TemplateResult } from 'lit-html';
import type { PressedEvent } from '../cards/plan-card.ts';
import { openPlan, showPane } from '../live/focus.ts';
import { press } from '../live/press.ts';
import type { State } from '../live/state.ts';
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
