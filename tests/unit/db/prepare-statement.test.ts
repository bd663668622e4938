// Each placeholder is sent once, and a name has one text.
import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { prepareStatement } from '#db/database.ts';

const given = sql.placeholder;

test('a placeholder that stands twice is one parameter', () => {
  const { text, params } = prepareStatement(
    'twice',
    sql`select ${given('a')}, ${given('b')}, ${given('a')}`,
  );
  expect(text).toBe('select $1, $2, $1');
  expect(params).toHaveLength(2);
});

test('a name is given once, or again to the same text', () => {
  prepareStatement('own', sql`select 1`);
  expect(prepareStatement('own', sql`select 1`).text).toBe('select 1');
  expect(() => prepareStatement('own', sql`select 2`)).toThrow('there is another statement own');
});
