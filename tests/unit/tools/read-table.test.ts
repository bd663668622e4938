// Rows of CSV and TSV files: pages, quoting, encodings, and what is wrong with a table.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { type Bench, openBench } from './tool-bench.ts';

let bench: Bench;
beforeEach(async () => {
  bench = await openBench();
  await mkdir(bench.workspace, { recursive: true });
});
afterEach(() => bench.close());

const put = (name: string, content: string | Buffer) =>
  writeFile(join(bench.workspace, name), content);
const read = (path: string, more: object = {}) =>
  bench.data('workspace_read_table', { path, ...more });
async function refusal(content: string | Buffer): Promise<string> {
  await put('bad.csv', content);
  return (await bench.fail('workspace_read_table', { path: 'bad.csv' })).message;
}

test('rows are objects by the names of the header; quotes, line breaks and blank lines are read as RFC 4180 says', async () => {
  await put('a.csv', '\ufeffid, name\r\n1,"Ana ""the"" first, of\r\nmany"\r\n\r\n2,\r\n');
  expect(await read('a.csv')).toEqual({
    path: 'a.csv',
    columns: ['id', 'name'],
    rows: [
      { id: '1', name: 'Ana "the" first, of\r\nmany' },
      { id: '2', name: '' },
    ],
    next: null,
  });
});

test.each([
  ['b.csv', 'id;"a,b"\n1;2,5\n', { id: '1', 'a,b': '2,5' }],
  ['b.tsv', 'id\tname, first\n1\tx\n', { id: '1', 'name, first': 'x' }],
  ['b.txt', 'id|name\n1|x\n', { id: '1', name: 'x' }],
])('the delimiter of %s is told from its header', async (name, content, row) => {
  await put(name, content);
  expect((await read(name)).rows).toEqual([row]);
});

const Page = z.object({
  rows: z.array(z.object({ id: z.string() })),
  next: z.number().nullable(),
});

test('pages follow each other to the end, whatever their size', async () => {
  const lines = Array.from({ length: 1203 }, (_, index) => `${index + 1},é`);
  await put('c.csv', `id,name\n${lines.join('\n')}`);
  const ids: string[] = [];
  const sizes: number[] = [];
  for (let offset: unknown = 0; offset !== null; ) {
    const { rows, next } = Page.parse(await read('c.csv', { offset }));
    ids.push(...rows.map(({ id }) => id));
    sizes.push(rows.length);
    offset = next;
  }
  expect(sizes).toEqual([500, 500, 203]);
  expect(ids).toEqual(lines.map((line) => line.split(',')[0]));
  expect(await bench.call('workspace_read_table', { path: 'c.csv', offset: 2000 })).toMatchObject({
    summary: 'No rows behind row 2000 of c.csv (id and name).',
    data: { rows: [], next: null },
  });
});

test('a page of long rows ends before it is too large, and the next begins where it ended', async () => {
  const long = 'x'.repeat(150_000);
  await put('d.csv', `id,text\n${[1, 2, 3, 4, 5].map((id) => `${id},${long}`).join('\n')}`);
  const first = await read('d.csv');
  expect(first.next).toBe(3);
  expect(await read('d.csv', { offset: first.next })).toMatchObject({
    rows: [{ id: '4' }, { id: '5' }],
    next: null,
  });
});

test('what is no table is refused with the line and the reason', async () => {
  expect(await refusal('')).toBe(
    "bad.csv can't be read as a table: it is empty; its first line is to name the columns.",
  );
  expect(await refusal('id,name\n1,2\n\n1,2,3\n')).toBe(
    "bad.csv can't be read as a table: the row that ends in line 4 has 3 values, and the header names 2 columns.",
  );
  expect(await refusal('id,id\n')).toContain('two columns are called “id”');
  expect(await refusal('id,,x\n')).toContain('column 2 has no name');
  expect(await refusal('id,name\n1,"open\n')).toContain('Quote Not Closed');
  expect(await refusal(`id\n${'x'.repeat(300_000)}`)).toContain('Max Record Size');
});

test.each([
  ['Latin-1', Buffer.from('id,name\n1,M\u00fcller\n', 'latin1')],
  ['UTF-16 with a mark', Buffer.from('\ufeffid,name\n1,M\u00fcller\n', 'utf16le')],
  ['Latin-1 late', Buffer.from(`id,name\n1,M\u00fcller\n${'2,x\n'.repeat(40_000)}`, 'latin1')],
])('a table in %s is read', async (_, content) => {
  await put('e.csv', content);
  expect(await read('e.csv', { limit: 1 })).toMatchObject({ rows: [{ id: '1', name: 'Müller' }] });
});

test('a table with bytes of no encoding is refused, in whatever page it shows', async () => {
  const broken = Buffer.concat([Buffer.from('id,name\n1,Müller é\n2,'), Buffer.from([0xff, 10])]);
  expect(await refusal(broken)).toContain('Save it as "CSV UTF-8"');
  expect(await refusal(Buffer.from([1, 0, 2, 0, 0, 3]))).toContain('it is not text');
});

test.each(['"', '\n', '\r'])('%j cannot divide columns', async (delimiter) => {
  await put('e.csv', 'id,name\n1,x\n');
  const args = { path: 'e.csv', delimiter };
  expect((await bench.fail('workspace_read_table', args)).message).toContain(
    'use another character',
  );
});
