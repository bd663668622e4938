import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json } from '#domain/text.ts';
import { SchemaWalker, type ValueType } from '#tools/walk-schema.ts';
import { rounds } from '../../rounds.ts';

/** False if nothing can be there. */
function look(schema: object, ...tokens: string[]): ValueType[] | false {
  const walker = new SchemaWalker({ ...schema });
  const place = tokens.reduce((inside, token) => walker.memberOf(inside, token), walker.root);
  return place === false ? false : [...walker.typesOf(place)].sort();
}

const text = { type: 'string' };
const number: ValueType[] = ['fraction', 'integer'];

describe('a place inside a value', () => {
  it.each<[string, object, string[], ValueType[] | false]>([
    ['a property', { properties: { a: text }, type: 'object' }, ['a'], ['string']],
    ['a property nobody names', { type: 'object', additionalProperties: false }, ['a'], false],
    ['any other property', { type: 'object', additionalProperties: text }, ['a'], ['string']],
    ['a pattern', { type: 'object', patternProperties: { '^x': text } }, ['xa'], ['string']],
    [
      'no pattern',
      { type: 'object', patternProperties: { '^x': text }, additionalProperties: false },
      ['a'],
      false,
    ],
    ['an item', { type: 'array', items: text }, ['3'], ['string']],
    ['an item by name', { type: 'array', items: text }, ['length'], false],
    ['an item of a tuple', { type: 'array', prefixItems: [text], items: false }, ['0'], ['string']],
    ['an item beyond a tuple', { type: 'array', prefixItems: [text], items: false }, ['1'], false],
    [
      'an item beyond a tuple of draft 7',
      { type: 'array', items: [text], additionalItems: false },
      ['1'],
      false,
    ],
    ['an item beyond the longest list', { type: 'array', maxItems: 2 }, ['2'], false],
    ['something inside text', text, ['a'], false],
    [
      'one of several',
      { anyOf: [{ type: 'null' }, { properties: { a: text } }] },
      ['a'],
      ['string'],
    ],
    ['none of several', { oneOf: [{ type: 'null' }, text] }, ['a'], false],
    [
      'both of two',
      {
        allOf: [{ properties: { a: { type: ['string', 'number'] } } }, { properties: { a: text } }],
      },
      ['a'],
      ['string'],
    ],
    [
      'a reference inside the schema',
      { $ref: '#/$defs/a~1b', $defs: { 'a/b': { type: 'object', properties: { c: text } } } },
      ['c'],
      ['string'],
    ],
    ['a constant', { const: { a: [1.5] } }, ['a', '0'], ['fraction']],
    ['not in a constant', { enum: [{ a: 1 }, 2] }, ['b'], false],
    ['numbers', { type: 'object', properties: { a: { type: 'number' } } }, ['a'], number],
    ['nullable', { ...text, nullable: true }, [], ['null', 'string']],
  ])('tells %s', (_, schema, tokens, types) => {
    expect(look(schema, ...tokens)).toEqual(types);
  });

  it.each<[string, object]>([
    ['says nothing', {}],
    ['refers elsewhere', { $ref: 'https://example.com/schema' }],
    ['refers to itself', { $ref: '#' }],
    ['has a pattern that cannot be read', { patternProperties: { '(': text } }],
    ['has a type nobody knows', { type: 'thing' }],
  ])('is possible where the schema %s', (_, schema) => {
    expect(look(schema, 'a', '0', 'b')).toHaveLength(7);
  });

  it('comes to an end in a schema that doubles at every turn', () => {
    const twice = (name: string) => ({ anyOf: [{ $ref: name }, { $ref: name }] });
    const $defs = Object.fromEntries(
      Array.from({ length: 200 }, (_, i) => [`d${i}`, twice(`#/$defs/d${(i + 1) % 200}`)]),
    );
    expect(look({ ...twice('#/$defs/d0'), $defs }, 'a', 'b', 'c')).toHaveLength(7);
    const json = {
      anyOf: [text, { additionalProperties: { $ref: '#' } }, { items: { $ref: '#' } }],
    };
    expect(look(json, ...Array.from({ length: 300 }, () => '0'))).toHaveLength(7);
  });
});

const keys = fc.constantFrom('a', 'b', '0', '1');
const { value } = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom<Json>(null, true, 1, 1.5, 'x'),
    fc.array(tie('value'), { maxLength: 2 }),
    fc.dictionary(keys, tie('value'), { maxKeys: 2, noNullPrototype: true }),
  ),
}));
const types = fc.constantFrom('null', 'boolean', 'integer', 'number', 'string', 'array', 'object');
type Part = object | boolean;
const { schema } = fc.letrec<{ schema: Part; list: Part[]; named: object; keyword: object }>(
  (tie) => ({
    list: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }),
    named: fc.dictionary(keys, tie('schema'), { maxKeys: 2, noNullPrototype: true }),
    keyword: fc.oneof(
      fc.record({ type: fc.uniqueArray(types, { minLength: 1, maxLength: 3 }) }),
      fc.record({ $ref: fc.constantFrom('#/$defs/d', '#/$defs/e') }),
      fc.record({ enum: fc.array(value, { minLength: 1, maxLength: 2 }) }),
      fc.record({ properties: tie('named') }),
      fc.record({ properties: tie('named'), additionalProperties: tie('schema') }),
      fc.record({ patternProperties: fc.record({ '0|b': tie('schema') }) }),
      fc.record({ prefixItems: tie('list'), items: tie('schema') }),
      fc.record({ maxItems: fc.nat(2) }),
      fc.record({ anyOf: tie('list') }),
      fc.record({ oneOf: tie('list') }),
      fc.record({ allOf: tie('list') }),
    ),
    schema: fc.oneof(
      { maxDepth: 3, depthIdentifier: 'schema' },
      fc.boolean(),
      fc.array(tie('keyword'), { maxLength: 2 }).map((parts) => Object.assign({}, ...parts)),
    ),
  }),
);

function placesOf(inside: Json, at: string[] = []): { at: string[]; type: ValueType }[] {
  const here = (type: ValueType) => [{ at, type }];
  if (inside === null) return here('null');
  if (typeof inside === 'number') return here(Number.isInteger(inside) ? 'integer' : 'fraction');
  if (typeof inside === 'boolean') return here('boolean');
  if (typeof inside === 'string') return here('string');
  const members = Object.entries(inside).flatMap(([key, item]) => placesOf(item, [...at, key]));
  return [...here(Array.isArray(inside) ? 'array' : 'object'), ...members];
}

it('calls nothing impossible that a valid value holds', () => {
  let valid = 0;
  fc.assert(
    fc.property(schema, schema, schema, value, (main, d, e, candidate) => {
      const root = { $defs: { d, e }, allOf: [main] };
      const ajv = new Ajv2020({ strict: false, logger: false, validateSchema: false });
      let fits: boolean;
      try {
        fits = ajv.validate(root, candidate);
      } catch {
        return; // A $ref to itself without end.
      }
      if (!fits) return;
      valid += 1;
      const walker = new SchemaWalker(root);
      for (const { at, type } of placesOf(candidate)) {
        const place = at.reduce((inside, key) => walker.memberOf(inside, key), walker.root);
        expect([...walker.typesOf(place)]).toContain(type);
      }
    }),
    { numRuns: rounds(3000) },
  );
  expect(valid).toBeGreaterThan(rounds(1000));
}, 60_000);
