import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '#domain/text.ts';
import { readPointer, resolveReferences } from '#tools/resolve-arguments.ts';
import { compileValidator } from '#tools/validate-arguments.ts';

const schema = {
  type: 'object',
  properties: {
    path: { type: 'string', minLength: 1 },
    size: { type: 'number' },
    kind: { enum: ['a', 'b'] },
    when: { type: 'string', format: 'date-time' },
    items: { type: 'array', items: { type: 'object', required: ['name'] } },
    either: { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] },
  },
  required: ['path'],
  additionalProperties: false,
};

describe('arguments', () => {
  const validate = compileValidator(schema);

  it.each<[JsonObject, string]>([
    [{}, 'path is missing'],
    [{ path: '' }, 'path is empty'],
    [{ path: 3 }, 'path must be text'],
    [{ path: 'x', size: '1' }, 'size must be a number'],
    [{ path: 'x', kind: 'c' }, 'kind must be one of "a", "b"'],
    [{ path: 'x', when: 'soon' }, 'when must be a valid date-time'],
    [{ path: 'x', items: [{}] }, 'items[0].name is missing'],
    [{ path: 'x', colour: 1 }, 'colour is not a known argument'],
  ])('%j: the sentence names the argument', (args, sentence) => {
    expect(validate(args)).toEqual([sentence]);
  });

  it('that fit have no problems', () => {
    expect(validate({ path: 'x', size: 1, kind: 'a', when: '2026-05-04T09:30:00Z' })).toEqual([]);
  });

  it('that are known only later are taken to fit, at any depth', () => {
    const later = { $from: '1', path: '/text' };
    expect(validate({ path: later })).toEqual([]);
    expect(validate({ path: { $decide: 'a name' }, size: later })).toEqual([]);
    expect(validate({ path: 'x', items: [later, {}] })).toEqual(['items[1].name is missing']);
    expect(validate({ path: 'x', either: [later] })).toEqual([]);
    expect(validate({}, ['path'])).toEqual([]);
    expect(validate({ size: 'x' }, ['path'])).toEqual(['size must be a number']);
  });

  it('are checked in draft 7 and in 2020-12', () => {
    const tuple = { items: [{ type: 'string' }, { type: 'number' }] };
    const seventh = compileValidator({
      $schema: 'http://json-schema.org/draft-07/schema#',
      type: 'object',
      properties: { pair: tuple },
    });
    expect(seventh({ pair: ['a', 'b'] })).toEqual(['pair[1] must be a number']);
    const newest = compileValidator({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      properties: { pair: { prefixItems: tuple.items } },
    });
    expect(newest({ pair: ['a', 'b'] })).toEqual(['pair[1] must be a number']);
    const silent = compileValidator({ type: 'object', properties: { pair: tuple } });
    expect(silent({ pair: ['a', 'b'] })).toEqual(['pair[1] must be a number']);
  });

  it('of a schema that cannot be used are not checked but reported', () => {
    expect(() => compileValidator({ type: 'object', $ref: '#/nowhere' })).toThrow(/nowhere/);
  });
});

describe('a reference', () => {
  const outputs = new Map<string, Json>([
    ['1', { text: 'hello', list: [{ 'a/b': 1, 'm~n': 2 }], empty: null }],
    ['2', 'plain'],
  ]);

  it('is replaced by what it names, wherever it stands; what is decided later stays', () => {
    expect(
      resolveReferences(
        {
          path: 'x',
          content: { $from: '1', path: '/text' },
          deep: [{ value: { $from: '1', path: '/list/0/a~1b' } }],
          whole: { $from: '2', path: '' },
          later: { $decide: 'the subject' },
        },
        outputs,
      ),
    ).toEqual({
      path: 'x',
      content: 'hello',
      deep: [{ value: 1 }],
      whole: 'plain',
      later: { $decide: 'the subject' },
    });
  });

  it.each([
    [{ $from: '9', path: '' }, /content needs the output of step 9, which has none/],
    [{ $from: '1', path: '/txt' }, /no "txt"; the output has only text, list, empty/],
    [{ $from: '1', path: '/list/1' }, /a list of 1 and has no item "1"/],
    [{ $from: '1', path: '/list/00' }, /no item "00"/],
    [{ $from: '1', path: '/empty/x' }, /\/empty is empty/],
    [{ $from: '1', path: '/constructor' }, /no "constructor"/],
    [{ $from: '2', path: '/length' }, /not an object or a list/],
  ])('that leads nowhere says why: %j', (content, sentence) => {
    expect(() => resolveReferences({ content }, outputs)).toThrow(sentence);
  });

  it('follows RFC 6901', () => {
    const document = { '': 0, 'a/b': 1, 'm~n': 8, foo: ['bar'] };
    expect(readPointer(document, '')).toEqual({ ok: true, value: document });
    expect(readPointer(document, '/')).toEqual({ ok: true, value: 0 });
    expect(readPointer(document, '/a~1b')).toEqual({ ok: true, value: 1 });
    expect(readPointer(document, '/m~0n')).toEqual({ ok: true, value: 8 });
    expect(readPointer(document, '/foo/0')).toEqual({ ok: true, value: 'bar' });
    expect(readPointer(document, '/foo/-').ok).toBe(false);
    expect(readPointer(document, '/m~2').ok).toBe(false);
  });

  it('leads into the JSON that is the text of an output, and of nothing else', () => {
    const [one, list] = [{ text: '{"id":"C-17"}' }, { text: '[{"id":"C-17"}]' }];
    expect(readPointer(one, '/id')).toEqual({ ok: true, value: 'C-17' });
    expect(readPointer(one, '/text')).toEqual({ ok: true, value: one.text });
    expect(readPointer(list, '/0/id')).toEqual({ ok: true, value: 'C-17' });
    expect(readPointer(one, '/name')).toMatchObject({
      reason: expect.stringContaining('id, text'),
    });
    expect(readPointer({ path: 'a.json', ...one }, '/id').ok).toBe(false);
    expect(readPointer({ text: '{"id"' }, '/id').ok).toBe(false);
  });
});

it.each([
  ['the text of a cut read', { path: 'a', text: 'x', truncated: true }, '/text', true],
  ['a cut answer as a whole', { path: 'a', text: 'x', truncated: true }, '', true],
  ['an item of a cut list', { entries: [{ size: 1 }], truncated: true }, '/entries/0', true],
  ['a preview', { truncated: true, preview: '{}' }, '/preview', true],
  ['the path of a cut read', { path: 'a', text: 'x', truncated: true }, '/path', false],
  ['the size of a cut read', { size: 9, text: 'x', truncated: true }, '/size', false],
  ['the text of a whole read', { text: 'x', truncated: false }, '/text', false],
])('%s may or may not be the base of a change', (_, output, path, refused) => {
  const outputs = new Map<string, Json>([['1', output]]);
  const args = { content: { $from: '1', path } };
  const resolve = (whole: boolean) => () => resolveReferences(args, outputs, new Map(), { whole });
  expect(resolve(false)).not.toThrow();
  if (refused)
    expect(resolve(true)).toThrow(expect.objectContaining({ code: 'invalid_reference' }));
  else expect(resolve(true)).not.toThrow();
});
