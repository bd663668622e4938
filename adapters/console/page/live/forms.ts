// Forms of a plan's buttons, with input kept across redraws.
import { fieldInputId, inputIdOf } from '#cards/input-ids.ts';
import type { Button, Field, Form } from '#cards/view.ts';
import type { CardPress } from '#domain/chat/card.ts';
import { commentsToSend, forgetSent } from './comments.ts';
import { press } from './press.ts';
import type { Inputs } from './presses.ts';
import { inputKey, type State } from './state.ts';
import { change, changeNow, state } from './store.ts';

/** Unique within the plan. */
export function buttonKey({ action, step_id, finding_id, version }: CardPress): string {
  return [action, step_id ?? finding_id ?? '', version].join(' ');
}

export function typedIn({ typed }: Pick<State, 'typed'>, plan: string, input: string): string {
  return typed.get(inputKey(plan, input)) ?? '';
}

export function noteTyped(plan: string, input: string, value: string): void {
  const key = inputKey(plan, input);
  state.typed.set(key, value);
  if (state.missing.has(key)) change((s) => s.missing.delete(key));
}

const find = (selector: string): HTMLElement | null =>
  document.querySelector<HTMLElement>(`.review-bar ${selector}`);

const nameSelector = (key: string): string => `[data-opens="${CSS.escape(key)}"]`;

export function openForm(plan: string, key: string): void {
  changeNow((s) => {
    s.form = { plan, key };
    s.notices.delete(plan);
  });
  find('.bar-form :is(input, textarea, select, button[type="submit"])')?.focus();
}

/** Returns the focus to its button. */
export function closeForm(): void {
  const { form } = state;
  changeNow((s) => {
    s.form = null;
    s.missing.clear();
  });
  if (form !== null) find(nameSelector(form.key))?.focus();
}

function fits({ type, required, min, max, whole }: Field, value: string): boolean {
  if (value === '') return !required;
  if (type !== 'number') return true;
  const number = Number(value);
  if (!/^[+-]?\d{1,15}(\.\d{1,15})?$/.test(value) || (whole && !Number.isInteger(number)))
    return false;
  return (min === null || number >= min) && (max === null || number <= max);
}

export function findMissing(button: CardPress, form: Form, inputs: Inputs): string[] {
  const typedAt = (id: string) => String(inputs[id] ?? '').trim();
  const fields = form.fields.flatMap((field) => {
    const id = fieldInputId(button.step_id ?? '', field.name);
    return fits(field, typedAt(id)) ? [] : [id];
  });
  const text = inputIdOf(button);
  return form.required && typedAt(text) === '' ? [...fields, text] : fields;
}

function inputsOf(plan: string): Inputs {
  const start = inputKey(plan, '');
  const own = [...state.typed].filter(([key]) => key.startsWith(start));
  return Object.fromEntries(own.map(([key, value]) => [key.slice(start.length), value]));
}

function forget(plan: string, { form, press: pressed }: Button): void {
  const fields = form?.fields ?? [];
  const ids = [
    inputIdOf(pressed),
    ...fields.map(({ name }) => fieldInputId(pressed.step_id ?? '', name)),
  ];
  change((s) => {
    for (const id of ids) s.typed.delete(inputKey(plan, id));
    if (s.form?.plan === plan) s.form = null;
  });
}

/** Reports missing or wrong values at their input. */
export async function submit(plan: string, button: Button): Promise<void> {
  const { form, press: pressed } = button;
  const inputs = inputsOf(plan);
  const comments = pressed.action === 'propose_changes' ? commentsToSend(plan, pressed.digest) : [];
  const missing = form === null || comments.length > 0 ? [] : findMissing(pressed, form, inputs);
  if (missing.length > 0) {
    changeNow((s) => {
      s.missing = new Set(missing.map((id) => inputKey(plan, id)));
    });
    find('.bar-form [aria-invalid="true"]')?.focus();
    return;
  }
  if (!(await press(pressed, inputs, comments))) return;
  forget(plan, button);
  if (comments.length > 0) forgetSent(plan, pressed.digest, comments);
}
