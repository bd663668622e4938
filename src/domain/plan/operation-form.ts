// The fields of a form for an operation's arguments, and which of them are there. Every surface and the console's page share it;
// `#tools/operation-form.ts` makes the fields from a schema, `form-entries.ts` reads what was entered.
import type { JsonObject } from '../text.ts';
import type { FormField } from './form.ts';

/**
 * How an entry is read: `value` by the field's type, `list` one item a line, `pairs` as `name: value` lines, `json` as JSON,
 * `either` as text unless it is a JSON object or list, `moment` as a time of the reader's zone; `variant` only shows other fields.
 */
export type EntryKind = 'value' | 'list' | 'pairs' | 'json' | 'either' | 'moment' | 'variant';

/** A string or boolean as entered, or a value that is known later: `{ "$from": "1", "path": "/text" }`. */
export type Entry = string | boolean | JsonObject;
export type Entries = Record<string, Entry>;

/** A field of a form whose `name` is the JSON pointer of its value; surfaces draw it by its `type` like any other. */
export type OperationField = FormField & {
  path: string[];
  holds: EntryKind;
  /** Of a list: its items are numbers; it may have none. */
  numbers: boolean;
  mayBeEmpty: boolean;
  /** Length of the beginning of `path` that makes it required if anything is given below it; 0: always, null: never. */
  neededFrom: number | null;
  /** The schema's default; an unchanged one is not sent. */
  initial: Entry | null;
  /** Its label without `within`. */
  short: string;
  /** The object or the list item that it is in: `Entities 1`, or empty. */
  within: string;
  /** The list of objects that it is an item's field of; null: none. */
  list: { path: string[]; label: string; index: number } | null;
  /** It is there only while another field has this value. */
  when: { field: string; value: string } | null;
  /** Which values `Service.suggestValues` knows; null: none. */
  pick: 'file' | 'person' | null;
};

/** A value that a later step can use: its pointer in the output, and what it is. */
export type OutputChoice = { path: string; label: string };

/** An operation with all that a form needs. */
export type OperationForm = OperationOffer & {
  fields: OperationField[];
  outputs: OutputChoice[];
};

/** A value to choose, and what people call it. */
export type Suggestion = { value: string; label: string };

/** An operation as a search finds it. */
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

/** Whether the value is known only when the step runs. */
export const isOpenEntry = (value: unknown): value is JsonObject =>
  isRecord(value) && ['$from', '$decide', '$template', '$artifact'].some((key) => key in value);

export const pointerOf = (path: string[]): string =>
  path.map((key) => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');

/** The same field in another item of its list. */
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

/** The fields with as many items of each list as `counts` says, by the list's pointer; one where it says nothing. */
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
    const item = fields.filter((one) => one.list?.index === 0 && pointerOf(one.list.path) === name);
    return Array.from({ length: Math.max(1, counts[name] ?? 1) }, (_, index) =>
      item.map((one) => inItem(one, index)),
    ).flat();
  });
}

/** The fields that are there for what was entered: those of the alternative that was chosen. */
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

/** What a form begins with: the defaults of the schema. */
export function initialEntries(fields: OperationField[]): Entries {
  return Object.fromEntries(
    fields.flatMap(({ name, initial }) => (initial === null ? [] : [[name, initial]])),
  );
}
