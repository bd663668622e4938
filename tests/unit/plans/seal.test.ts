import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { contentOfDraft } from '#domain/plan/step-content.ts';
import { type SealedContent, sealOf } from '#plans/content/digests.ts';

const step: SealedContent = {
  ...contentOfDraft({
    id: 'write',
    description: 'Write it',
    tool: 'workspace',
    operation: 'write',
    args: { path: 'notes/today.md', content: 'Hello' },
    resources: { disk: 1 },
    capabilities: ['eu'],
  }),
  target: 'notes/today.md',
};

/** The definition, without shortcuts. */
function slowSeal(s: SealedContent): string {
  const list: unknown[] = [
    s.id,
    s.tool,
    s.operation,
    s.target,
    s.args,
    s.resources,
    s.capabilities,
  ];
  if (s.when.length > 0 || s.ask_before) list.push({ when: s.when, ask_before: s.ask_before });
  return createHash('sha256')
    .update(canonicalize(list) ?? '')
    .digest('hex');
}

test('is the SHA-256 of the canonical form, known by heart for one step', () => {
  const text =
    '["write","workspace","write","notes/today.md",{"content":"Hello","path":"notes/today.md"},{"disk":1},["eu"]]';
  expect(sealOf(step)).toBe(createHash('sha256').update(text).digest('hex'));
});

test('does not depend on the order of keys, at any depth', () => {
  const one = { ...step, args: { a: 1, b: { c: 2, d: [{ e: 3, f: 4 }] } } };
  const other = { ...step, args: { b: { d: [{ f: 4, e: 3 }], c: 2 }, a: 1 } };
  expect(sealOf(one)).toBe(sealOf(other));
  expect(sealOf({ ...step, resources: { b: 1, a: 2 } })).toBe(
    sealOf({ ...step, resources: { a: 2, b: 1 } }),
  );
});

test('depends on the order of lists', () => {
  expect(sealOf({ ...step, args: { list: [1, 2] } })).not.toBe(
    sealOf({ ...step, args: { list: [2, 1] } }),
  );
});

test('changes with each part of the call, and with nothing else', () => {
  const changes: Partial<SealedContent>[] = [
    { id: 'write-2' },
    { tool: 'files' },
    { operation: 'delete' },
    { target: null },
    { target: 'notes/today.me' },
    { args: { path: 'notes/today.md', content: 'hello' } },
    { args: {} },
    { resources: { disk: 2 } },
    { resources: {} },
    { capabilities: [] },
    { capabilities: ['eu', 'gpu'] },
    { when: [{ step: '1', path: '/status', is: 'equals', value: 'green' }] },
    { when: [{ step: '1', path: '/status', is: 'equals', value: 'Green' }] },
    { ask_before: true },
  ];
  const seals = new Set(changes.map((change) => sealOf({ ...step, ...change })));
  expect(seals.size).toBe(changes.length);
  expect(seals).not.toContain(sealOf(step));
  const more = { ...step, description: 'Other words', priority: 7 };
  expect(sealOf(more)).toBe(sealOf(step));
});

test('tells parts apart that read the same when joined', () => {
  expect(sealOf({ ...step, tool: 'a', operation: 'b_c' })).not.toBe(
    sealOf({ ...step, tool: 'a_b', operation: 'c' }),
  );
  expect(sealOf({ ...step, id: 'a","b' })).not.toBe(sealOf({ ...step, id: 'a' }));
});

test('writes numbers as they are meant: 1.0 is 1, 1e21 is 1e+21, -0 is 0', () => {
  const of = (n: number) => sealOf({ ...step, args: { n } });
  expect(of(1.0)).toBe(of(JSON.parse('1')));
  expect(of(1e21)).toBe(of(JSON.parse('1000000000000000000000')));
  expect(of(-0)).toBe(of(0));
  expect(of(0.1)).not.toBe(of(0.1 + Number.EPSILON));
});

test('takes every character as it is: composed and decomposed letters differ', () => {
  const of = (target: string) => sealOf({ ...step, target });
  expect(of('caf\u00e9')).not.toBe(of('cafe\u0301'));
  expect(of('a\u2028b\u007f')).toBe(slowSeal({ ...step, target: 'a\u2028b\u007f' }));
  expect(of('🌍')).toBe(slowSeal({ ...step, target: '🌍' }));
});

test('is the canonical form whatever a step holds', () => {
  const name = fc.string({ unit: 'grapheme', maxLength: 20 });
  const json = fc.dictionary(name, fc.jsonValue()) as fc.Arbitrary<SealedContent['args']>;
  const content = fc.record({
    id: name,
    tool: name,
    operation: name,
    target: fc.option(fc.string({ unit: 'binary', maxLength: 30 }).filter((t) => t.isWellFormed())),
    args: json,
    resources: fc.dictionary(name, fc.double({ noNaN: true, noDefaultInfinity: true })),
    capabilities: fc.array(name, { maxLength: 4 }),
    when: fc.constantFrom<SealedContent['when'][]>([], [{ step: '1', path: '', is: 'exists' }]),
    ask_before: fc.boolean(),
  });
  fc.assert(
    fc.property(content, (given) => {
      const one = { ...step, ...given };
      expect(sealOf(one)).toBe(slowSeal(one));
    }),
  );
});
