// Example arguments of an operation, made from its schema.
import { isObject, type Json, type JsonObject, JsonValue } from '#domain/text.ts';
import type { JsonSchema, OperationSpec } from '#domain/tool.ts';
import { choicesOf, type Schema, SchemaWalker, type ValueType } from './walk-schema.ts';

const maxDepth = 8;
const maxItems = 2;
const maxLength = 200;
/** Characters; the rest is left out. */
const maxSize = 4000;
const order: ValueType[] = ['object', 'array', 'string', 'integer', 'fraction', 'boolean'];

const formats: Record<string, string> = {
  date: '2026-12-02',
  time: '09:00:00Z',
  'date-time': '2026-12-02T09:00:00Z',
  email: 'ana@example.com',
  uri: 'https://example.com',
  url: 'https://example.com',
  uuid: '123e4567-e89b-42d3-a456-426614174000',
};

const nameInWords = (name: string): string =>
  name
    .replaceAll(/[_-]+/g, ' ')
    .replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .toLowerCase();

class ExampleWriter {
  readonly #walker: SchemaWalker;
  #left = maxSize;

  constructor(root: Schema) {
    this.#walker = new SchemaWalker(root);
  }

  #spend<V extends Json>(value: V): V | null {
    this.#left -= JSON.stringify(value).length;
    return this.#left < 0 ? null : value;
  }

  value(schema: Schema, name: string, depth: number): Json {
    const parts = this.#partsOf(schema);
    const known = parts.flatMap(knownOf)[0];
    if (known !== undefined) return this.#spend(known.value);
    const types = this.#walker.typesOf(schema);
    const type = types.size > order.length ? 'string' : order.find((one) => types.has(one));
    const limit = (key: string): number | undefined =>
      parts.map((part) => part[key]).find((one) => typeof one === 'number');
    switch (type) {
      case 'object':
        return depth > maxDepth ? {} : this.object(schema, depth);
      case 'array': {
        const item = this.#walker.memberOf(schema, '0');
        if (depth > maxDepth || item === false) return [];
        const length = Math.min(maxItems, Math.max(1, limit('minItems') ?? 1));
        return Array.from({ length }, (_, index) =>
          this.value(this.#walker.memberOf(schema, String(index)), name, depth + 1),
        );
      }
      case 'string': {
        const format = parts.map((part) => part.format).find((one) => typeof one === 'string');
        const isAddress = /^ur[il]$/i.test(name);
        const text = formats[format ?? (isAddress ? 'url' : '')] ?? nameInWords(name);
        const least = Math.min(maxLength, limit('minLength') ?? 0);
        return this.#spend(text.padEnd(least, '.').slice(0, limit('maxLength')));
      }
      case 'integer':
      case 'fraction': {
        const above = limit('exclusiveMinimum');
        const least = limit('minimum') ?? (above === undefined ? 1 : above + 1);
        return Math.min(Math.max(least, 1), limit('maximum') ?? Number.POSITIVE_INFINITY);
      }
      case 'boolean':
        return true;
      default:
        return null;
    }
  }

  object(schema: Schema, depth: number): JsonObject {
    const names = new Set(this.#partsOf(schema).flatMap(requiredOf));
    const members: [string, Json][] = [];
    for (const name of names) {
      if (this.#spend(name) === null) break;
      members.push([name, this.value(this.#walker.memberOf(schema, name), name, depth + 1)]);
    }
    return Object.fromEntries(members);
  }

  optionalIn(schema: Schema): string[] {
    const required = new Set(this.#partsOf(schema).flatMap(requiredOf));
    return this.#walker.propertiesOf(schema).filter((name) => !required.has(name));
  }

  #partsOf(schema: Schema): JsonSchema[] {
    const parts = this.#walker.partsOf(schema);
    const chosen = parts.flatMap((part) =>
      choicesOf(part).flatMap(([first = true]) => this.#walker.partsOf(first)),
    );
    return [...parts, ...chosen];
  }
}

const requiredOf = ({ required }: JsonSchema): string[] =>
  Array.isArray(required) ? required.map(String) : [];

function knownOf(schema: JsonSchema): { value: Json }[] {
  const { examples, enum: values } = schema;
  const listed = [examples, values].flatMap((one) => (Array.isArray(one) ? [one[0]] : []));
  const stated = ['const', 'default'].flatMap((key) =>
    Object.hasOwn(schema, key) ? [schema[key]] : [],
  );
  return [...stated, ...listed].flatMap((one) => {
    const read = JsonValue.safeParse(one);
    return read.success ? [{ value: read.data }] : [];
  });
}

/** `optional`: arguments that the example leaves out. */
export function exampleOf({ input }: Pick<OperationSpec, 'input'>): {
  args: JsonObject;
  optional: string[];
} {
  const writer = new ExampleWriter(input);
  return { args: writer.object(input, 0), optional: writer.optionalIn(input) };
}

export function isNested(schema: unknown): boolean {
  if (!isObject(schema)) return true;
  const { type, items } = schema;
  if (type === 'array') return !isObject(items) || isNested(items);
  return typeof type !== 'string' || type === 'object';
}
