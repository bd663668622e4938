// The message field: Enter sends, Shift+Enter breaks the line.
import type { CommandForm } from '#domain/planning/command-form.ts';
import { countOf } from '#domain/words.ts';
import { html, nothing, type TemplateResult } from '../lit.ts';
import {
  chosenCommand,
  closeCommands,
  completeCommand,
  moveCommand,
  offerCommands,
} from '../live/commands.ts';
import { say } from '../live/conversation.ts';
import { readOnScreen } from '../live/part.ts';
import type { State } from '../live/state.ts';
import { change, state as now } from '../live/store.ts';
import { drawIcon } from './parts.ts';
import { returnToLatest } from './scroll.ts';

function getField(): HTMLTextAreaElement | null {
  return document.querySelector<HTMLTextAreaElement>('#say');
}

const mostRows = 8;

/** Wrapped lines count. */
function fitHeight(field: HTMLTextAreaElement): void {
  field.rows = 1;
  const one = field.clientHeight;
  const { lineHeight } = getComputedStyle(field);
  const more = Math.ceil((field.scrollHeight - one) / Number.parseFloat(lineHeight));
  field.rows = Math.min(mostRows, 1 + Math.max(0, more));
}

async function send(): Promise<void> {
  const field = getField();
  const text = field?.value.trim() ?? '';
  closeCommands();
  if (field === null || text === '' || field.readOnly) return;
  field.readOnly = true;
  returnToLatest();
  const sent = await say(text);
  field.readOnly = false;
  if (sent) field.value = '';
  fitHeight(field);
  field.focus();
}

function onKey(event: KeyboardEvent): void {
  if (!event.isComposing && onCommandKey(event)) return;
  // Such an Enter belongs to the input method.
  if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  void send();
}

function onSubmit(event: SubmitEvent): void {
  event.preventDefault();
  void send();
}

function onInput(event: InputEvent): void {
  const { target } = event;
  if (!(target instanceof HTMLTextAreaElement)) return;
  fitHeight(target);
  void offerCommands(() => target.value);
}

function fillCommand(form: CommandForm): void {
  const field = getField();
  if (field === null) return;
  const { text, from, to } = completeCommand(field.value, form);
  closeCommands();
  fillComposer(text);
  field.setSelectionRange(from, to);
}

/** Nothing is selected before an arrow key, so Enter still sends. */
function onCommandKey(event: KeyboardEvent): boolean {
  if (now.commands === null) return false;
  const chosen = chosenCommand();
  if (event.key === 'ArrowDown' || event.key === 'ArrowUp')
    moveCommand(event.key === 'ArrowDown' ? 1 : -1);
  else if (event.key === 'Escape') closeCommands();
  else if ((event.key === 'Enter' || event.key === 'Tab') && chosen !== undefined)
    fillCommand(chosen);
  else return false;
  event.preventDefault();
  return true;
}

function drawCommands({ commands }: State): TemplateResult | typeof nothing {
  if (commands === null) return nothing;
  const { found, at } = commands;
  return html`<ul class="command-options" id="command-options" role="listbox" aria-label="Commands">
    ${found.map(
      (form, index) => html`<li
        role="option"
        id=${`command-${index}`}
        aria-selected=${index === at}
        @mousedown=${(event: MouseEvent) => event.preventDefault()}
        @click=${() => fillCommand(form)}
      >
        <code>${form.example}</code><span class="muted">${form.effect}</span>
      </li>`,
    )}
  </ul>`;
}

/** To send or change. */
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

/** For one message: plan in two layers, “all” taken literally. */
function drawSwitch({ extensive }: State): TemplateResult {
  return html`<label class="composer-switch" title="Many concrete steps, planned part by part">
    <input type="checkbox" .checked=${extensive} @change=${onSwitch} /> Plan extensively
  </label>`;
}

export function drawComposer(state: State): TemplateResult {
  const { commands: offered } = state;
  return html`<form class="composer" @submit=${onSubmit}>
    ${drawCommands(state)}
    <div class="composer-box">
      <label class="visually-hidden" for="say">Your message</label>
      <textarea
        id="say"
        rows="1"
        placeholder=${state.messages.length === 0 ? 'What should be done?' : 'Reply, or ask for something new'}
        autofocus
        maxlength="100000"
        aria-autocomplete="list"
        aria-controls=${offered === null ? nothing : 'command-options'}
        aria-activedescendant=${offered === null || offered.at < 0 ? nothing : `command-${offered.at}`}
        @blur=${closeCommands}
        @keydown=${onKey}
        @input=${onInput}
      ></textarea>
      <button class="send" aria-label="Send" ?disabled=${state.sending}>${drawIcon('send')}</button>
    </div>
    <div class="composer-foot">${drawStatus(state)} ${drawSwitch(state)}</div>
  </form>`;
}
