// Fills for_each templates; items never become references.
import { isReference, isRuntime, isTemplate } from '#domain/plan/argument-kinds.ts';
import { writeTemplates } from '#domain/plan/templates.ts';
import { isObject, type Json } from '#domain/text.ts';
import { readPointer } from '#tools/resolve-arguments.ts';

const placeholder = /\{\{([^{}]{0,300})\}\}/g;
const alone = /^\{\{([^{}]{0,300})\}\}$/;

/** Null if no placeholder. */
function pointerOf(inside: string): string | null {
  const name = inside.trim();
  if (name === 'item') return '';
  return name.startsWith('item/') ? name.slice('item'.length) : null;
}

/** `*` joins all entries of a list. */
export function valueAt(item: Json, pointer: string): Json | undefined {
  const at = readPointer(item, pointer);
  if (at.ok) return at.value;
  const [to, ...below] = pointer.split(/\/\*(?=\/|$)/);
  const list = below.length === 0 ? undefined : valueAt(item, to ?? '');
  if (!Array.isArray(list)) return undefined;
  const values = list.map((one) => valueAt(one, below.join('/*')));
  return values.includes(undefined)
    ? undefined
    : values.map((one) => writeValue(one ?? '')).join(', ');
}

export function writeValue(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

type Write = (text: string) => Json;

/** Parsed like a model's arguments, so escaped. */
export const escapeText: Write = (text) => writeTemplates({ text }).text ?? text;

/** A lone placeholder becomes the value itself if plain. */
function fillText(text: string, item: Json, lacking: Set<string>, write: Write): Json {
  if (!text.includes('{{')) return text;
  const read = (pointer: string): Json => {
    const value = valueAt(item, pointer);
    if (value === undefined) lacking.add(pointer);
    return value ?? '';
  };
  const [, only] = alone.exec(text) ?? [];
  const whole = only === undefined ? null : pointerOf(only);
  if (whole !== null) {
    const value = read(whole);
    // Objects in items could pass for references.
    const isPlain = typeof value !== 'string' && !isObject(value) && !Array.isArray(value);
    return isPlain ? value : write(writeValue(value));
  }
  return text.replace(placeholder, (found, inside: string) => {
    const pointer = pointerOf(inside);
    return pointer === null ? found : writeValue(write(writeValue(read(pointer))));
  });
}

/** For a model: item values are quoted as data. */
function fillDecision(text: string, item: Json, lacking: Set<string>): string {
  return text.replace(placeholder, (found, inside: string) => {
    const pointer = pointerOf(inside);
    if (pointer === null) return found;
    const value = valueAt(item, pointer);
    if (value === undefined) lacking.add(pointer);
    return JSON.stringify(value ?? '');
  });
}

export function fill(template: Json, item: Json, lacking: Set<string>, write: Write): Json {
  if (typeof template === 'string') return fillText(template, item, lacking, write);
  if (isRuntime(template) && typeof template.$decide === 'string')
    return { $decide: fillDecision(template.$decide, item, lacking) };
  // Items never name source steps.
  if (isReference(template) || isRuntime(template) || isTemplate(template)) return template;
  if (Array.isArray(template)) return template.map((one) => fill(one, item, lacking, write));
  if (!isObject(template)) return template;
  return Object.fromEntries(
    Object.entries(template).map(([key, value]) => [key, fill(value, item, lacking, write)]),
  );
}
