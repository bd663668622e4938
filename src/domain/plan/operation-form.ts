// An operation's form fields, and which are shown.
import type { JsonObject } from '../text.ts';
import type {
  EntryKind,
  OperationField,
  OperationForm,
  OperationOffer,
  OutputChoice,
} from './operation-field.ts';

/** A later value is `{ "$from": "1", "path": "/text" }`. */
export type Entry = string | boolean | JsonObject;
export type Entries = Record<string, Entry>;

export type { EntryKind, OperationField, OperationForm, OperationOffer, OutputChoice };

export type Suggestion = { value: string; label: string };

export const isRecord = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const isOpenEntry = (value: unknown): value is JsonObject =>
  isRecord(value) &&
  Object.keys(value).some((key) => /^\$(?:from|decide|template|artifact)$/.test(key));

/** An entry that the field's own input could not show gets one for text. */
export function inputTypeOf(
  { type }: Pick<OperationField, 'type'>,
  entry: Entry | undefined,
): OperationField['type'] {
  if (typeof entry !== 'string' || type === 'multiline') return type;
  if (/[\r\n]/.test(entry)) return type === 'text' ? 'multiline' : type;
  return entry.includes('{{') ? 'text' : type;
}

export const pointerOf = (path: string[]): string =>
  path.map((key) => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');

function inItem(field: OperationField, index: number): OperationField {
  const { list, path, neededFrom, short } = field;
  if (list === null) return field;
  const at = list.path.length;
  const own = [...list.path, String(index), ...path.slice(at + 1)];
  const within = `${list.label} ${index + 1}`;
  const needed = neededFrom === null || index === 0 ? neededFrom : Math.max(neededFrom, at + 1);
  return {
    ...field,
    path: own,
    name: pointerOf(own),
    within,
    label: `${within}, ${short}`,
    neededFrom: needed,
    required: needed === 0 && !field.mayBeEmpty,
    list: { ...list, index },
  };
}

/** Default: as many as there are. */
export function repeatItems(
  fields: OperationField[],
  counts: Readonly<Record<string, number>>,
): OperationField[] {
  const done = new Set<string>();
  return fields.flatMap((field) => {
    const { list } = field;
    if (list === null) return [field];
    const name = pointerOf(list.path);
    if (done.has(name)) return [];
    done.add(name);
    const own = fields.filter((one) => one.list !== null && pointerOf(one.list.path) === name);
    const item = own.filter((one) => one.list?.index === 0);
    const known = Math.max(...own.map((one) => one.list?.index ?? 0)) + 1;
    return Array.from({ length: Math.max(1, counts[name] ?? known) }, (_, index) =>
      item.map((one) => inItem(one, index)),
    ).flat();
  });
}

export function visibleFields(fields: OperationField[], entries: Entries): OperationField[] {
  const byName = new Map(fields.map((field) => [field.name, field]));
  const isThere = ({ when }: OperationField): boolean => {
    if (when === null) return true;
    const other = byName.get(when.field);
    const chosen = entries[when.field] ?? other?.initial ?? '';
    return chosen === when.value && (other === undefined || isThere(other));
  };
  return fields.filter(isThere);
}

export function initialEntries(fields: OperationField[]): Entries {
  return Object.fromEntries(
    fields.flatMap(({ name, initial }) => (initial === null ? [] : [[name, initial]])),
  );
}
