// Real servers' schemas work, and none blocks the process.
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import type { JsonObject } from '#domain/text.ts';
import type { JsonSchema } from '#domain/tool.ts';
import { LineReader } from '#tools/mcp/read-lines.ts';
import { maxTools, readTools } from '#tools/mcp/read-tools.ts';
import { compileValidator } from '#tools/validate-arguments.ts';
import { SchemaWalker } from '#tools/walk-schema.ts';
import { runInTurn } from '../../setup/watch-loop.ts';

const of = (property: JsonSchema): JsonSchema => ({
  type: 'object',
  properties: { a: property },
});

describe('schemas of real servers', () => {
  it.each<[string, JsonSchema, JsonObject, JsonObject]>([
    [
      'an escape that V8 refuses',
      of({ pattern: '^https\\:\\/\\/' }),
      { a: 'https://x' },
      { a: 'ftp' },
    ],
    ['a class with a hyphen in it', of({ pattern: '^[\\w-.]+$' }), { a: 'a-b.c' }, { a: 'a b' }],
    ['nullable without a type', of({ nullable: true, minLength: 2 }), { a: 'ab' }, { a: 'a' }],
    ['itself', { ...of({ $ref: '#' }), required: [] }, { a: { a: {} } }, { a: { a: 1 } }],
    ['draft 4', of({ type: 'number', minimum: 1, exclusiveMinimum: true }), { a: 2 }, { a: 1 }],
    [
      'an id of draft 4',
      {
        ...of({ $ref: '#/definitions/x' }),
        id: 'http://x/y',
        $schema: 'http://json-schema.org/draft-04/schema#',
        definitions: { x: { type: 'string' } },
      },
      { a: '' },
      { a: 1 },
    ],
    [
      '2019-09',
      {
        ...of({ $ref: '#/$defs/x' }),
        $schema: 'https://json-schema.org/draft/2019-09/schema',
        $defs: { x: { type: 'string' } },
      },
      { a: '' },
      { a: 1 },
    ],
    ['several types', of({ type: ['string', 'null'] }), { a: null }, { a: 1 }],
    ['an unknown format', of({ type: 'integer', format: 'uint32' }), { a: 1 }, { a: 'x' }],
    [
      'a schema that is true or false',
      { type: 'object', properties: { a: true, b: false } },
      { a: 1 },
      { b: 1 },
    ],
    [
      'keywords without a meaning',
      {
        type: 'object',
        required: null,
        properties: {
          a: { type: 'string', enum: [], minLength: '1', default: 7, examples: 'x' },
          b: null,
        },
      },
      { a: 'x', b: 1 },
      { a: 1 },
    ],
    [
      'unique items',
      of({ uniqueItems: true }),
      { a: [{ x: 1, y: 2 }, { x: 2 }] },
      {
        a: [
          { x: 1, y: 2 },
          { y: 2, x: 1 },
        ],
      },
    ],
  ])('%s: fits and misfits are told apart', (_, schema, fits, misfits) => {
    const validate = compileValidator(schema);
    expect(validate(fits)).toEqual([]);
    expect(validate(misfits)).not.toEqual([]);
    expect(validate.unchecked).toEqual([]);
  });

  it('an expression that RE2 does not have is left to the server', () => {
    const schema = of({ allOf: [{ pattern: '^(?=a)' }, { pattern: '(.)\\1' }, { pattern: '^x' }] });
    const validate = compileValidator(schema);
    expect(validate.unchecked).toEqual(['^(?=a)', '(.)\\1']);
    expect(validate({ a: 'b' })).toHaveLength(1);
  });
});

const long = 100_000;
const towers = (depth: number): JsonSchema =>
  depth === 0
    ? { type: 'number' }
    : {
        allOf: [
          { anyOf: [towers(depth - 1), towers(depth - 1)] },
          { anyOf: [towers(depth - 1), towers(depth - 1)] },
        ],
      };
const doubled = Object.fromEntries(
  Array.from({ length: 40 }, (_, at): [string, JsonSchema] => [
    `d${at}`,
    { anyOf: [{ $ref: `#/$defs/d${at + 1}` }, { $ref: `#/$defs/d${at + 1}` }] },
  ]),
);
const nested = (depth: number): JsonObject => {
  let value: JsonObject = {};
  for (let at = 0; at < depth; at++) value = { a: value };
  return value;
};

describe('hostile schemas', () => {
  it.each<[string, JsonSchema, JsonObject]>([
    ['an exponential expression', of({ pattern: '^(a+)+$' }), { a: `${'a'.repeat(long)}!` }],
    ['a polynomial one', of({ pattern: '(x+x+)+y' }), { a: 'x'.repeat(long) }],
    ['one that repeats much', of({ pattern: '(a{1000}){1000}' }), { a: 'a'.repeat(long) }],
    ['one with many states', of({ pattern: '[ab]*a[ab]{900}c' }), { a: 'ab'.repeat(long / 2) }],
    [
      'names',
      {
        type: 'object',
        propertyNames: { pattern: '^(a+)+$' },
        patternProperties: { '^(b+)+$': true },
      },
      { [`${'b'.repeat(long)}!`]: 1 },
    ],
    [
      'unique items',
      of({ uniqueItems: true }),
      { a: Array.from({ length: 6000 }, (_, at) => ({ at, b: { c: [at] } })) },
    ],
    [
      'contains',
      of({ contains: { uniqueItems: true, contains: { pattern: '^(a|a)*$' } } }),
      { a: Array.from({ length: 3000 }, () => ['a'.repeat(50)]) },
    ],
    ['a tower', of(towers(5)), { a: 'x' }],
    [
      'references that double',
      {
        type: 'object',
        properties: { a: { $ref: '#/$defs/d0' } },
        $defs: { ...doubled, d40: false },
      },
      { a: 1 },
    ],
    ['deep data', { type: 'object', properties: { a: { $ref: '#' } } }, nested(5000)],
    [
      'a huge choice',
      of({ enum: Array.from({ length: 20_000 }, (_, at) => ({ at })) }),
      { a: { at: -1 } },
    ],
    [
      'names and constants that make megabytes of code',
      {
        type: 'object',
        required: Array.from({ length: 40 }, (_, at) => `${'x'.repeat(long)}${at}`),
        properties: { a: { const: 'y'.repeat(10 * long) } },
      },
      { a: 'y' },
    ],
    ['a reference to itself', of({ $ref: '#/properties/a' }), { a: 1 }],
    ['a format', of({ format: 'email' }), { a: `${'a.'.repeat(long)}@` }],
    [
      'many values that come later among many that do not fit',
      of({ items: { type: 'string' } }),
      { a: [...Array(1000).fill(1), ...Array(60_000).fill({ $from: 'x' })] },
    ],
  ])('%s is read and checked within a moment', (_, schema, args) => {
    // One-time loading doesn't count.
    compileValidator({ type: 'object', properties: { a: { pattern: 'a' } } })({ a: 'a' });
    const compile = () => {
      try {
        return compileValidator(schema);
      } catch {
        return null;
      }
    };
    // Two attempts, for a busy machine.
    const validate = runInTurn(compile, 2);
    runInTurn(() => validate?.(args), 2);
  });

  it('names by an expression are looked up within a moment', () => {
    const walker = new SchemaWalker({ patternProperties: { '^(a+)+$': { type: 'string' } } });
    expect(runInTurn(() => walker.memberOf(walker.root, `${'a'.repeat(long)}!`))).toBe(true);
  });
});

test('a list of anything is read, and what is sound of it stays', () => {
  const schema = fc.object({
    key: fc.constantFrom(
      'type',
      'properties',
      'items',
      '$ref',
      'enum',
      'required',
      'pattern',
      'anyOf',
      'a',
    ),
    maxDepth: 4,
  });
  const tool = fc.record({
    name: fc.oneof(fc.string(), fc.anything()),
    inputSchema: fc.oneof(schema, fc.anything()),
  });
  fc.assert(
    fc.property(fc.array(fc.oneof(tool, fc.anything()), { maxLength: 20 }), (odd) => {
      const { tools, skipped } = readTools([{ name: 'sound' }, ...odd]);
      expect(tools[0]?.name).toBe('sound');
      expect(tools.length + skipped.length).toBe(odd.length + 1);
    }),
    { numRuns: 200 },
  );
  expect(readTools(Array(maxTools + 5).fill(null)).skipped).toHaveLength(maxTools + 1);
});

test('lines of any bytes, in chunks of any size, lose no sound message', () => {
  const message = { jsonrpc: '2.0', id: 1, result: { text: 'ä\u2028' } };
  const noise = fc.uint8Array({ maxLength: 200 }).map((bytes) => bytes.filter((one) => one !== 10));
  fc.assert(
    fc.property(noise, noise, fc.integer({ min: 1, max: 50 }), (before, after, size) => {
      const reader = new LineReader();
      const newline = Buffer.from('\n');
      const line = Buffer.from(JSON.stringify(message));
      const bytes = Buffer.concat([before, newline, line, newline, after, newline]);
      for (let at = 0; at < bytes.length; at += size) reader.append(bytes.subarray(at, at + size));
      const found = [];
      for (let next = reader.readMessage(); next !== null; next = reader.readMessage())
        found.push(next);
      expect(found).toContainEqual(message);
    }),
  );
});
