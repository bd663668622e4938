// Describes operations for a model, in one line or in full.
import { isObject } from '#domain/text.ts';
import type { JsonSchema, OperationSpec } from '#domain/tool.ts';
import { firstSentence, onOneLine } from '#domain/words.ts';

const typeNames = new Set<unknown>([
  'string',
  'number',
  'integer',
  'boolean',
  'object',
  'array',
  'null',
]);
const maxValues = 12;
const maxDescription = 140;
/** Reads keep rules such as patterns, which decide whether they find anything. */
const maxReadDescription = 400;
const maxArguments = 300;
const maxOutput = 130;
/** Characters; longer outputs are not repeated. */
const longOutput = 40;
const maxPart = 6000;

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most).toWellFormed()}…`;
}

export type OperationAccess = {
  guarded: ReadonlySet<string>;
  readable: ReadonlySet<string>;
};

function marksOf({ name, human, destructive }: OperationSpec, access: OperationAccess): string {
  const marks = [
    ...(access.readable.has(name) ? ['read'] : []),
    ...(human === true ? ['a person does it'] : []),
    ...(destructive ? ['destructive'] : []),
    ...(access.guarded.has(name) ? ['guarded'] : []),
  ];
  return marks.length === 0 ? '' : ` [${marks.join(', ')}]`;
}

function outputOf({ anyOf, ...rest }: JsonSchema): JsonSchema {
  const [first] = Array.isArray(anyOf) ? anyOf : [];
  return isObject(first) ? first : { ...rest, ...(anyOf === undefined ? {} : { anyOf }) };
}

const plainTypes = new Set<unknown>(['string', 'integer', 'number', 'boolean', 'null']);
const arePlain = (type: unknown) => [type].flat().every((one) => plainTypes.has(one));

/** Its output, where or when, is of no use to steps. */
function isReceipt({ source, effect, human, output }: OperationSpec): boolean {
  if (source !== 'builtin' || effect === 'read' || human === true) return false;
  const properties = isObject(output?.properties) ? Object.values(output.properties) : [];
  const isPlain = (one: unknown): boolean =>
    isObject(one) &&
    (arePlain(one.type) ||
      (one.type === 'array' && isPlain(one.items)) ||
      (Array.isArray(one.anyOf) && one.anyOf.every(isPlain)));
  return properties.every(isPlain);
}

const longEnumeration = /: "\w+"(?: \| "\w+"){3,20}(?=;|$)/g;

/**
 * `crm_save(path; content; overwrite?: boolean) -> { id; size: number } [destructive]: Save a file`
 * @param outputs already written, with their operation, to write each once
 */
export function writeLine(
  spec: OperationSpec,
  access: OperationAccess,
  outputs = new Map<string, string>(),
): string {
  // Sent on every call, so our own lines are shortened; their descriptions name their effects.
  const isOwn = spec.source === 'builtin';
  const untyped = (text: string, types: RegExp) => (isOwn ? text.replaceAll(types, '') : text);
  const texts = writeFields(spec.input, 1).replaceAll(/: string(?=;|$)/g, '');
  const args = cut(untyped(texts, longEnumeration), maxArguments);
  const written =
    spec.output === undefined || isReceipt(spec)
      ? ''
      : cut(
          untyped(
            writeOutput(spec.output),
            /: (?:(?:string|integer|number|boolean|object|unknown|true)(?: \| null)?|"\w+"(?: \| "\w+"){3,20})(?=;| \})/g,
          ),
          maxOutput,
        );
  const same = outputs.get(written);
  const output =
    written === ''
      ? ''
      : ` -> ${spec.seen === true ? 'seen: ' : ''}${same === undefined ? written : `as ${same}`}`;
  if (written.length > longOutput) outputs.set(written, same ?? spec.name);
  const { name, description, effect } = spec;
  const whole = onOneLine(description).replace(/\.$/, '');
  const most = effect === 'read' ? maxReadDescription : maxDescription;
  const described =
    isOwn || (effect !== 'read' && whole.length > most) ? firstSentence(description) : whole;
  return `${name.replace(/\s+/g, ' ')}(${args})${output}${isOwn && !access.readable.has(spec.name) ? '' : marksOf(spec, access)}: ${cut(described, most)}`;
}

/** `tracker_list -> { tickets: { id; due: number }[] }` */
export const writeSeen = ({ name, output = {} }: OperationSpec): string =>
  `${name} -> ${cut(writeOutput(output), maxOutput)}`;

const writeOutput = (output: JsonSchema): string =>
  writeType(outputOf(output), 2).replaceAll(/: string(?=;| \})/g, '');

export type OperationDescription = {
  name: string;
  what: string;
  effect: string;
  input: string;
  output: string;
};

export function describeOperation(
  spec: OperationSpec,
  access: OperationAccess,
): OperationDescription {
  const inFull = (schema: JsonSchema) => {
    const { $schema: _, ...rest } = schema;
    const text = JSON.stringify(rest);
    return text.length <= maxPart ? text : cut(writeType(schema, 4), maxPart);
  };
  return {
    name: spec.name,
    what: cut(spec.description, maxPart),
    effect: `${spec.effect}${marksOf(spec, access)}`,
    input: inFull(spec.input),
    output: spec.output === undefined ? 'not described' : inFull(spec.output),
  };
}

function writeFields({ properties, required }: Record<string, unknown>, levels: number): string {
  if (!isObject(properties)) return '';
  const needed = new Set<unknown>(Array.isArray(required) ? required : []);
  return Object.entries(properties)
    .toSorted(([one], [other]) => Number(needed.has(other)) - Number(needed.has(one)))
    .map(
      ([name, property]) =>
        `${/^[\w$-]+$/.test(name) ? name : JSON.stringify(name)}${needed.has(name) ? '' : '?'}: ${writeType(property, levels)}`,
    )
    .join('; ');
}

/** TypeScript-like: `{ state: "open" | "closed"; labels?: string[] }`. */
function writeType(schema: unknown, levels: number): string {
  if (!isObject(schema)) return 'unknown';
  const { type, items, enum: values, properties } = schema;
  const others = schema.anyOf ?? schema.oneOf;
  if (Array.isArray(others))
    return [...new Set(others.map((other) => writeType(other, levels)))].join(' | ');
  if ('const' in schema) return JSON.stringify(schema.const);
  if (Array.isArray(values) && values.length <= maxValues)
    return values.map((value) => JSON.stringify(value)).join(' | ');
  if (type === 'array') {
    const item = writeType(items, levels);
    const isOneOfSeveral =
      isObject(items) &&
      (Array.isArray(items.type) || ['anyOf', 'oneOf', 'enum'].some((key) => key in items));
    return isOneOfSeveral ? `(${item})[]` : `${item}[]`;
  }
  if (isObject(properties) && levels > 0) return `{ ${writeFields(schema, levels - 1)} }`;
  const types = (Array.isArray(type) ? type : [type]).filter((one) => typeNames.has(one));
  return types.length > 0 ? types.join(' | ') : 'unknown';
}
