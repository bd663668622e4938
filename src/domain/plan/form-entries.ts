// Form entries to arguments and back, shared with the console.
import { parseExactly } from '../exact-json.ts';
import { quoteName } from '../shown-text.ts';
import type { Json, JsonObject } from '../text.ts';
import { isStorableText, listOf } from '../words.ts';
import { type FieldProblem, readField } from './answer.ts';
import {
  type Entries,
  type Entry,
  isOpenEntry,
  isRecord,
  type OperationField,
  pointerOf,
  repeatItems,
  visibleFields,
} from './operation-form.ts';

/** Local time (`2026-12-03T09:00`) to and from a moment; null if invalid. */
export type Zone = {
  toMoment(local: string): string | null;
  toLocal(moment: string): string | null;
  toDay?(words: string): string | null;
};

const startsWith = (path: string[], start: string[]) =>
  start.every((key, index) => path[index] === key);

type Read = { value: Json } | { message: string };

const refuse = (field: OperationField, rest: string): Read => ({
  message: `${quoteName(field.label, 200)} ${rest}`,
});

function parseText(text: string): Json | undefined {
  try {
    return parseExactly(text) as Json;
  } catch {
    return undefined;
  }
}

function readLines(field: OperationField, text: string): Read {
  const whole = text.trimStart().startsWith('[') ? parseText(text) : undefined;
  if (Array.isArray(whole)) return { value: whole };
  const lines = text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const { options, numbers } = field;
  const allowed = options.map(({ value }) => value);
  const wrong = lines.find((line) => options.length > 0 && !allowed.includes(line));
  if (wrong !== undefined)
    return refuse(field, `must be ${listOf(allowed, 'or')}, not ${quoteName(wrong, 80)}.`);
  if (!numbers) return { value: lines };
  const values = lines.map(Number);
  return values.every(Number.isFinite)
    ? { value: values }
    : refuse(field, 'must be one number per line.');
}

function readPairs(field: OperationField, text: string): Read {
  const whole = text.trimStart().startsWith('{') ? parseText(text) : undefined;
  if (isRecord(whole)) return { value: whole };
  const pairs: [string, string][] = [];
  for (const line of text.split(/\r?\n/)) {
    if (line.trim() === '') continue;
    const at = line.indexOf(':');
    if (at < 1) return refuse(field, 'must be one name: value per line.');
    pairs.push([line.slice(0, at).trim(), line.slice(at + 1).trim()]);
  }
  return { value: Object.fromEntries(pairs) };
}

/** A text with later values in place of a choice, day or time. */
const isTemplateEntry = ({ holds, type }: OperationField, text: string): boolean =>
  (holds === 'moment' || (holds === 'value' && (type === 'choice' || type === 'date'))) &&
  /\{\{[^{}]+\}\}/.test(text);

function readGiven(field: OperationField, entry: string | boolean, zone: Zone): Read {
  const text = String(entry);
  if (!isStorableText(text)) return refuse(field, 'contains characters that cannot be stored.');
  if (isTemplateEntry(field, text)) return { value: text.trim() };
  switch (field.holds) {
    case 'list':
      return readLines(field, text);
    case 'pairs':
      return readPairs(field, text);
    case 'moment': {
      const moment = zone.toMoment(text.trim());
      return moment === null
        ? refuse(field, 'must be a time such as 2026-12-03 09:00.')
        : { value: moment };
    }
    case 'either': {
      const value = /^\s*[[{]/.test(text) ? parseText(text) : undefined;
      return { value: value ?? text };
    }
    case 'json': {
      const value = parseText(text);
      return value === undefined
        ? refuse(field, 'must be JSON, such as {"name": "value"} or ["a", "b"].')
        : { value };
    }
    case 'value':
    case 'variant': {
      if (field.type === 'multiline') return { value: text };
      if (field.type === 'text') return { value: text.trim() };
      const day = field.type === 'date' ? zone.toDay?.(text) : null;
      const read = readField(field, day ?? entry);
      return read.ok ? { value: read.value } : { message: read.message };
    }
    default:
      return field.holds satisfies never;
  }
}

const isBlank = (entry: Entry | undefined): boolean =>
  entry === undefined || (typeof entry === 'string' && entry.trim() === '');

/** Numeric keys below a list are items. */
function writeValue(root: JsonObject, path: string[], value: Json, lists: Set<string>): void {
  let at: JsonObject | Json[] = root;
  for (const [depth, key] of path.entries()) {
    const last = depth === path.length - 1;
    const here: Json | undefined = Object.hasOwn(at, key) ? Reflect.get(at, key) : undefined;
    const isContainer = typeof here === 'object' && here !== null;
    const empty = lists.has(pointerOf(path.slice(0, depth + 1))) ? [] : {};
    const next: Json = last ? value : isContainer ? here : empty;
    Object.defineProperty(at, key, {
      value: next,
      enumerable: true,
      configurable: true,
      writable: true,
    });
    if (!last) at = next as JsonObject | Json[]; // created or found above
  }
}

/** A whole list can be one open entry. */
const listsOf = (fields: OperationField[]): string[][] =>
  fields.flatMap(({ list }) => (list?.index === 0 ? [list.path] : []));

function closeGaps(value: Json): Json {
  if (isOpenEntry(value)) return value;
  if (Array.isArray(value)) return value.filter(() => true).map(closeGaps);
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, closeGaps(item)]));
}

/** Surfaces may send a boolean as a word. */
const isSame = (entry: Entry | undefined, initial: Entry | null): boolean =>
  typeof entry !== 'object' && initial !== null && String(entry) === String(initial);

export type ReadEntries = { args: JsonObject; problems: FieldProblem[] };

/** Schema errors are left to the draft's check. @param kept arguments without a field */
export function readEntries(
  fields: OperationField[],
  entries: Entries,
  zone: Zone,
  kept: JsonObject = {},
): ReadEntries {
  const problems: FieldProblem[] = [];
  const given: { path: string[]; value: Json }[] = [];
  const open = new Set<string>();
  for (const path of listsOf(fields)) {
    const entry = entries[pointerOf(path)];
    if (!isOpenEntry(entry)) continue;
    open.add(pointerOf(path));
    given.push({ path, value: entry });
  }
  const shown = visibleFields(fields, entries).filter(
    ({ list }) => list === null || !open.has(pointerOf(list.path)),
  );
  const left: OperationField[] = [];
  for (const field of shown) {
    const entry = entries[field.name];
    if (field.holds === 'variant') continue;
    const asDefault = field.neededFrom !== 0 && isSame(entry, field.initial);
    if (entry === undefined || isBlank(entry) || asDefault) {
      left.push(field);
      continue;
    }
    const read: Read = typeof entry === 'object' ? { value: entry } : readGiven(field, entry, zone);
    if ('message' in read) problems.push({ name: field.name, message: read.message });
    else given.push({ path: field.path, value: read.value });
  }
  const noted = new Set(problems.map(({ name }) => name));
  const touched = shown.flatMap(({ name, path }) => (noted.has(name) ? [path] : []));
  const present = [...given.map(({ path }) => path), ...touched];
  for (const field of left) {
    const { neededFrom, path, mayBeEmpty, name, initial } = field;
    if (neededFrom === null || initial !== null) continue;
    const start = path.slice(0, neededFrom);
    if (neededFrom > 0 && !present.some((one) => startsWith(one, start))) continue;
    if (mayBeEmpty) given.push({ path, value: [] });
    else problems.push({ name, message: `${quoteName(field.label, 200)} is missing.` });
  }
  const lists = new Set(listsOf(shown).map(pointerOf));
  const whole = given.find(({ path }) => path.length === 0);
  if (whole !== undefined)
    return isRecord(whole.value)
      ? { args: whole.value, problems }
      : { args: {}, problems: [{ name: '', message: 'The arguments must be a JSON object.' }] };
  const args = structuredClone(kept);
  for (const path of listsOf(shown)) {
    const items = readAt(args, path);
    if (!Array.isArray(items)) continue;
    const own = shown.flatMap(({ list }) =>
      list !== null && pointerOf(list.path) === pointerOf(path) ? [list.index + 1] : [],
    );
    items.length = Math.min(items.length, Math.max(...own));
  }
  for (const { path, value } of given) writeValue(args, path, value, lists);
  return { args: closeGaps(args) as JsonObject, problems };
}

function readAt(value: Json | undefined, path: string[]): Json | undefined {
  let at: Json | undefined = value;
  for (const key of path) {
    if (typeof at !== 'object' || at === null || isOpenEntry(at) || !Object.hasOwn(at, key))
      return undefined;
    at = Reflect.get(at, key);
  }
  return at;
}

const onOneLine = (value: Json): boolean =>
  typeof value === 'number' || (typeof value === 'string' && !/[\r\n]|^\s|\s$|^$/.test(value));

export function toEntry({ holds, type }: OperationField, value: Json, zone: Zone): Entry {
  if (isOpenEntry(value)) return value;
  const json = () => JSON.stringify(value, null, 2);
  switch (holds) {
    case 'list':
      return Array.isArray(value) && value.every(onOneLine) ? value.join('\n') : json();
    case 'pairs': {
      const pairs = isRecord(value) ? Object.entries(value) : [];
      return pairs.every(([key, item]) => onOneLine(key) && onOneLine(item) && !key.includes(':'))
        ? pairs.map(([key, item]) => `${key}: ${String(item)}`).join('\n')
        : json();
    }
    case 'json':
      return type === 'choice' ? JSON.stringify(value) : json();
    case 'moment':
      return typeof value === 'string' ? (zone.toLocal(value) ?? value) : json();
    default:
      if (typeof value === 'string' || typeof value === 'boolean') return value;
      return typeof value === 'object' ? json() : String(value);
  }
}

const isEmpty = (value: Json | undefined): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length === 0;

/** Undefined if nothing is left. */
function withoutPaths(value: Json, paths: string[][]): Json | undefined {
  if (paths.some((path) => path.length === 0)) return undefined;
  const isContainer = Array.isArray(value) || isRecord(value);
  if (paths.length === 0 || !isContainer || isOpenEntry(value)) return value;
  const rest = Object.entries(value).flatMap(([key, item]): [string, Json][] => {
    const below = paths.flatMap(([first, ...path]) => (first === key ? [path] : []));
    const inside = withoutPaths(item, below);
    return inside === undefined ? [] : [[key, inside]];
  });
  if (rest.length === 0) return isEmpty(value) ? value : undefined;
  if (!Array.isArray(value)) return Object.fromEntries(rest);
  const list: Json[] = [];
  for (const [index, item] of rest) list[Number(index)] = item;
  return list;
}

/** Templates must be written out first (`writeTemplates`). */
export function toEntries(
  fields: OperationField[],
  args: JsonObject,
  zone: Zone,
): { fields: OperationField[]; entries: Entries; kept: JsonObject } {
  const counts: Record<string, number> = {};
  for (const { list } of fields) {
    const items = list === null ? undefined : readAt(args, list.path);
    if (list !== null && Array.isArray(items)) counts[pointerOf(list.path)] = items.length;
  }
  // An unset default stays open, so that an unchanged form changes nothing.
  const all = repeatItems(fields, counts).map((field) => ({
    ...field,
    initial: field.holds === 'variant' ? field.initial : null,
  }));
  const entries: Entries = {};
  const covered: string[][] = [];
  for (const path of listsOf(fields)) {
    const whole = readAt(args, path);
    if (!isOpenEntry(whole)) continue;
    entries[pointerOf(path)] = whole;
    covered.push(path);
  }
  for (const field of all) {
    if (field.holds !== 'variant') {
      const value = readAt(args, field.path);
      if (value !== undefined) entries[field.name] = toEntry(field, value, zone);
      continue;
    }
    const filled = field.options.map(({ value }) => {
      const own = all.filter(({ when }) => when?.field === field.name && when.value === value);
      return { value, count: own.filter((one) => readAt(args, one.path) !== undefined).length };
    });
    const [best] = filled.toSorted((a, b) => b.count - a.count);
    if (best !== undefined && best.count > 0) entries[field.name] = best.value;
  }
  const there = visibleFields(all, entries);
  for (const { name } of all) if (!there.some((field) => field.name === name)) delete entries[name];
  const shown = there.filter(({ holds }) => holds !== 'variant');
  // An empty list has no entry, and stays.
  covered.push(...shown.map(({ path }) => path).filter((path) => !isEmpty(readAt(args, path))));
  const kept = withoutPaths(args, covered);
  return { fields: all, entries, kept: isRecord(kept) ? kept : {} };
}
