// What was entered in a window: its text, the values of its fields, the steps that are ticked. Pure.

import type { Field } from '#cards/view.ts';
import type { FieldValue } from '#contracts/answer.ts';
import type { Acknowledgement } from '../transport/accept.ts';
import type { SentSignal, Signal } from '../transport/read-signal.ts';
import { readHeld } from './held.ts';
import { fieldBlock, partBlock, textBlock, valueId } from './windows.ts';

type Sent = SentSignal['sent']['view'];

function valueIn(view: Sent, block: string) {
  return view.state?.values[block]?.[valueId];
}

export function readText(view: Sent): string {
  return valueIn(view, textBlock)?.value?.trim() ?? '';
}

/** The values by field, those left empty left out; null: the window has no fields. */
export function readFieldValues(view: Sent, fields: Field[]): Record<string, FieldValue> | null {
  if (fields.length === 0) return null;
  const values: Record<string, FieldValue> = {};
  for (const { name, type, options } of fields) {
    const entered = valueIn(view, fieldBlock(name));
    if (type === 'boolean') {
      values[name] = (entered?.selected_options ?? []).length > 0;
      continue;
    }
    const index = entered?.selected_option?.value;
    const value =
      type === 'choice'
        ? options[Number(index ?? Number.NaN)]?.value
        : (entered?.value ?? entered?.selected_date);
    if (value !== undefined && value !== null && value !== '') values[name] = value;
  }
  return values;
}

/** The places of the steps that are ticked. */
export function readTicked(view: Sent): number[] {
  const ticked: number[] = [];
  for (let index = 0; ; index++) {
    const entered = valueIn(view, partBlock(index));
    if (entered === undefined) return ticked;
    ticked.push(...(entered.selected_options ?? []).map(({ value }) => Number(value)));
  }
}

/** What the acknowledgement has to say about a form; null: it can be taken. */
export function objectTo(signal: Signal): Acknowledgement {
  if (signal.kind !== 'sent') return null;
  const { view } = signal.sent;
  const held = readHeld(view.private_metadata);
  if (held === null) return null;
  if (view.callback_id === 'countersign:part' && readTicked(view).length === 0)
    return { response_action: 'errors', errors: { [partBlock(0)]: 'Tick at least one step.' } };
  if (held.missing !== null && readText(view) === '')
    return { response_action: 'errors', errors: { [textBlock]: held.missing } };
  return null;
}
