// The settings dialog; only preferences are set here.
import type { SettingsView } from '#domain/settings-view.ts';
import { html, nothing, type TemplateResult } from '../../lit.ts';
import { closeSettings, openSection, readFacts, showSection } from '../../live/settings.ts';
import { type Settings, type SettingsSection, sections } from '../../live/state.ts';
import { state } from '../../live/store.ts';
import { drawIcon, drawLoading } from '../parts.ts';
import { drawAccess, drawWho } from './access.ts';
import { drawApprovals } from './approvals.ts';
import { drawChats } from './chats.ts';
import { drawModels } from './models.ts';
import { drawPreferences } from './preferences.ts';
import { drawRunning } from './running.ts';
import { drawTools } from './tools.ts';

const names: Record<SettingsSection, string> = {
  preferences: 'Preferences',
  tools: 'Tools',
  approvals: 'Approvals',
  models: 'Models',
  running: 'Execution',
  chats: 'Chats',
  access: 'Access',
};

const drawers: Record<
  Exclude<SettingsSection, 'preferences'>,
  (facts: SettingsView, settings: Settings) => TemplateResult
> = {
  tools: drawTools,
  approvals: drawApprovals,
  models: drawModels,
  running: drawRunning,
  chats: drawChats,
  access: drawAccess,
};

/** Inside a closed section. */
function countTroubles(section: SettingsSection, facts: SettingsView | null): number {
  return section === 'tools'
    ? (facts?.tools ?? []).filter(({ state }) => state === 'down').length
    : 0;
}

function drawNavigation({ section, facts }: Settings): TemplateResult {
  return html`<nav class="settings-nav" aria-label="Sections">
    ${sections.map((name) => {
      const troubles = countTroubles(name, facts);
      return html`<button
        type="button"
        aria-current=${name === section ? 'page' : nothing}
        ?autofocus=${name === section}
        @click=${() => openSection(name)}
      >
        ${names[name]}
        ${
          troubles === 0
            ? nothing
            : html`<span class="settings-trouble"
                ><span aria-hidden="true">✕ ${troubles}</span
                ><span class="visually-hidden">${troubles} down</span></span
              >`
        }
      </button>`;
    })}
  </nav>`;
}

function drawUnread({ factsProblem }: Settings): TemplateResult {
  return factsProblem === null
    ? drawLoading()
    : html`<div class="empty" role="alert">
        <p class="empty-title">The settings could not be read</p>
        <p>${factsProblem}</p>
        <button type="button" class="quiet" @click=${() => void readFacts()}>Try again</button>
      </div>`;
}

function drawFacts(settings: Settings): TemplateResult {
  const { section, facts } = settings;
  if (section === 'preferences') return drawPreferences(settings);
  // Settings are the operator's; identity is everybody's.
  const who = section === 'access' ? drawWho(settings) : nothing;
  return html`<div class="settings-body facts-body" tabindex="0" role="region" aria-label=${names[section]}>
    ${who} ${facts === null ? drawUnread(settings) : drawers[section](facts, settings)}
  </div>`;
}

/** A press on the backdrop hits the dialog element. */
function onPress(event: MouseEvent): void {
  if (event.target === event.currentTarget) closeSettings();
}

function showWhenDrawn(): void {
  requestAnimationFrame(() => {
    const dialog = document.querySelector<HTMLDialogElement>('#settings');
    // Closed since the drawing, but still on the page.
    if (dialog === null || dialog.open || state.settings === null) return;
    dialog.showModal();
    showSection();
  });
}

export function drawDialog(settings: Settings): TemplateResult {
  showWhenDrawn();
  return html`<dialog
    class="settings"
    id="settings"
    aria-labelledby="settings-title"
    @click=${onPress}
    @cancel=${closeSettings}
    @close=${closeSettings}
  >
    <header class="settings-head">
      <h2 id="settings-title">Settings</h2>
      <button type="button" class="quiet icon-only" aria-label="Close" @click=${closeSettings}>
        ${drawIcon('close')}
      </button>
    </header>
    <div class="settings-main">${drawNavigation(settings)} ${drawFacts(settings)}</div>
  </dialog>`;
}
