// Starts the page: draws it whenever the state changes, and shows what the address names.
import './cards/session-card.ts';
import { html, render, type TemplateResult } from 'lit-html';
import { onTokenNeeded } from './live/api.ts';
import { followAddress } from './live/navigation.ts';
import type { State } from './live/state.ts';
import { onChange, state } from './live/store.ts';
import { startWatching } from './live/watch.ts';
import { drawConversation } from './views/conversation.ts';
import { drawHeader } from './views/header.ts';
import { drawPending } from './views/pending.ts';
import { drawPlan } from './views/plan.ts';
import { drawSettings } from './views/settings.ts';
import { askForToken } from './views/token-dialog.ts';

// The page: a header, the conversation on the left, the plan it speaks of on the right.

function drawApp(state: State): TemplateResult {
  return html`
    ${drawHeader(state)}
    <main class="columns" data-pane=${state.pane}>
      ${drawConversation(state)} ${drawPlan(state)}
    </main>
    ${drawPending(state)} ${drawSettings(state)}
  `;
}

const root = document.getElementById('app');
if (root === null) throw new Error('The page has no #app to draw into.');

onChange(() => render(drawApp(state), root));
onTokenNeeded(askForToken);
addEventListener('popstate', () => void followAddress());
void followAddress();
startWatching();
