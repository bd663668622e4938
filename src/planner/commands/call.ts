// Operations by name: "call everything_echo with message: hi", "workspace_move {…}", "search nodes for Ana". Arguments come by
// their own names, as JSON, or alone where only one is needed; what is missing is asked for, and no word is left over.
import { parseRequestJson } from '#domain/json.ts';
import { type Json, JsonObject, parseJson } from '#domain/text.ts';
import type { JsonSchema, OperationSpec } from '#domain/tool.ts';
import type { Built } from './forms.ts';
import { type Reading, type Span, spanOf } from './match.ts';
import { type Field, readFields, simplifyName, splitName } from './schema-fields.ts';
import { findDoubt, type TextProblem } from './texts.ts';
import { value } from './tokens.ts';

export type Named = { spec: OperationSpec; at: number };

const calls = /^(?:call|run|use|invoke|execute)$/;
const articles = /^(?:a|an|the|all|my)$/;
const stem = (word: string): string =>
  word.replace(/ies$/, 'y').replace(/(?<=[a-z]{3})(?:es|s)$/, '');

/** The operation whose full name stands at the beginning of the clause. */
export function nameOperation(
  { tokens, end }: Reading,
  from: number,
  manifest: OperationSpec[],
): Named | null {
  let at = from;
  if (calls.test(value(tokens[at]))) {
    at += 1;
    if (value(tokens[at]) === 'the') at += 1;
    if (/^(?:tool|operation)$/.test(value(tokens[at]))) at += 1;
  }
  const name = value(tokens[at]);
  const spec = at < end ? manifest.find((one) => one.name.toLowerCase() === name) : undefined;
  return spec === undefined ? null : { spec, at: at + 1 };
}

/** An MCP operation said by the words of its name: "create an entity", "toggle simulated logging". */
export function findByWords(
  { tokens, end }: Reading,
  from: number,
  manifest: OperationSpec[],
): Named | null {
  let best: (Named & { words: number }) | null = null;
  for (const spec of manifest) {
    if (spec.source !== 'mcp') continue;
    const words = splitName(spec.operation);
    let at = from;
    const fits = words.every((word) => {
      while (at > from && articles.test(value(tokens[at]))) at += 1;
      const said = value(tokens[at]);
      at += 1;
      return at <= end && stem(said) === stem(word);
    });
    if (fits && (best === null || words.length > best.words))
      best = { spec, at, words: words.length };
  }
  return best ?? findSum({ tokens, end }, from, manifest);
}

/** "Add 2 and 3" is a sum, where there is an operation for it. */
function findSum(
  { tokens, end }: Pick<Reading, 'tokens' | 'end'>,
  from: number,
  manifest: OperationSpec[],
): Named | null {
  const numbers = end - from > 1 && tokens[from + 1]?.kind === 'number';
  if (!numbers || !/^(?:add|sum)$/.test(value(tokens[from]))) return null;
  const spec = manifest.find(
    (one) =>
      splitName(one.operation).some((word) => /^(?:sum|add)$/.test(word)) &&
      readFields(one.input).filter(({ required, type }) => required && type === 'number').length ===
        2,
  );
  return spec === undefined ? null : { spec, at: from + 1 };
}

/** null: words are left over. */
export function callOperation(
  reading: Reading,
  { spec, at: begin }: Named,
  answers: ReadonlyMap<string, string>,
  id: string,
): Built | null {
  const fields = readFields(spec.input);
  let at = begin;
  while (
    at < reading.end &&
    /^(?:with|on|for|using|named|called|:|to|of)$/.test(value(reading.tokens[at]))
  )
    at += 1;
  const texts: Span[] = [];
  const args = readArguments(reading, at, fields, spec.input, texts);
  if (args === null) return null;
  for (const span of texts) {
    const doubt = findMore(span, reading);
    if (doubt !== null) return doubt;
  }
  for (const field of fields) {
    if (!field.required || args[field.name] !== undefined) continue;
    const kind = `argument ${field.name}`;
    const answer = answers.get(`${kind} ${id}`);
    const given = answer === undefined ? undefined : coerce(field, answer);
    if (given === undefined)
      return {
        missing: [
          {
            kind,
            ask: `What should "${field.name}" be for ${spec.name}?${describe(field)}`,
            read: (said) => said,
          },
        ],
        fill: () => ({ do: 'call', spec, args }),
      };
    args[field.name] = given;
  }
  return { command: { do: 'call', spec, args } };
}

/** What may be said besides a text: behind a path, anything. */
function findMore(span: Span, reading: Reading): { problem: TextProblem } | null {
  if (span.quoted) return null;
  const isLonger = reading.tokens[span.from]?.kind === 'path' && span.to > span.from + 1;
  return isLonger
    ? { problem: { kind: 'exact', words: span.text } }
    : findDoubt(span, reading, 'marker');
}

function describe(field: Field): string {
  if (field.values) return ` One of: ${field.values.join(', ')}.`;
  const inner = readFields(field.items ?? field.schema).map(({ name }) => `${name}: …`);
  if (inner.length > 0)
    return ` ${field.type === 'array' ? 'For each, give' : 'Give'} ${inner.join(', ')}.`;
  return field.type === 'array' ? ' Several are separated by commas.' : '';
}

function readArguments(
  reading: Reading,
  at: number,
  fields: readonly Field[],
  schema: JsonSchema,
  /** Filled with the texts among them. */
  texts: Span[],
): JsonObject | null {
  const { tokens, end } = reading;
  if (at >= end) return {};
  const only = tokens[at];
  if (only?.kind === 'json' && at + 1 === end) {
    const given = JsonObject.safeParse(parseRequestJson(only.value));
    const known =
      given.success &&
      Object.keys(given.data).every((key) => fields.some(({ name }) => name === key));
    return known ? given.data : null;
  }
  const named = readNamed(reading, at, schema, texts);
  if (named !== null) return named;
  const required = fields.filter((field) => field.required);
  const numbers = tokens
    .slice(at, end)
    .filter((token) => value(token) !== 'and' && value(token) !== ',');
  const all = numbers.every(({ kind }) => kind === 'number');
  if (
    all &&
    numbers.length <= required.length &&
    required.every(({ type }) => /^(?:number|integer)$/.test(type))
  )
    return Object.fromEntries(
      numbers.map(({ value: text }, k) => [required[k]?.name ?? '', Number(text)]),
    );
  const [field, ...others] = required.length > 0 ? required : fields;
  if (field === undefined || others.length > 0) return null;
  if (field.type === 'array' && field.items !== null && readFields(field.items).length > 0) {
    const one = readNamed(reading, at, field.items, texts);
    return one === null ? {} : { [field.name]: [one] };
  }
  const span = spanOf(reading, at, end);
  if (field.type === 'string') texts.push(span);
  const given = coerce(field, span.text);
  return given === undefined ? null : { [field.name]: given };
}

/** `name: value, other: value`; the first may do without its colon: "message hi there". */
function readNamed(
  reading: Reading,
  from: number,
  schema: JsonSchema,
  texts: Span[],
): JsonObject | null {
  const fields = readFields(schema);
  const { tokens, end } = reading;
  const starts: { field: Field; at: number; next: number }[] = [];
  for (let at = from; at < end; at += 1) {
    const token = tokens[at];
    const field =
      token?.kind === 'quote'
        ? undefined
        : fields.find(({ name }) => simplifyName(name) === simplifyName(token?.text ?? ''));
    if (field === undefined) continue;
    const colon = /^[:=]$/.test(tokens[at + 1]?.text ?? '');
    if (colon || at === from) starts.push({ field, at, next: at + (colon ? 2 : 1) });
  }
  if (starts[0]?.at !== from) return null;
  const values: JsonObject = {};
  for (const [k, { field, next }] of starts.entries()) {
    let to = starts[k + 1]?.at ?? end;
    while (to > next && /^(?:,|;|and)$/.test(value(tokens[to - 1]))) to -= 1;
    const span = spanOf(reading, next, to);
    if (field.type === 'string') texts.push(span);
    const given = coerce(field, span.text);
    if (given === undefined || values[field.name] !== undefined) return null;
    values[field.name] = given;
  }
  return values;
}

/** A value in the type that the schema wants; undefined where it does not fit. */
function coerce({ type, values, items }: Field, text: string): Json | undefined {
  const clean = text.trim();
  if (clean === '') return undefined;
  if (values !== null)
    return values.find((one) => String(one).toLowerCase() === clean.toLowerCase());
  if (type === 'string') return clean;
  const json = parseJson(clean);
  switch (type) {
    case 'array':
      if (Array.isArray(json)) return json;
      if (items !== null && readFields(items).length > 0) return undefined;
      return clean.split(/,(?:\s{0,9}and\s)?|\sand\s/).map((one) => one.trim());
    case 'any':
      return json ?? clean;
    default:
      return typeof json === (type === 'integer' ? 'number' : type) ? json : undefined;
  }
}
