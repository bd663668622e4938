// The header: what this is, what is waiting, and a new conversation. On narrow screens also which column is shown.
import { html, nothing, type TemplateResult } from 'lit-html';
import { showPane } from '../live/focus.ts';
import { startConversation } from '../live/navigation.ts';
import { openSettings } from '../live/settings.ts';
import type { State } from '../live/state.ts';
import { change } from '../live/store.ts';
import { drawIcon } from './parts.ts';

function toggleDrawer(): void {
  change((s) => {
    s.drawer = !s.drawer;
  });
  // After the drawing: the drawer takes the focus it was opened for.
  requestAnimationFrame(() =>
    requestAnimationFrame(() => document.querySelector<HTMLElement>('#pending button')?.focus()),
  );
}

function drawPaneSwitch({ pane, plan }: State): TemplateResult | typeof nothing {
  if (plan === null) return nothing;
  const option = (name: State['pane'], words: string) => html`<button
    aria-pressed=${pane === name}
    @click=${() => showPane(name)}
  >
    ${words}
  </button>`;
  return html`<div class="pane-switch" role="group" aria-label="What to show">
    ${option('conversation', 'Conversation')} ${option('plan', 'Plan')}
  </div>`;
}

export function drawHeader(state: State): TemplateResult {
  const waiting = `${state.pending.length}${state.pendingNext === null ? '' : '+'}`;
  return html`<header class="top">
    <a class="brand" href="/" aria-label="Countersign, a new conversation">
      <img src="/console/page/icon.svg" alt="" width="24" height="24" />
      <span>Countersign</span>
    </a>
    ${drawPaneSwitch(state)}
    <div class="top-actions">
      <button
        class="quiet"
        id="pending-button"
        aria-expanded=${state.drawer}
        aria-controls="pending"
        @click=${toggleDrawer}
      >
        ${drawIcon('list')}<span>Pending</span>
        ${state.pending.length === 0 ? nothing : html`<span class="count">${waiting}</span>`}
      </button>
      <button
        class="quiet"
        id="settings-button"
        aria-haspopup="dialog"
        @click=${() => void openSettings()}
      >
        ${drawIcon('sliders')}<span>Settings</span>
      </button>
      <button class="quiet" id="new-conversation" @click=${() => void startConversation()}>
        ${drawIcon('plus')}<span>New conversation</span>
      </button>
    </div>
  </header>`;
}
