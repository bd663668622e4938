// The header, and the part switch on narrow screens.
import { describePage } from '../inbox/words.ts';
import { html, nothing, type TemplateResult } from '../lit.ts';
import { showPane } from '../live/focus.ts';
import { layRail } from '../live/inbox.ts';
import { startConversation } from '../live/navigation.ts';
import { openBuilder } from '../live/open.ts';
import { openSettings } from '../live/settings.ts';
import type { Pane, State } from '../live/state.ts';
import { afterDrawing, state as now } from '../live/store.ts';
import { focusEntry } from './inbox-focus.ts';
import { drawIcon } from './parts.ts';
import { toggleShortcuts } from './shortcuts.ts';

const countNeeded = ({ inbox }: State): number => inbox.needed ?? 0;

function drawCount(count: number): TemplateResult | typeof nothing {
  if (count === 0) return nothing;
  const shown = count > 99 ? '99+' : String(count);
  return html`<span class="count" aria-hidden="true">${shown}</span
    ><span class="visually-hidden">, ${count.toLocaleString('en-US')} need you</span>`;
}

/** In the browser's tab. */
export function titlePage(state: State): void {
  const card = state.plan === null ? undefined : state.cards.get(state.plan.id);
  const open = card === undefined ? null : { title: card.view.title, state: card.view.state.words };
  const title = describePage(countNeeded(state), open);
  if (document.title !== title) document.title = title;
}

function toggleRail(): void {
  layRail(!now.inbox.over);
  if (now.inbox.over) afterDrawing(() => focusEntry(null));
}

export function drawPanes(state: State): TemplateResult {
  const option = (name: Pane, words: string, icon: Parameters<typeof drawIcon>[0], count = 0) =>
    html`<button aria-pressed=${state.pane === name} @click=${() => showPane(name)}>
      <span class="pane-icon">${drawIcon(icon)}${drawCount(count)}</span><span>${words}</span>
    </button>`;
  return html`<nav class="pane-switch" aria-label="What to show">
    ${option('inbox', 'Inbox', 'inbox', countNeeded(state))}
    ${option('conversation', 'Conversation', 'talk')} ${option('plan', 'Plan', 'list')}
  </nav>`;
}

export function drawHeader(state: State): TemplateResult {
  return html`<header class="top">
    <a class="brand" href="/" aria-label="Countersign, a new conversation">
      <img src="/console/page/icon.svg" alt="" width="24" height="24" />
      <span>Countersign</span>
    </a>
    <button
      class="quiet"
      id="rail-button"
      aria-expanded=${state.inbox.over}
      aria-controls="rail"
      @click=${toggleRail}
    >
      ${drawIcon('inbox')}<span class="label">Inbox</span>${drawCount(countNeeded(state))}
    </button>
    <div class="top-actions">
      <button
        class="quiet"
        id="build-button"
        title="Build a plan (Ctrl or ⌘ K)"
        aria-haspopup="dialog"
        @click=${openBuilder}
      >
        ${drawIcon('list')}<span class="label">Build a plan</span>
      </button>
      <button
        class="quiet"
        id="shortcuts-button"
        aria-label="Keyboard shortcuts"
        title="Keyboard shortcuts (?)"
        aria-haspopup="dialog"
        @click=${toggleShortcuts}
      >
        ${drawIcon('keyboard')}
      </button>
      <a class="quiet" href="/docs">Docs</a>
      <button
        class="quiet"
        id="settings-button"
        aria-haspopup="dialog"
        @click=${() => void openSettings()}
      >
        ${drawIcon('sliders')}<span class="label">Settings</span>
      </button>
      <button class="quiet" id="new-conversation" @click=${() => void startConversation()}>
        ${drawIcon('plus')}<span class="label">New conversation</span>
      </button>
    </div>
  </header>`;
}
