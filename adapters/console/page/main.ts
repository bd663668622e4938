// Starts the page: draws on each change, follows the address.
import './cards/session-card.ts';
import { html, nothing, render, type TemplateResult } from './lit.ts';
import { onTokenNeeded } from './live/api.ts';
import { layRail } from './live/inbox.ts';
import { comeBack, followAddress } from './live/navigation.ts';
import type { State } from './live/state.ts';
import { onChange, state } from './live/store.ts';
import { noteOpened } from './live/triage.ts';
import { startWatching } from './live/watch.ts';
import { drawConversation } from './views/conversation.ts';
import { drawHeader, drawPanes, titlePage } from './views/header.ts';
import { drawRail } from './views/inbox.ts';
import { drawKeepingFocus, watchFocus } from './views/keep-focus.ts';
import { drawLazily } from './views/lazy.ts';
import { drawPlan } from './views/plan.ts';
import { drawSettings } from './views/settings.ts';
import { drawShortcuts, listenForShortcuts } from './views/shortcuts.ts';
import { askForToken } from './views/token-dialog.ts';
import { drawTriage } from './views/triage.ts';

const drawBuilder = drawLazily(
  async () => (await import('./views/builder.ts')).drawBuilder,
  (s) => {
    s.builder = null;
  },
);
const drawPlaybooks = drawLazily(
  async () => (await import('./views/playbooks.ts')).drawPlaybooks,
  (s) => {
    s.playbooks = null;
  },
);

const drawRecurring = drawLazily(
  async () => (await import('./views/recurring.ts')).drawRecurring,
  (s) => {
    s.recurring = null;
  },
);

/** While the server is unreachable; input is kept. */
function drawConnection({ connection }: State): TemplateResult {
  return html`<div class="connection" role="status">
    ${
      connection === 'reconnecting'
        ? html`<p>↻ The server isn't answering. Reconnecting… What you have typed is kept.</p>`
        : nothing
    }
  </div>`;
}

function drawApp(state: State): TemplateResult {
  const { over } = state.inbox;
  return html`
    ${drawHeader(state)}
    <main class="columns" data-pane=${state.pane}>
      ${drawRail(state)}
      ${over ? html`<div class="rail-shade" @click=${() => layRail(false)}></div>` : nothing}
      <div class="work" ?inert=${over}>${drawConversation(state)} ${drawPlan(state)}</div>
    </main>
    ${drawPanes(state)} ${drawSettings(state)} ${drawConnection(state)} ${drawTriage(state)} ${drawShortcuts(state)} ${state.builder === null ? nothing : drawBuilder(state)} ${state.playbooks === null ? nothing : drawPlaybooks(state)} ${state.recurring === null ? nothing : drawRecurring(state)}
  `;
}

const root = document.getElementById('app');
if (root === null) throw new Error('The page has no #app to draw into.');

watchFocus();
onChange(() => {
  drawKeepingFocus(() => render(drawApp(state), root));
  titlePage(state);
  noteOpened();
});
onTokenNeeded(askForToken);
addEventListener('popstate', (event) => void comeBack(event));
void followAddress();
startWatching();
listenForShortcuts();
