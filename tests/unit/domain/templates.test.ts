import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { referencesOf, substitute } from '#domain/plan/arguments.ts';
import { findBareTemplate, readTemplates, writeTemplates } from '#domain/plan/templates.ts';
import type { Json } from '#domain/text.ts';

const read = (text: string) => readTemplates({ text }).text;
const from = (id: string, path = '') => ({ $from: id, path });

describe('a text', () => {
  it.each<[string, Json]>([
    ['Status: {{2/status}}', { $template: ['Status: ', from('2', '/status')] }],
    ['{{ ask/fields/room }}!', { $template: [from('ask', '/fields/room'), '!'] }],
    ['{{2}} and {{2a/x}}', { $template: [from('2'), ' and ', from('2a', '/x')] }],
    ['{{a#2026-11-26/text}}', { $template: [from('a#2026-11-26', '/text')] }],
    ['{{list/items/0/a~1b}}', { $template: [from('list', '/items/0/a~1b')] }],
  ])('takes values where it says so: %s', (text, expected) => {
    expect(read(text)).toEqual(expected);
  });

  it.each([
    '',
    'plain',
    'Hello {{name}}',
    '{{ user.name }}',
    '{{#each items}}x{{/each}}',
    '{{> part/head}}',
    '{ {2/status} }',
    '{{2/status}',
    '{{}}',
    '{{/status}}',
    'a {{ b',
  ])('that only has braces stays as it is: %s', (text) => {
    expect(read(text)).toBe(text);
  });

  it('keeps braces behind a backslash', () => {
    expect(read('Write \\{{2/status}} here')).toBe('Write {{2/status}} here');
    expect(read('\\{{2/a}} is {{2/a}}')).toEqual({ $template: ['{{2/a}} is ', from('2', '/a')] });
  });

  it('is read in lists and objects, and not in what is decided later', () => {
    const args = {
      list: ['{{1/a}}'],
      headers: { note: '{{1/b}}' },
      later: { $decide: 'as {{1/c}} says' },
      taken: { $from: '1', path: '/d' },
    };
    const found = readTemplates(args);
    expect(referencesOf(found)).toEqual([from('1', '/a'), from('1', '/b'), from('1', '/d')]);
    expect(found.later).toEqual(args.later);
    expect(readTemplates(found)).toEqual(found);
  });

  it('comes back from what it was written as, whatever it is', () => {
    const piece = fc.constantFrom('{{', '}}', '\\', '2', '/a', ' ', '{{2/a}}', '\\{{', 'x', '{');
    const text = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''));
    const part = fc.oneof(text, fc.constant(from('2', '/a')));
    fc.assert(
      fc.property(text, (literal) => {
        expect(readTemplates(writeTemplates({ literal }))).toEqual({ literal });
      }),
    );
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 5 }), (parts) => {
        const stored = { text: { $template: [...parts, from('3', '/b')] } };
        const again = readTemplates(writeTemplates(stored));
        const say = (args: Json) =>
          substitute(
            args,
            ({ $from, path }) => `<${$from} ${path}>`,
            () => '',
          );
        expect(say(again)).toEqual(say(stored));
      }),
    );
  });
});

it('writes values into a text: numbers and lists as JSON, nothing for null', () => {
  const outputs: Record<string, Json> = {
    '/text': 'green',
    '/count': 3,
    '/list': ['a', { b: 1 }],
    '/none': null,
  };
  const args = readTemplates({ text: '{{2/text}} {{2/count}} {{2/list}} {{2/none}}.' });
  expect(
    substitute(
      args,
      ({ path }) => outputs[path] ?? null,
      () => null,
    ),
  ).toEqual({ text: 'green 3 ["a",{"b":1}] .' });
});

it('finds what names a step and no value of it', () => {
  const isStep = (id: string) => id === 'ask';
  expect(findBareTemplate({ a: ['said {{ask}}'] }, isStep)).toBe('ask');
  expect(findBareTemplate({ a: 'said {{2}}' }, () => true)).toBeNull();
  expect(findBareTemplate({ a: 'said \\{{ask}}' }, isStep)).toBeNull();
  expect(findBareTemplate({ a: 'said {{name}}', b: { $decide: '{{ask}}' } }, isStep)).toBeNull();
});
