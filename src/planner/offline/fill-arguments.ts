// Fills an operation's arguments from an instruction by their names, types and roles. What is missing is asked for by name.
import { type Json, type JsonObject, JsonValue } from '#contracts/text.ts';
import type { JsonSchema, OperationSpec } from '#contracts/tool.ts';
import { findAddresses, findPaths } from './paths.ts';
import { questions } from './questions.ts';
import type { ReadingContext } from './reading.ts';
import { type Field, hasRole, readFields, simplifyName, splitName } from './schema-fields.ts';
import { readQuote, shield, unshield } from './shield.ts';

export type Filled = { ok: true; args: JsonObject } | { ok: false; questions: string[] };

/** `text` is the instruction without the words that named the operation. */
export function fillArguments(spec: OperationSpec, text: string, context: ReadingContext): Filled {
  const fields = readFields(spec.input);
  const args: JsonObject = {};
  const given = readJson(unshield(text, context.shielded.quotes));
  if (given !== undefined && isObject(given)) Object.assign(args, pickKnown(given, fields));
  const explicit = readExplicit(text, fields, context);
  Object.assign(args, explicit.values);
  const sources = collectSources(explicit.rest, context);
  const asked: string[] = [];
  for (const field of fields) {
    if (args[field.name] !== undefined) continue;
    const question = questions.argument(field.name, spec.name, describeField(field));
    const answer = context.answers.get(question);
    const value =
      answer === undefined
        ? field.required
          ? guessValue(field, fields, sources, context)
          : undefined
        : coerceValue(field.schema, field, answer);
    if (value !== undefined) args[field.name] = value;
    else if (field.required) asked.push(question);
  }
  return asked.length > 0 ? { ok: false, questions: asked } : { ok: true, args };
}

function describeField(field: Field): string {
  if (field.values) return `One of: ${field.values.join(', ')}.`;
  if (field.type === 'array' && field.items) {
    const inner = readFields(field.items).map((item) => item.name);
    if (inner.length > 0) return `For each, give ${inner.map((name) => `${name}: …`).join(', ')}.`;
    return 'Several are separated by commas.';
  }
  if (field.type === 'object') {
    const inner = readFields(field.schema).map((item) => item.name);
    return inner.length > 0
      ? `Give ${inner.map((name) => `${name}: …`).join(', ')}.`
      : 'Give it as JSON.';
  }
  const told = field.description.split(/[.\n]/)[0]?.trim() ?? '';
  return told === '' || told.length > 120 ? '' : `${told}.`;
}

function isObject(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function readJson(text: string): Json | undefined {
  const start = text.search(/[{[]/);
  const end = Math.max(text.lastIndexOf('}'), text.lastIndexOf(']'));
  if (start < 0 || end <= start) return undefined;
  try {
    const parsed = JsonValue.safeParse(JSON.parse(text.slice(start, end + 1)));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined; // brackets that are no JSON are just text
  }
}

function pickKnown(given: JsonObject, fields: Field[]): JsonObject {
  return Object.fromEntries(
    Object.entries(given).filter(([name]) => fields.some((field) => field.name === name)),
  );
}

/** `name: value`, `name=value`, `entity type person`: arguments called by their own names. */
function readExplicit(
  text: string,
  fields: Field[],
  context: ReadingContext,
): { values: JsonObject; rest: string } {
  const values: JsonObject = {};
  const names = fields.map((field) => splitName(field.name).join('[ _-]?'));
  let rest = text;
  fields.forEach((field, index) => {
    const others = names.filter((_, i) => i !== index).join('|');
    const name = names[index] ?? '';
    const stop =
      others === ''
        ? '$'
        : String.raw`(?=\s*[,;]?\s*(?:and\s+)?\b(?:${others})\b\s*(?:[:=]|is\b|[\uE000-\uF8FF"\d])|\s*[,;]\s*(?:and\s+)?(?:${others})\b|$)`;
    const pattern = new RegExp(
      String.raw`(?:^|[\s,;(])(?:with\s+|and\s+|the\s+)*\b${name}\b\s*(?:[:=]\s*|\s(?:is|of|as|set to)\s+|\s+(?=[\uE000-\uF8FF\d-]))([\s\S]+?)${stop}`,
      'i',
    );
    const opening = new RegExp(
      String.raw`^\s*(?:with\s+|the\s+)*\b${name}\s+(\S[\s\S]*?)${stop}`,
      'i',
    );
    const match = pattern.exec(rest) ?? (field.type === 'string' ? opening.exec(rest) : null);
    if (!match?.[1]) return;
    const value = coerceValue(field.schema, field, unshieldValue(match[1], context));
    if (value === undefined) return;
    values[field.name] = value;
    rest = rest.replace(match[0], ' ');
  });
  return { values, rest };
}

function unshieldValue(text: string, context: ReadingContext): string {
  const clean = text.trim().replace(/[,;]+$/, '');
  return readQuote(clean, context.shielded.quotes) ?? unshield(clean, context.shielded.quotes);
}

type Sources = {
  paths: string[];
  urls: string[];
  numbers: number[];
  quotes: string[];
  tail: string;
};

const tailMarker =
  /^(?:[\s\S]*?\b)?(?:saying|says|that says|with the (?:text|message|content|query|words?)|containing|called|named|with|for|about|of|to|:)\s+([\s\S]+)$/i;

function collectSources(text: string, context: ReadingContext): Sources {
  const quotes = [...text]
    .map((char) => readQuote(char, context.shielded.quotes))
    .filter((q) => q !== undefined);
  const urls = findAddresses(text);
  const paths = findPaths(text, context.shielded).map((item) => item.path);
  const numbers = [...text.matchAll(/(?<![\p{L}\p{N}.])-?\d+(?:\.\d+)?(?![\p{L}\p{N}])/gu)].map(
    (match) => Number(match[0]),
  );
  return {
    paths: paths.length > 0 ? paths : [],
    urls,
    numbers,
    quotes,
    tail: text.trim().replace(/[.!?]+$/, ''),
  };
}

/** A required argument that was not called by its name. Each piece of the text is used once. */
function guessValue(
  field: Field,
  fields: Field[],
  sources: Sources,
  context: ReadingContext,
): Json | undefined {
  if (field.values) {
    return field.values.find((value) =>
      new RegExp(`\\b${String(value).replace(/\W/g, '\\$&')}\\b`, 'i').test(sources.tail),
    );
  }
  switch (field.type) {
    case 'number':
    case 'integer':
      return sources.numbers.shift();
    case 'boolean':
      return undefined;
    case 'array':
      return guessList(field, sources, context);
    case 'object':
      return undefined;
    case 'string':
    case 'any':
      return guessText(field, fields, sources, context);
    default:
      return field.type satisfies never;
  }
}

function guessText(
  field: Field,
  fields: Field[],
  sources: Sources,
  context: ReadingContext,
): string | undefined {
  if (hasRole(field, 'url') && sources.urls.length > 0) return sources.urls.shift();
  const pathLike =
    hasRole(field, 'path') ||
    hasRole(field, 'from') ||
    hasRole(field, 'to') ||
    /path|file$/i.test(field.name);
  if (pathLike) return sources.paths.shift() ?? context.focus.paths[0];
  if (sources.quotes.length > 0) return sources.quotes.shift();
  const texts = fields.filter(
    (other) =>
      other.required &&
      (other.type === 'string' || other.type === 'any') &&
      !/path|url|file/i.test(other.name),
  );
  if (texts.length !== 1) return undefined;
  const marked = /^(?:with|for|about|of|saying|that says|called|named|:)\s+/i.test(sources.tail)
    ? tailMarker.exec(sources.tail)?.[1]
    : sources.tail;
  const words = unshield((marked ?? '').trim(), context.shielded.quotes);
  return words === '' ? undefined : words;
}

function guessList(field: Field, sources: Sources, context: ReadingContext): Json | undefined {
  if (field.items && readFields(field.items).length > 0) {
    const one = readObjectText(field.items, unshield(sources.tail, context.shielded.quotes));
    return one === undefined ? undefined : [one];
  }
  if (sources.quotes.length > 0) return sources.quotes.splice(0);
  if (/path|file/i.test(field.name))
    return sources.paths.length > 0 ? sources.paths.splice(0) : undefined;
  const words = sources.tail.replace(/^(?:with|for|about|of|called|named|:)\s+/i, '');
  const list = splitList(words);
  return list.length > 0 ? list : undefined;
}

function splitList(text: string): string[] {
  return text
    .split(/\s*,\s*(?:and\s+)?|\s+and\s+|\s*\n\s*/)
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

/** "name: Ana, entityType: person" → an object, when every required field is there. */
function readObjectText(schema: JsonSchema, text: string): JsonObject | undefined {
  const fields = readFields(schema);
  const json = readJson(text);
  if (json !== undefined && isObject(json)) return pickKnown(json, fields);
  const names = fields.map((field) => splitName(field.name).join('[ _-]?')).join('|');
  const pieces = [
    ...text.matchAll(
      new RegExp(
        String.raw`\b(${names})\b\s*(?:[:=]|\bis\b)?\s*([\s\S]+?)(?=\s*[,;]?\s*(?:and\s+|with\s+|of\s+)*\b(?:${names})\b\s*(?:[:=]|is\b|\S)|$)`,
        'gi',
      ),
    ),
  ];
  const values: JsonObject = {};
  for (const [, name = '', raw = ''] of pieces) {
    const field = fields.find((candidate) => simplifyName(candidate.name) === simplifyName(name));
    const value = field && coerceValue(field.schema, field, raw.trim().replace(/[,;.]+$/, ''));
    if (field && value !== undefined) values[field.name] = value;
  }
  return fields.some((field) => field.required && values[field.name] === undefined)
    ? undefined
    : values;
}

/** An answer or a value in the type that the schema wants; undefined when it does not fit. */
function coerceValue(schema: JsonSchema, field: Field, text: string): Json | undefined {
  const clean = text.trim();
  switch (field.type) {
    case 'number':
    case 'integer': {
      const number = Number(clean.replace(/,(?=\d{3}\b)/g, ''));
      return clean === '' ||
        !Number.isFinite(number) ||
        (field.type === 'integer' && !Number.isInteger(number))
        ? undefined
        : number;
    }
    case 'boolean':
      if (/^(?:yes|true|on|y)$/i.test(clean)) return true;
      return /^(?:no|false|off|n)$/i.test(clean) ? false : undefined;
    case 'array': {
      const json = readJson(clean);
      if (Array.isArray(json)) return json;
      if (field.items && readFields(field.items).length > 0) {
        const one = readObjectText(field.items, clean);
        return one === undefined ? undefined : [one];
      }
      return splitList(clean);
    }
    case 'object': {
      const json = readJson(clean);
      return json !== undefined && isObject(json) ? json : readObjectText(schema, clean);
    }
    case 'string': {
      const { text: hidden, quotes } = shield(clean);
      const value = readQuote(hidden, quotes) ?? clean;
      if (!field.values) return value;
      return field.values.find((allowed) => String(allowed).toLowerCase() === value.toLowerCase());
    }
    case 'any':
      return readJson(clean) ?? clean;
    default:
      return field.type satisfies never;
  }
}
