// The page: a header, the conversation on the left, the plan it speaks of on the right.
import { html, type TemplateResult } from 'lit-html';
import type { State } from '../live/state.ts';
import { drawConversation } from './conversation.ts';
import { drawHeader } from './header.ts';
import { drawPending } from './pending.ts';
import { drawPlan } from './plan.ts';
import { drawSettings } from './settings.ts';

export function drawApp(state: State): TemplateResult {
  return html`
    ${drawHeader(state)}
    <main class="columns" data-pane=${state.pane}>
      ${drawConversation(state)} ${drawPlan(state)}
    </main>
    ${drawPending(state)} ${drawSettings(state)}
  `;
}
