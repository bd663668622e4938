// Reminders and recurring steps in the console.
import { recurringWords } from '#cards/recurring-words.ts';
import type { Recurring, RecurringChange, RecurringOutcome } from '#domain/plan/recurring.ts';
import { zone } from '../plan/format.ts';
import { describeError, get, post } from './api.ts';
import { closeBuilder } from './builder.ts';
import type { RecurringDialog } from './state.ts';
import { change, changeNow } from './store.ts';

function update(part: Partial<RecurringDialog>): void {
  changeNow((s) => {
    if (s.recurring !== null) s.recurring = { ...s.recurring, ...part };
  });
}

export const readerNow = () => ({
  timezone: zone(),
  now: new Date().toISOString(),
});

async function readList(): Promise<void> {
  try {
    update({ list: (await get<{ recurring: Recurring[] }>('/api/recurring')).recurring });
  } catch (error) {
    update({ problem: describeError(error) });
  }
}

export function openRecurring(): Promise<void> {
  closeBuilder();
  change((s) => {
    s.recurring = { list: null, open: null, when: '', text: '', result: '', problem: null };
  });
  return readList();
}

export function closeRecurring(): void {
  document.querySelector<HTMLDialogElement>('dialog#recurring')?.close();
  change((s) => {
    s.recurring = null;
  });
}

/** Null closes it. */
export function openEntry(open: RecurringDialog['open']): void {
  update({ open, when: '', text: '', problem: null, result: '' });
  document
    .querySelector<HTMLElement>('dialog#recurring .recurring-open :is(input, button)')
    ?.focus();
}

export function enterChange(part: { when: string } | { text: string }): void {
  change((s) => {
    if (s.recurring !== null) s.recurring = { ...s.recurring, ...part };
  });
}

export async function changeEntry({ id }: Recurring, wanted: RecurringChange): Promise<void> {
  try {
    const done = await post<RecurringOutcome & { before: Recurring }>('/api/recurring', {
      id,
      change: wanted,
    });
    const result = recurringWords.done({ change: wanted, ...done, ...readerNow() });
    update({ open: null, result, problem: null });
  } catch (error) {
    update({ problem: describeError(error), result: '' });
  }
  await readList();
}
