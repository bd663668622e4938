import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { AnyJson, JsonObject } from '#domain/text.ts';
import { defineTool } from '#planner/define-tool.ts';
import { succeed } from '#planner/tool.ts';

const Input = z.strictObject({
  title: z.string(),
  until: z.string().nullable(),
  days: z.array(z.string()),
  limit: z.int().optional(),
  value: AnyJson.optional(),
  nodes: z
    .array(
      z.strictObject({ id: z.string(), after: z.array(z.string()), note: z.string().nullable() }),
    )
    .optional(),
});
const tool = defineTool({
  name: 'try_out',
  description: 'Takes what it is given.',
  input: Input,
  execute: async () => ({ result: succeed(null) }),
});
const whole = { title: 'a', until: null, days: [] };

describe('arguments of a tool', () => {
  it.each<[string, JsonObject, object]>([
    ['null and empty where required keys are left out', { title: 'a' }, whole],
    [
      'nothing for null where a key may be left out',
      { title: 'a', limit: null, nodes: null },
      whole,
    ],
    ['null where any value may be', { title: 'a', value: null }, { ...whole, value: null }],
    [
      'the same inside lists',
      { title: 'a', nodes: [{ id: '1' }] },
      { ...whole, nodes: [{ id: '1', after: [], note: null }] },
    ],
    ['what is given as it is', { ...whole, limit: 3 }, { ...whole, limit: 3 }],
  ])('are read as %s', (_, args, input) => {
    expect(tool.prepare(args)).toEqual({ input });
  });

  it.each<[JsonObject, string]>([
    [{}, 'title'],
    [{ title: null }, 'title'],
    [{ title: 'a', days: 'MO' }, 'days'],
    [{ title: 'a', other: 1 }, 'other'],
  ])('%j are refused by name', (args, name) => {
    expect(tool.prepare(args)).toEqual({ problems: [expect.stringContaining(name)] });
  });

  it('of any kind are either what the schema says or refused in a few sentences', () => {
    const keys = fc.constantFrom(...Object.keys(Input.shape), 'other', '__proto__');
    fc.assert(
      fc.property(fc.dictionary(keys, fc.jsonValue()), (raw) => {
        const prepared = tool.prepare(JsonObject.parse(raw));
        if ('input' in prepared) expect(Input.safeParse(prepared.input).success).toBe(true);
        else expect(prepared.problems.length).toBeGreaterThan(0);
      }),
    );
  });
});
