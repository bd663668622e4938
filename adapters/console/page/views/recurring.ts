// The dialog of reminders and recurring steps.
import { describeTimes, nameRecurring, recurringWords } from '#cards/recurring-words.ts';
import type { Recurring } from '#domain/plan/recurring.ts';
import { html, nothing, type TemplateResult } from '../lit.ts';
import {
  changeEntry,
  closeRecurring,
  enterChange,
  openEntry,
  readerNow,
} from '../live/recurring.ts';
import type { RecurringDialog, State } from '../live/state.ts';
import { drawControl } from './control.ts';
import { drawDialog } from './dialog.ts';
import { drawLoading } from './parts.ts';

function drawField(
  name: 'when' | 'text',
  value: string,
  note: (value: string) => void,
): TemplateResult {
  const label = recurringWords[name];
  return html`<div class="operation-field">
    <span class="bar-label">${label}</span>
    <span class="field-help">${recurringWords[`${name}Hint`]}</span>
    ${drawControl(
      { type: name === 'when' ? 'text' : 'multiline', label, options: [] },
      { id: `recurring-${name}`, value, invalid: false, most: name === 'when' ? 200 : 2000, note },
    )}
  </div>`;
}

function drawChange(entry: Recurring, { when, text }: RecurringDialog): TemplateResult {
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const given = {
      ...(when.trim() === '' ? {} : { when }),
      ...(text.trim() === '' ? {} : { text }),
    };
    void changeEntry(entry, { action: 'change', ...given });
  };
  return html`<form class="recurring-open builder-form" @submit=${submit} novalidate>
    ${drawField('when', when, (value) => enterChange({ when: value }))}
    ${drawField('text', text, (value) => enterChange({ text: value }))}
    <button type="submit" class="primary">${recurringWords.save}</button>
    <button type="button" class="plain-button" @click=${() => openEntry(null)}>Back</button>
  </form>`;
}

function drawEnd(entry: Recurring): TemplateResult {
  return html`<div class="recurring-open">
    <p>${recurringWords.askEnd({ entry, command: '' })}</p>
    <button type="button" class="plain-button" @click=${() => void changeEntry(entry, { action: 'end' })}>${recurringWords.end}</button>
    <button type="button" class="plain-button" @click=${() => openEntry(null)}>${recurringWords.keep}</button>
  </div>`;
}

function drawEntry(entry: Recurring, dialog: RecurringDialog): TemplateResult {
  const { id, next_at } = entry;
  const open = dialog.open?.id === id ? dialog.open.action : null;
  const button = (words: string, act: () => void) =>
    html`<button type="button" class="plain-button" aria-label=${`${words}: ${entry.title}`} @click=${act}>${words}</button>`;
  return html`<li class="recurring-entry">
    <p class="operation-gist">${nameRecurring(entry)}</p>
    <p class="operation-name">${describeTimes(entry, readerNow())} · ${id}</p>
    <p>
      ${button(recurringWords.skip, () => void changeEntry(entry, { action: 'skip', next_at }))}
      ${button(recurringWords.change, () => openEntry({ id, action: 'change' }))}
      ${button(recurringWords.end, () => openEntry({ id, action: 'end' }))}
    </p>
    ${open === 'change' ? drawChange(entry, dialog) : nothing} ${open === 'end' ? drawEnd(entry) : nothing}
  </li>`;
}

export function drawRecurring({ recurring }: State): TemplateResult | typeof nothing {
  if (recurring === null) return nothing;
  const { list, result, problem } = recurring;
  const entries =
    list === null
      ? drawLoading()
      : list.length === 0
        ? html`<div class="empty">
            <p class="empty-title">${recurringWords.none}</p>
            <p>Say “remind me every weekday at 9:30: post the standup”, or “every Monday at 9:00 write "done" to reports/week.md”.</p>
          </div>`
        : html`<ul class="playbook-list">${list.map((entry) => drawEntry(entry, recurring))}</ul>`;
  return drawDialog({
    id: 'recurring',
    title: recurringWords.title,
    close: closeRecurring,
    body: html`${problem === null ? nothing : html`<p class="notice" role="alert">${problem}</p>`}
      <p role="status">${result}</p>
      ${entries}`,
  });
}
