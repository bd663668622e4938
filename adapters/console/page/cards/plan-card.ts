// <plan-card>: the card of a plan or of a planning session, drawn by the official renderer. It redraws only when the card itself changed.
import { hostConfig } from '#cards/host-config.ts';
import type { CardPress } from '#domain/chat/card.ts';
import type { SessionPress } from '#domain/planning/session-card.ts';
import type { PartialApproval } from '../live/part.ts';
import { type Inputs, readPress } from '../live/presses.ts';
import { labelCard, rememberCard, restoreCard } from './memory.ts';
import { type AdaptiveCard, getRenderer, type RenderedAction } from './renderer.ts';

export type PressedEvent = CustomEvent<{ press: CardPress; inputs: Inputs }>;
export type SessionPressedEvent = CustomEvent<{ press: SessionPress; inputs: Inputs }>;

const dark = matchMedia('(prefers-color-scheme: dark)');

/** Whether data of an action is a press: our own cards are the only source, so its outline is enough. */
function isPress(data: unknown): data is CardPress {
  return typeof data === 'object' && data !== null && 'action' in data && 'plan_id' in data;
}

/** The same for the card of a session. */
function isSessionPress(data: unknown): data is SessionPress {
  return typeof data === 'object' && data !== null && 'action' in data && 'run_id' in data;
}

/** The card whose button that approves is about some steps only. */
function narrowApprove(json: unknown, { words: title }: PartialApproval): unknown {
  return JSON.parse(JSON.stringify(json), (_, value: unknown) =>
    typeof value === 'object' && value !== null && 'data' in value && isApprove(value.data)
      ? { ...value, title }
      : value,
  );
}

const isApprove = (data: unknown) => isPress(data) && data.action === 'approve';

function findApprove(card: AdaptiveCard): HTMLElement[] {
  return card
    .getAllActions()
    .flatMap(({ data, renderedElement }) => (isApprove(data) ? (renderedElement ?? []) : []));
}

export class PlanCard extends HTMLElement {
  #json: unknown = null;
  #part: PartialApproval | null = null;
  #drawn = '';
  #busy = false;
  /** Buttons that approve nothing as things are ticked. */
  #off = new Set<HTMLElement>();
  #restoring = false;
  #offered: string | undefined;
  readonly #redraw = () => this.#draw(true);

  connectedCallback(): void {
    dark.addEventListener('change', this.#redraw);
    this.#draw(false);
  }

  disconnectedCallback(): void {
    dark.removeEventListener('change', this.#redraw);
  }

  set card(json: unknown) {
    this.#json = json;
    if (this.isConnected) this.#draw(false);
  }

  /** What its Approve says where it approves less than the whole plan; null: it approves all of it. */
  set partial(part: PartialApproval | null) {
    this.#part = part;
    if (this.isConnected) this.#draw(false);
  }

  /** While busy the card's buttons are off. */
  set busy(busy: boolean) {
    this.#busy = busy;
    this.#applyBusy();
  }

  #applyBusy(): void {
    this.toggleAttribute('data-busy', this.#busy);
    for (const button of this.querySelectorAll('button')) {
      button.disabled = this.#busy || this.#off.has(button);
    }
  }

  #draw(force: boolean): void {
    if (this.#json === null) return;
    const part = this.#part;
    const text = JSON.stringify([this.#json, part]);
    if (text === this.#drawn && !force) return;
    this.#drawn = text;
    const { AdaptiveCard, HostConfig } = getRenderer();
    const card: AdaptiveCard = new AdaptiveCard();
    card.hostConfig = new HostConfig(hostConfig(dark.matches ? 'dark' : 'light'));
    card.onExecuteAction = (action) => this.#execute(action, card.getAllInputs());
    card.onInlineCardExpanded = (action, isExpanded) => {
      if (!isExpanded) return;
      labelCard(card);
      if (!this.#restoring) this.#show(action.card.renderedElement);
    };
    card.parse(part === null ? this.#json : narrowApprove(this.#json, part));
    const element = card.render();
    if (element === undefined) return;
    const memory = rememberCard(this);
    this.replaceChildren(element);
    this.#off = new Set(part?.empty === true ? findApprove(card) : []);
    this.#restoring = true;
    labelCard(card);
    restoreCard(this, memory, card);
    this.#offerForm(card);
    this.#restoring = false;
    this.#applyBusy();
  }

  /** The one form of a card stands open from the start. Closed by the person, it stays closed. */
  #offerForm(card: AdaptiveCard): void {
    const [only, ...others] = this.querySelectorAll<HTMLElement>('button[data-opens^="field:"]');
    const opens = others.length > 0 ? undefined : only?.dataset.opens;
    if (opens === this.#offered) return;
    this.#offered = opens;
    if (only?.getAttribute('aria-expanded') === 'false') only.click();
    labelCard(card);
  }

  /** A part that a person opened is ready for typing at once, and brought into sight with the next frame. */
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
    if (this.#busy) return;
    if (isSessionPress(action.data)) {
      this.#executeSession(action.data, fields);
      return;
    }
    if (!isPress(action.data)) return;
    const inputs: Inputs = { ...action.data };
    for (const { id, value } of fields) if (id !== undefined) inputs[id] = value;
    const press = readPress(action.data);
    this.dispatchEvent(new CustomEvent('pressed', { detail: { press, inputs }, bubbles: true }));
  }

  #executeSession(data: SessionPress, fields: { id?: string; value?: unknown }[]): void {
    const inputs: Inputs = { ...data };
    for (const { id, value } of fields) if (id !== undefined) inputs[id] = value;
    const { action, run_id, turn, digest, choice } = data;
    const press: SessionPress = { action, run_id, turn, digest };
    if (choice !== undefined) press.choice = choice;
    this.dispatchEvent(
      new CustomEvent('pressed-session', { detail: { press, inputs }, bubbles: true }),
    );
  }

  /** Links into the console stay in this page; others open beside it. */
  #open(address: string): void {
    const url = new URL(address, location.href);
    const plan = url.searchParams.get('plan');
    if (url.pathname === '/' && plan !== null) {
      this.dispatchEvent(new CustomEvent('opened', { detail: plan, bubbles: true }));
    } else if (url.protocol === 'http:' || url.protocol === 'https:') {
      window.open(url.href, '_blank', 'noopener,noreferrer');
    }
  }
}

customElements.define('plan-card', PlanCard);
