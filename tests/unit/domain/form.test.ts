import { describe, expect, it, test } from 'vitest';
import { describeOption } from '#domain/plan/answer.ts';
import { type FormField, readForm } from '#domain/plan/form.ts';
import type { Json } from '#domain/text.ts';

function fieldsIn(form: Json): FormField[] {
  const read = readForm(form);
  if (!read.ok) throw new Error(read.problems.join('; '));
  return read.fields;
}
const problemsIn = (form: Json): string[] => {
  const read = readForm(form);
  return read.ok ? [] : read.problems;
};

describe('a form', () => {
  it('is a list of fields; a field is text and optional unless it says otherwise', () => {
    expect(fieldsIn([{ name: 'due_date' }])).toEqual([
      {
        name: 'due_date',
        label: 'Due date',
        type: 'text',
        required: false,
        help: null,
        options: [],
        min: null,
        max: null,
        whole: false,
      },
    ]);
  });

  it('takes options as words or as values with labels', () => {
    const form = [
      { name: 'room', type: 'choice', options: ['Blue', { value: 'g', label: 'Green' }] },
    ];
    expect(fieldsIn(form)[0]?.options).toEqual([
      { value: 'Blue', label: 'Blue' },
      { value: 'g', label: 'Green' },
    ]);
  });

  it('may be a JSON Schema of an object with simple properties', () => {
    const schema = {
      type: 'object',
      properties: {
        n: { type: 'integer', title: 'How many', minimum: 1, maximum: 9 },
        day: { type: 'string', format: 'date', description: 'A working day' },
        size: { enum: ['S', 'M'] },
        sure: { type: 'boolean' },
      },
      required: ['n', 'size'],
    };
    expect(fieldsIn(schema)).toMatchObject([
      { name: 'n', label: 'How many', type: 'number', whole: true, min: 1, max: 9, required: true },
      { name: 'day', type: 'date', help: 'A working day', required: false },
      { name: 'size', type: 'choice', options: [{ value: 'S' }, { value: 'M' }], required: true },
      { name: 'sure', type: 'boolean' },
    ]);
  });

  it('reads the same again once it is read', () => {
    const fields = fieldsIn([
      { name: 'a', type: 'number', min: 1 },
      { name: 'b', type: 'choice', options: ['x'] },
    ]);
    expect(fieldsIn(fields)).toEqual(fields);
  });

  it.each<[string, Json, string]>([
    ['a word', 'Amount', 'form must be a list of fields'],
    ['no fields', [], 'form must have at least one field'],
    [
      'an unknown type',
      [{ name: 'a', type: 'money' }],
      'form[0].type must be one of text, multiline',
    ],
    ['a choice without options', [{ name: 'a', type: 'choice' }], 'form[0].options is needed'],
    ['options of a text', [{ name: 'a', options: ['x'] }], 'form[0].options is for choices only'],
    [
      'an option twice',
      [{ name: 'a', type: 'choice', options: ['x', { value: 'x', label: 'X' }] }],
      'form[0].options must not name a value twice',
    ],
    ['a name twice', [{ name: 'a' }, { name: 'a' }], 'form[1].name is "a" twice'],
    ['a name no path can hold', [{ name: 'a/b' }], 'form[0].name must be a letter'],
    ['a misspelt member', [{ name: 'a', requierd: true }], 'form[0].requierd is not known there'],
    ['bounds of a text', [{ name: 'a', min: 3 }], 'form[0].type must be number'],
    ['bounds turned round', [{ name: 'a', type: 'number', min: 3, max: 1 }], 'form[0].min'],
    ['21 fields', Array.from({ length: 21 }, (_, i) => ({ name: `f${i}` })), 'at most 20 fields'],
    [
      'more than a card takes',
      Array.from({ length: 20 }, (_, i) => ({ name: `f${i}`, help: '語'.repeat(300) })),
      'form is too long for a card',
    ],
    [
      'a nested object in a schema',
      { properties: { a: { type: 'object' } } },
      'form[0].type must be one of',
    ],
  ])('is refused with its place: %s', (_, form, words) => {
    expect(problemsIn(form).join('\n')).toContain(words);
  });
});

test.each([
  ['oneOf', [{ const: 'delete', title: 'Keep everything' }, { const: 'keep' }]],
  ['anyOf', [{ const: 'delete', title: 'Keep everything' }, { const: 'keep' }]],
])('a schema names its choices with %s, and each shows its value', (keyword, choices) => {
  const read = readForm({
    type: 'object',
    properties: { what: { type: 'string', [keyword]: choices } },
  });
  if (!read.ok) throw new Error(read.problems.join(' '));
  const [field] = read.fields;
  expect(field?.type).toBe('choice');
  expect(field?.options.map(describeOption)).toEqual(['delete (“Keep everything”)', 'keep']);
});
