// Where a person writes. Enter sends, Shift+Enter begins a line; what could not be sent stays in the field.
import { countOf } from '#domain/words.ts';
import { html, type TemplateResult } from '../lit.ts';
import { say } from '../live/conversation.ts';
import { readOnScreen } from '../live/part.ts';
import type { State } from '../live/state.ts';
import { change } from '../live/store.ts';
import { drawIcon } from './parts.ts';
import { returnToLatest } from './scroll.ts';

function getField(): HTMLTextAreaElement | null {
  return document.querySelector<HTMLTextAreaElement>('#say');
}

function fitHeight(field: HTMLTextAreaElement): void {
  field.rows = Math.min(8, field.value.split('\n').length);
}

async function send(): Promise<void> {
  const field = getField();
  const text = field?.value.trim() ?? '';
  if (field === null || text === '' || field.readOnly) return;
  field.readOnly = true;
  returnToLatest();
  const heard = await say(text);
  field.readOnly = false;
  if (heard) field.value = '';
  fitHeight(field);
  field.focus();
}

function onKey(event: KeyboardEvent): void {
  // An Enter that ends a composed character (Japanese, Chinese) belongs to the input method.
  if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  void send();
}

function onSubmit(event: SubmitEvent): void {
  event.preventDefault();
  void send();
}

function onInput(event: InputEvent): void {
  if (event.target instanceof HTMLTextAreaElement) fitHeight(event.target);
}

/** Puts `text` into the field, for the person to send or change. */
export function fillComposer(text: string): void {
  const field = getField();
  if (field === null) return;
  field.value = text;
  fitHeight(field);
  field.focus();
}

function drawStatus(state: State): TemplateResult {
  const { problem } = state;
  if (problem !== null) return html`<p class="composer-status" role="alert">⚠ ${problem}</p>`;
  const { except } = readOnScreen(state);
  if (except !== undefined) {
    return html`<p class="composer-status" role="status">“approve” leaves out ${countOf(except.length, 'unselected step')}</p>`;
  }
  return html`<p class="composer-hint">
    <kbd>Enter</kbd> sends<span class="composer-hint-more"> · <kbd>Shift</kbd> <kbd>Enter</kbd> new line</span>
  </p>`;
}

function onSwitch(event: Event): void {
  const { target } = event;
  if (!(target instanceof HTMLInputElement)) return;
  const { checked } = target;
  change((s) => {
    s.extensive = checked;
  });
}

/** For one message: a request that is planned in two layers, with “all” and “every” taken literally. */
function drawSwitch({ extensive }: State): TemplateResult {
  return html`<label class="composer-switch" title="Many concrete steps, planned part by part">
    <input type="checkbox" .checked=${extensive} @change=${onSwitch} /> Plan extensively
  </label>`;
}

export function drawComposer(state: State): TemplateResult {
  return html`<form class="composer" @submit=${onSubmit}>
    <div class="composer-box">
      <label class="visually-hidden" for="say">Your message</label>
      <textarea
        id="say"
        rows="1"
        placeholder=${state.messages.length === 0 ? 'What should be done?' : 'Reply, or ask for something new'}
        autofocus
        maxlength="100000"
        @keydown=${onKey}
        @input=${onInput}
      ></textarea>
      <button class="send" aria-label="Send" ?disabled=${state.sending}>${drawIcon('send')}</button>
    </div>
    <div class="composer-foot">${drawStatus(state)} ${drawSwitch(state)}</div>
  </form>`;
}
