// Form fields of an operation's arguments and their visibility, for every surface. `#tools/operation-form.ts` makes them from a
// schema, `form-entries.ts` reads entries.
import type { JsonObject } from '../text.ts';
import type { FormField } from './form.ts';

/**
 * How an entry is read: `value` by type, `list` one item per line, `pairs` as `name: value` lines, `json`, `either` text or a
 * JSON object or list, `moment` in the reader's zone; `variant` only shows other fields.
 */
export const entryKinds = [
  'value',
  'list',
  'pairs',
  'json',
  'either',
  'moment',
  'variant',
] as const;
export type EntryKind = (typeof entryKinds)[number];

/** Text or boolean as entered, or a later value: `{ "$from": "1", "path": "/text" }`. */
export type Entry = string | boolean | JsonObject;
export type Entries = Record<string, Entry>;

/** `name` is the value's JSON pointer; drawn by `type` like any field. */
export type OperationField = FormField & {
  path: string[];
  holds: EntryKind;
  /** For lists: items are numbers; may be empty. */
  numbers: boolean;
  mayBeEmpty: boolean;
  /** Length of the prefix of `path` below which any entry makes it required; 0 for always, null for never. */
  neededFrom: number | null;
  /** The schema's default, not sent if unchanged. */
  initial: Entry | null;
  /** The label without `within`. */
  short: string;
  /** Its object or list item, such as `Entities 1`, or empty. */
  within: string;
  /** The list of objects it is an item's field of, or null. */
  list: { path: string[]; label: string; index: number } | null;
  /** Shown only while another field has this value. */
  when: { field: string; value: string } | null;
  /** The kind of `Service.suggestValues`, or null. */
  pick: 'file' | 'person' | null;
};

/** An output value that later steps can use, by pointer. */
export type OutputChoice = { path: string; label: string };

export type OperationForm = OperationOffer & {
  fields: OperationField[];
  outputs: OutputChoice[];
};

export type Suggestion = { value: string; label: string };

/** An operation in search results. */
export type OperationOffer = {
  name: string;
  tool: string;
  operation: string;
  description: string;
  effect: 'read' | 'idempotent' | 'write';
  destructive: boolean;
  guarded: boolean;
  human: boolean;
  source: 'builtin' | 'mcp' | 'file';
};

export const isRecord = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Whether the value is only known when the step runs. */
export const isOpenEntry = (value: unknown): value is JsonObject =>
  isRecord(value) &&
  Object.keys(value).some((key) => /^\$(?:from|decide|template|artifact)$/.test(key));

export const pointerOf = (path: string[]): string =>
  path.map((key) => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');

/** The same field in another list item. */
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

/** Repeats list fields as `counts` says, by the list's pointer; default as often as there are. */
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

/** The fields shown for these entries, by chosen alternatives. */
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

/** The schema's defaults. */
export function initialEntries(fields: OperationField[]): Entries {
  return Object.fromEntries(
    fields.flatMap(({ name, initial }) => (initial === null ? [] : [[name, initial]])),
  );
}
