// Repairs a server's schema: meaningless keywords, OpenAPI, draft 4.
import { isObject } from '#domain/text.ts';
import type { JsonSchema } from '#domain/tool.ts';

/** Larger schemas can't be checked in time. */
const limits = { depth: 60, parts: 20_000 };

const isNumber = (value: unknown): boolean => typeof value === 'number' && Number.isFinite(value);
const isText = (value: unknown): boolean => typeof value === 'string';
const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isText);
const types = ['string', 'number', 'integer', 'boolean', 'array', 'object', 'null'];
const isType = (value: unknown): boolean => types.includes(String(value)) && isText(value);

const meaning: Record<string, (value: unknown) => boolean> = {
  type: (value) =>
    isType(value) || (Array.isArray(value) && value.length > 0 && value.every(isType)),
  enum: (value) => Array.isArray(value) && value.length > 0,
  required: isTexts,
  pattern: isText,
  format: isText,
  $ref: isText,
  $id: isText,
  $anchor: isText,
  $schema: isText,
  nullable: (value) => typeof value === 'boolean',
  uniqueItems: (value) => typeof value === 'boolean',
  multipleOf: isNumber,
  minimum: isNumber,
  maximum: isNumber,
  exclusiveMinimum: isNumber,
  exclusiveMaximum: isNumber,
  ...Object.fromEntries(
    ['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties'].map(
      (name) => [name, isNumber],
    ),
  ),
  minContains: isNumber,
  maxContains: isNumber,
  dependentRequired: (value) => isObject(value) && Object.values(value).every(isTexts),
};

const ofOne = new Set(
  'not if then else contains additionalItems additionalProperties unevaluatedItems unevaluatedProperties propertyNames contentSchema'.split(
    ' ',
  ),
);
const ofList = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems']);
const ofNames = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
]);
const bounds = [
  ['exclusiveMinimum', 'minimum'],
  ['exclusiveMaximum', 'maximum'],
] as const;

type Schema = boolean | JsonSchema;

class TooLarge extends Error {}

export function repairSchema(schema: JsonSchema): JsonSchema {
  let parts = 0;

  function repair(value: unknown, depth: number): Schema | null {
    if (typeof value === 'boolean') return value;
    if (!isObject(value)) return null;
    parts += 1;
    if (parts > limits.parts)
      throw new TooLarge(`it has more than ${limits.parts.toLocaleString('en-US')} parts`);
    if (depth > limits.depth) throw new TooLarge(`it is nested more than ${limits.depth} deep`);
    return repairObject(value, depth);
  }

  const listOf = (value: unknown[], depth: number): Schema[] =>
    value.map((one) => repair(one, depth)).filter((one) => one !== null);

  function repairKeyword(name: string, value: unknown, depth: number): unknown {
    if (ofOne.has(name)) return repair(value, depth) ?? undefined;
    if (name === 'items')
      return Array.isArray(value) ? listOf(value, depth) : (repair(value, depth) ?? undefined);
    if (ofList.has(name)) return Array.isArray(value) ? listOf(value, depth) : undefined;
    if (ofNames.has(name) || name === 'dependencies') {
      if (!isObject(value)) return undefined;
      const entries = Object.entries(value).flatMap(([key, one]) => {
        const kept = name === 'dependencies' && isTexts(one) ? one : repair(one, depth);
        return kept === null ? [] : [[key, kept]];
      });
      return Object.fromEntries(entries);
    }
    return meaning[name]?.(value) === false ? undefined : value;
  }

  function repairObject(given: Record<string, unknown>, depth: number): JsonSchema {
    const all = { ...given };
    // Draft 4: whether the bound itself is allowed.
    for (const [exclusive, bound] of bounds) {
      if (all[exclusive] !== true) continue;
      all[exclusive] = all[bound];
      delete all[bound];
    }
    const entries = Object.entries(all).flatMap(([name, value]) => {
      // It would make validation asynchronous.
      if (name === '$async') return [];
      const kept = repairKeyword(name, value, depth + 1);
      return kept === undefined ? [] : [[name, kept]];
    });
    const repaired: JsonSchema = Object.fromEntries(entries);
    if (repaired.type === undefined && 'nullable' in repaired) delete repaired.nullable;
    return repaired;
  }

  return repairObject(schema, 0);
}
