import { describe, expect, it, test } from 'vitest';
import { readField, readFields } from '#domain/plan/answer.ts';
import { type FormField, fieldsOf } from '#domain/plan/form.ts';
import { assignAnswers } from '#domain/planning/asked-question.ts';
import type { JsonObject } from '#domain/text.ts';

function field(declared: JsonObject): FormField {
  const [first] = fieldsOf([{ name: 'f', label: 'It', ...declared }]);
  if (first === undefined) throw new Error('not a field');
  return first;
}

describe('a value of a form', () => {
  it.each<[JsonObject, unknown, unknown]>([
    [{ type: 'text' }, '  two\n words ', 'two words'],
    [{ type: 'multiline' }, ' a\nb ', 'a\nb'],
    [{ type: 'number' }, '12.50', 12.5],
    [{ type: 'number' }, -3, -3],
    [{ type: 'number', whole: true }, '12', 12],
    [{ type: 'date' }, '2028-02-29', '2028-02-29'],
    [{ type: 'choice', options: [{ value: 'b', label: 'Blue' }] }, 'b', 'b'],
    [{ type: 'choice', options: [{ value: 'b', label: 'Blue' }] }, 'blue', 'b'],
    [{ type: 'boolean' }, 'true', true],
    [{ type: 'boolean' }, 'No', false],
    [{ type: 'boolean' }, false, false],
    [{ type: 'number' }, '  ', null],
    [{ type: 'text' }, undefined, null],
    [{ type: 'date' }, null, null],
  ])('%o takes %o as %o', (declared, given, value) => {
    expect(readField(field(declared), given)).toEqual({ ok: true, value });
  });

  it.each<[JsonObject, unknown, string]>([
    [{ type: 'text', required: true }, ' ', 'It is missing.'],
    [{ type: 'boolean', required: true }, undefined, 'It is missing.'],
    [{ type: 'text' }, 5, 'It must be text.'],
    [{ type: 'text' }, 'x'.repeat(1001), 'It must have at most 1000 characters.'],
    [{ type: 'text' }, 'a\u0000b', 'It contains characters that cannot be stored. Type it again.'],
    [{ type: 'number' }, '1,250', 'It must be a number such as 12.5.'],
    [{ type: 'number' }, 'Infinity', 'It must be a number such as 12.5.'],
    [{ type: 'number' }, true, 'It must be a number such as 12.5.'],
    [{ type: 'number', whole: true }, 1.5, 'It must be a whole number.'],
    [{ type: 'number', min: 1 }, 0, 'It must be at least 1.'],
    [{ type: 'number', max: 9 }, '10', 'It must be at most 9.'],
    [{ type: 'date' }, '2026-02-29', 'It must be a day such as 2026-03-31.'],
    [{ type: 'date' }, '31.03.2026', 'It must be a day such as 2026-03-31.'],
    [{ type: 'choice', options: ['Blue', 'Green'] }, 'Red', 'It must be one of Blue, Green.'],
    [{ type: 'boolean' }, 'maybe', 'It must be yes or no.'],
  ])('%o refuses %o: %s', (declared, given, message) => {
    expect(readField(field(declared), given)).toEqual({ ok: false, message });
  });
});

it('sets a label that is a question apart from the sentence about it', () => {
  expect(readField(field({ label: 'Which room?', required: true }), '')).toEqual({
    ok: false,
    message: '“Which room?” is missing.',
  });
});

it('answers every field: what was left out is null, what nobody asked for is a problem', () => {
  const form = fieldsOf([{ name: 'a', required: true }, { name: 'b' }]);
  expect(readFields(form, { a: 'x' })).toEqual({ fields: { a: 'x', b: null }, problems: [] });
  expect(readFields(form, { b: 'x', toString: 'y' }).problems).toEqual([
    { name: 'a', message: 'A is missing.' },
    { name: 'toString', message: '“toString” is none of its fields: a, b.' },
  ]);
});

test('a label that two options have names neither; a value always does', () => {
  const options = [
    { value: 'keep', label: 'Go on' },
    { value: 'delete', label: 'Go on' },
    { value: 'wait', label: 'keep' },
  ];
  const form = fieldsOf([{ name: 'what', type: 'choice', options }]);
  expect(readFields(form, { what: 'Go on' }).problems).toHaveLength(1);
  expect(readFields(form, { what: 'keep' }).fields).toEqual({ what: 'keep' });
});

test('a numbered choice answers the question it belongs to, and a bare number the first one', () => {
  const asked = [
    { id: 'many', text: 'How many?' },
    { id: 'room', text: 'Which room?', options: [{ text: 'Blue' }, { text: 'Green' }] },
  ];
  expect(assignAnswers(asked, '2. Green')).toEqual([{ question_id: 'room', text: 'Green' }]);
  expect(assignAnswers(asked, '2')).toEqual([{ question_id: 'many', text: '2' }]);
  expect(assignAnswers(asked, '2: 2')).toEqual([{ question_id: 'room', text: 'Green' }]);
  expect(assignAnswers(asked, '2: a quiet one')).toEqual([
    { question_id: 'room', text: 'a quiet one' },
  ]);
});
