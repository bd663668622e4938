// Derives the values possible at a place from a JSON Schema.
// Rules out only the impossible. Ignores `not`, conditions and remote `$ref`s.
import { isObject } from '#domain/text.ts';
import type { JsonSchema } from '#domain/tool.ts';
import { compileLinear } from './linear-pattern.ts';

export type ValueType = 'null' | 'boolean' | 'integer' | 'fraction' | 'string' | 'array' | 'object';
export type Schema = boolean | JsonSchema;

const everyType: readonly ValueType[] = [
  'null',
  'boolean',
  'integer',
  'fraction',
  'string',
  'array',
  'object',
];
/** Beyond, everything is possible. */
const mostSteps = 20_000;

/** Memoised, so that each `$ref` is followed once. */
export class SchemaWalker {
  readonly root: Schema;
  readonly #types = new Map<JsonSchema, Set<ValueType>>();
  readonly #members = new Map<JsonSchema, Map<string, Schema>>();
  #steps = 0;

  constructor(root: Schema) {
    this.root = root;
  }

  typesOf(schema: Schema): Set<ValueType> {
    if (typeof schema === 'boolean') return new Set(schema ? everyType : []);
    const known = this.#types.get(schema);
    if (known !== undefined) return known;
    // A cycle adds nothing.
    this.#types.set(schema, new Set(everyType));
    if (++this.#steps > mostSteps) return new Set(everyType);
    let types = ownTypes(schema);
    for (const part of this.#everyOf(schema)) types = intersect(types, this.typesOf(part));
    for (const parts of choicesOf(schema)) {
      types = intersect(types, new Set(parts.flatMap((part) => [...this.typesOf(part)])));
    }
    this.#types.set(schema, types);
    return types;
  }

  /** By property name or decimal index; false if there can't be one. */
  memberOf(schema: Schema, key: string): Schema {
    if (typeof schema === 'boolean') return schema;
    const known = this.#members.get(schema) ?? new Map<string, Schema>();
    this.#members.set(schema, known);
    const found = known.get(key);
    if (found !== undefined) return found;
    known.set(key, true);
    if (++this.#steps > mostSteps) return true;
    const types = this.typesOf(schema);
    const member = allOf([
      anyOf([
        types.has('object') ? propertyOf(schema, key) : false,
        types.has('array') ? itemOf(schema, key) : false,
      ]),
      constantOf(schema, key),
      ...this.#everyOf(schema).map((part) => this.memberOf(part, key)),
      ...choicesOf(schema).map((parts) => anyOf(parts.map((part) => this.memberOf(part, key)))),
    ]);
    const possible = this.typesOf(member).size === 0 ? false : member;
    known.set(key, possible);
    return possible;
  }

  propertiesOf(schema: Schema, seen = new Set<Schema>()): string[] {
    if (typeof schema === 'boolean' || seen.has(schema)) return [];
    seen.add(schema);
    const own = isObject(schema.properties) ? Object.keys(schema.properties) : [];
    const parts = [...this.#everyOf(schema), ...choicesOf(schema).flat()];
    return [...new Set([...own, ...parts.flatMap((part) => this.propertiesOf(part, seen))])];
  }

  /** With `$ref` targets and `allOf` parts, each once. */
  partsOf(schema: Schema, seen = new Set<Schema>()): JsonSchema[] {
    if (typeof schema === 'boolean' || seen.has(schema)) return [];
    seen.add(schema);
    return [schema, ...this.#everyOf(schema).flatMap((part) => this.partsOf(part, seen))];
  }

  #everyOf(schema: JsonSchema): Schema[] {
    const { $ref } = schema;
    const referred = typeof $ref === 'string' ? [resolve($ref, this.root)] : [];
    return [...toSchemas(schema.allOf), ...referred];
  }
}

function intersect(some: Set<ValueType>, others: Set<ValueType>): Set<ValueType> {
  return new Set([...some].filter((type) => others.has(type)));
}

function allOf(parts: Schema[]): Schema {
  if (parts.includes(false)) return false;
  const schemas = [...new Set(parts)].filter((part) => part !== true);
  return schemas.length > 1 ? { allOf: schemas } : (schemas[0] ?? true);
}

function anyOf(parts: Schema[]): Schema {
  if (parts.includes(true)) return true;
  const schemas = [...new Set(parts)].filter((part) => part !== false);
  return schemas.length > 1 ? { anyOf: schemas } : (schemas[0] ?? false);
}

function toSchema(value: unknown): Schema {
  return typeof value === 'boolean' || isObject(value) ? value : true;
}

function toSchemas(value: unknown): Schema[] {
  return Array.isArray(value) ? value.map(toSchema) : [];
}

export function choicesOf(schema: JsonSchema): Schema[][] {
  return [schema.anyOf, schema.oneOf].flatMap((choice) =>
    Array.isArray(choice) ? [toSchemas(choice)] : [],
  );
}

function resolve(ref: string, root: Schema): Schema {
  if (ref === '#') return root;
  if (!ref.startsWith('#/')) return true;
  let current: unknown = root;
  for (const token of ref.slice(2).split('/')) {
    const key = decode(token).replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof current !== 'object' || current === null || !Object.hasOwn(current, key))
      return true;
    current = Reflect.get(current, key);
  }
  return toSchema(current);
}

function decode(token: string): string {
  try {
    return decodeURIComponent(token);
  } catch {
    return token; // a stray "%" stands for itself
  }
}

function ownTypes(schema: JsonSchema): Set<ValueType> {
  let types = new Set(everyType);
  const { type } = schema;
  if (type !== undefined) {
    const named = (Array.isArray(type) ? type : [type]).flatMap(typesNamed);
    if (schema.nullable === true) named.push('null');
    types = new Set(named);
  }
  const values = constants(schema);
  return values === null ? types : intersect(types, new Set(values.map(typeOfValue)));
}

function typesNamed(name: unknown): ValueType[] {
  if (name === 'number') return ['integer', 'fraction'];
  const known = everyType.filter((type) => type === name);
  return known.length > 0 ? known : [...everyType];
}

function typeOfValue(value: unknown): ValueType {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'boolean') return 'boolean';
  if (typeof value === 'string') return 'string';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'fraction';
  return 'object';
}

function constants(schema: JsonSchema): unknown[] | null {
  if (Array.isArray(schema.enum)) return schema.enum;
  return Object.hasOwn(schema, 'const') ? [schema.const] : null;
}

function constantOf(schema: JsonSchema, key: string): Schema {
  const values = constants(schema);
  if (values === null) return true;
  const inside = values.flatMap((value) => {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return [];
    return [Reflect.get(value, key)];
  });
  return inside.length === 0 ? false : { enum: inside };
}

function propertyOf(schema: JsonSchema, key: string): Schema {
  const { properties, patternProperties } = schema;
  const schemas: Schema[] = [];
  if (isObject(properties) && Object.hasOwn(properties, key))
    schemas.push(toSchema(properties[key]));
  for (const [pattern, part] of Object.entries(
    isObject(patternProperties) ? patternProperties : {},
  )) {
    const expression = compileLinear(pattern);
    if (expression === null) return true;
    if (expression.test(key)) schemas.push(toSchema(part));
  }
  if (schemas.length === 0) return toSchema(schema.additionalProperties);
  return allOf(schemas);
}

function itemOf(schema: JsonSchema, key: string): Schema {
  if (!/^(0|[1-9]\d*)$/.test(key)) return false;
  const index = Number(key);
  const { maxItems, items, prefixItems, additionalItems } = schema;
  if (typeof maxItems === 'number' && index >= maxItems) return false;
  // Draft 7 writes a tuple as a list under `items`, with the rest under `additionalItems`.
  const tuple = Array.isArray(items) ? items : Array.isArray(prefixItems) ? prefixItems : [];
  if (index < tuple.length) return toSchema(tuple[index]);
  return toSchema(Array.isArray(items) ? additionalItems : items);
}
