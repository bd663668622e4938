// <session-card>: a planning session's card.
import { hostConfig } from '#cards/host-config.ts';
import type { SessionPress } from '#domain/chat/session-card.ts';
import type { Inputs } from '../live/presses.ts';
import { isDark, onTheme } from '../live/theme.ts';
import { labelCard, rememberCard, restoreCard } from './memory.ts';
import { type AdaptiveCard, getRenderer, type RenderedAction } from './renderer.ts';

export type SessionPressedEvent = CustomEvent<{ press: SessionPress; inputs: Inputs }>;

/** Only our cards send such data, so its shape is enough. */
function isSessionPress(data: unknown): data is SessionPress {
  return typeof data === 'object' && data !== null && 'action' in data && 'run_id' in data;
}

export class SessionCardElement extends HTMLElement {
  #json: unknown = null;
  #drawn = '';
  #busy = false;
  #restoring = false;
  #offered: string | undefined;
  #stopListening = () => {};

  connectedCallback(): void {
    this.#stopListening = onTheme(() => this.#draw(true));
    this.#draw(false);
  }

  disconnectedCallback(): void {
    this.#stopListening();
  }

  set card(json: unknown) {
    this.#json = json;
    if (this.isConnected) this.#draw(false);
  }

  set busy(busy: boolean) {
    this.#busy = busy;
    this.#applyBusy();
  }

  #applyBusy(): void {
    this.toggleAttribute('data-busy', this.#busy);
    for (const button of this.querySelectorAll('button')) {
      button.disabled = this.#busy;
    }
  }

  #draw(force: boolean): void {
    if (this.#json === null) return;
    const text = JSON.stringify(this.#json);
    if (text === this.#drawn && !force) return;
    this.#drawn = text;
    const { AdaptiveCard, HostConfig } = getRenderer();
    const card: AdaptiveCard = new AdaptiveCard();
    card.hostConfig = new HostConfig(hostConfig(isDark() ? 'dark' : 'light'));
    card.onExecuteAction = (action) => this.#execute(action, card.getAllInputs());
    card.onInlineCardExpanded = (action, isExpanded) => {
      if (!isExpanded) return;
      labelCard(card);
      if (!this.#restoring) this.#show(action.card.renderedElement);
    };
    card.parse(this.#json);
    const element = card.render();
    if (element === undefined) return;
    const memory = rememberCard(this);
    this.replaceChildren(element);
    this.#restoring = true;
    labelCard(card);
    restoreCard(this, memory, card);
    this.#offerForm(card);
    this.#restoring = false;
    this.#applyBusy();
  }

  /** A card's only form begins open, until the person closes it. */
  #offerForm(card: AdaptiveCard): void {
    const [only, ...others] = this.querySelectorAll<HTMLElement>('button[data-opens^="field:"]');
    const opens = others.length > 0 ? undefined : only?.dataset.opens;
    if (opens === this.#offered) return;
    this.#offered = opens;
    if (only?.getAttribute('aria-expanded') === 'false') only.click();
    labelCard(card);
  }

  /** Focuses an opened part and scrolls to it in the next frame. */
  #show(part: HTMLElement | undefined): void {
    const focus = () =>
      part?.querySelector<HTMLElement>('textarea, input')?.focus({ preventScroll: true });
    focus();
    requestAnimationFrame(() => {
      part?.scrollIntoView({ block: 'nearest' });
      if (!part?.contains(document.activeElement)) focus();
    });
  }

  #execute(action: RenderedAction, fields: { id?: string; value?: unknown }[]): void {
    if (action.getJsonTypeName() === 'Action.OpenUrl') {
      if (action.url !== undefined) this.#open(action.url);
      return;
    }
    if (this.#busy || !isSessionPress(action.data)) return;
    const { data } = action;
    const inputs: Inputs = { ...data };
    for (const { id, value } of fields) if (id !== undefined) inputs[id] = value;
    const { run_id, turn, digest, choice } = data;
    const press: SessionPress = { action: data.action, run_id, turn, digest };
    if (choice !== undefined) press.choice = choice;
    this.dispatchEvent(
      new CustomEvent('pressed-session', { detail: { press, inputs }, bubbles: true }),
    );
  }

  #open(address: string): void {
    const { protocol, href } = new URL(address, location.href);
    if (protocol === 'http:' || protocol === 'https:')
      window.open(href, '_blank', 'noopener,noreferrer');
  }
}

customElements.define('session-card', SessionCardElement);
