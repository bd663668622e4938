// Reads a window's input. Pure.
import { entryWords } from '#cards/chat-words.ts';
import { planThisWords } from '#cards/plan-this.ts';
import { fieldBlock, maxText, partBlock, textBlock, valueId } from '#cards/slack-windows.ts';
import type { Field } from '#cards/view.ts';
import { type FieldValue, readFields } from '#domain/plan/answer.ts';
import { isStorableText } from '#domain/words.ts';
import type { SentSignal, Signal } from '../signals/read-signal.ts';
import type { Acknowledgement } from '../transport/accept.ts';
import { isPlanThis, readAbout } from './about.ts';
import { type Held, readHeld } from './held.ts';
import { isPart } from './windows.ts';

type Sent = SentSignal['sent']['view'];

function valueIn(view: Sent, block: string) {
  return view.state?.values[block]?.[valueId];
}

export function readText(view: Sent): string {
  return valueIn(view, textBlock)?.value?.trim() ?? '';
}

/** Without empty ones; null without fields. */
export function readFieldValues(
  view: Sent,
  fields: Pick<Field, 'name' | 'type' | 'options'>[],
): Record<string, FieldValue> | null {
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

export function readTicked(view: Sent): number[] {
  const ticked: number[] = [];
  for (let index = 0; ; index++) {
    const entered = valueIn(view, partBlock(index));
    if (entered === undefined) return ticked;
    ticked.push(...(entered.selected_options ?? []).map(({ value }) => Number(value)));
  }
}

function objectToText(view: Sent, missing: string | null): string | null {
  const text = readText(view);
  if (text === '') return missing;
  if (text.length > maxText) return entryWords.tooLong({ atMost: maxText });
  return isStorableText(text) ? null : entryWords.notStorable;
}

/** The service checks again. */
function objectToFields(view: Sent, fields: Held['fields']): Record<string, string> {
  const form = fields.map((field) => ({ ...field, help: null, options: [] }));
  const given = readFieldValues(view, form) ?? {};
  const { problems } = readFields(form, given);
  return Object.fromEntries(problems.map(({ name, message }) => [fieldBlock(name), message]));
}

function objectToRequest(view: Sent): Acknowledgement {
  const about = readAbout(view);
  if (about === null) return null;
  const missing = about.text.trim() === '' ? planThisWords.nothing : null;
  const text = objectToText(view, missing);
  return text === null ? null : { response_action: 'errors', errors: { [textBlock]: text } };
}

/** Null if accepted. */
export function objectTo(signal: Signal): Acknowledgement {
  if (signal.kind !== 'sent') return null;
  const { view } = signal.sent;
  if (isPlanThis(view)) return objectToRequest(view);
  const held = readHeld(view.private_metadata);
  if (held === null) return null;
  if (isPart(view) && readTicked(view).length === 0)
    return { response_action: 'errors', errors: { [partBlock(0)]: entryWords.noneTicked } };
  const text = objectToText(view, held.missing);
  const errors = {
    ...objectToFields(view, held.fields),
    ...(text === null ? {} : { [textBlock]: text }),
  };
  return Object.keys(errors).length === 0 ? null : { response_action: 'errors', errors };
}
