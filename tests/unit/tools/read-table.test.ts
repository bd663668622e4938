import { mkdir, readFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { rounds } from '../../rounds.ts';
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
  expect(await refusal('"open\n')).toContain('line 1 cannot be read');
  expect(await refusal(`${'c,'.repeat(600)}d\n`)).toContain('601 columns');
});

const one = { id: '1', name: 'Ana' };
const two = { id: '2', name: 'Ben' };
const lines = (skipped: unknown) =>
  z
    .array(z.object({ line: z.number() }))
    .parse(skipped ?? [])
    .map(({ line }) => line);

test.each<[string, string, object[], number[]]>([
  ['a line that names the separator', 'sep=;\nid;name\n1;Ana\n', [one], []],
  ['that line in quotes, and tabs', '"sep=\t"\nid\tname\n1\tAna\n', [one], []],
  ['a delimiter too many in every line', 'id,name,\n1,Ana,\n2,Ben,\n', [one, two], []],
  ['a delimiter too many in some rows', 'id,name\n1,Ana,,\n2,Ben\n', [one, two], []],
  ['a value too many', 'id,name\n1,Ana,x\n2,Ben\n', [two], [2]],
  ['a value too few', 'id,name\n1\n2,Ben\n', [{ id: '1', name: '' }, two], [2]],
  [
    'empty cells at the end that a spreadsheet left out',
    'id;name;note;due\n1;Ana\n2;Ben;x;y\n3\n',
    [
      { id: '1', name: 'Ana', note: '', due: '' },
      { id: '2', name: 'Ben', note: 'x', due: 'y' },
      { id: '3', name: '', note: '', due: '' },
    ],
    [2, 4],
  ],
  [
    'the same in every row, with commas in texts',
    'id;name;note\n1;a, b\n2;c, d\n',
    [
      { id: '1', name: 'a, b', note: '' },
      { id: '2', name: 'c, d', note: '' },
    ],
    [2, 3],
  ],
  [
    'a quoted row that ends early',
    '"id","name","note"\n"1","a, b"\n"2","c","d"\n',
    [
      { id: '1', name: 'a, b', note: '' },
      { id: '2', name: 'c', note: 'd' },
    ],
    [2],
  ],
  ['a NUL in a row', 'id,name\n1,A\u0000na\n2,Ben\n', [two], [2]],
  [
    'a NUL in a quoted value of two lines',
    'id,name\n1,"A\n\u0000na"\n2,Ben\n3,"x"\n',
    [two, { id: '3', name: 'x' }],
    [2, 3],
  ],
  ['a NUL behind the last row', 'id,name\n1,Ana\n2,Ben\n\u0000', [one, two], [4]],
  [
    'amounts with a comma',
    'id;name\n1;2,50\n2;3,50\n',
    [
      { id: '1', name: '2,50' },
      { id: '2', name: '3,50' },
    ],
    [],
  ],
  [
    'texts with commas',
    'id;name\n1;a, b\n2;c, d\n',
    [
      { id: '1', name: 'a, b' },
      { id: '2', name: 'c, d' },
    ],
    [],
  ],
  [
    'texts with semicolons',
    'id,name\n1,a;b\n2,c;d\n',
    [
      { id: '1', name: 'a;b' },
      { id: '2', name: 'c;d' },
    ],
    [],
  ],
  [
    'quoted delimiters of the other kind',
    '"id","name"\n"1","a;b;c"\n',
    [{ id: '1', name: 'a;b;c' }],
    [],
  ],
  ['inches', 'id,name\n1,5" pipe\n2,Ben\n', [{ id: '1', name: '5" pipe' }, two], []],
  ['a quote in a quoted value', 'id,name\n1,"a "b" c"\n2,Ben\n', [two], [2]],
  [
    'a quote that is never closed',
    'id,name\n1,"open\n2,Ben\n3,Cy\n',
    [two, { id: '3', name: 'Cy' }],
    [2],
  ],
  [
    'a value of two lines',
    'id,name\r\n1,"a\r\nb"\r\n2,Ben\r\n',
    [{ id: '1', name: 'a\r\nb' }, two],
    [],
  ],
  ['lines that end with CR', 'id,name\r1,Ana\r2,Ben', [one, two], []],
  ['blank rows of a spreadsheet', 'id,name\n1,Ana\n,\n,,,\n2,Ben\n\n', [one, two], []],
  ['a title above the header', 'Customers of May\n\nid,name\n1,Ana\n2,Ben\n', [one, two], [1]],
  ['an index as pandas writes it', ',name\n0,Ana\n', [{ 'column 1': '0', name: 'Ana' }], []],
  ['two columns of one name', 'id,id\n1,2\n', [{ id: '1', 'id (2)': '2' }], []],
  [
    'a total at the end',
    'name,id\nAna,1\nTotal,1\n',
    [
      { name: 'Ana', id: '1' },
      { name: 'Total', id: '1' },
    ],
    [3],
  ],
  ['a row that is longer than any', `id,name\n1,${'x'.repeat(300_000)}\n2,Ben\n`, [two], [2]],
  ['one column', 'id\n1\n2\n', [{ id: '1' }, { id: '2' }], []],
])(
  '%s: what is sound is read, and the other lines are named',
  async (_, content, rows, skipped) => {
    await put('x.csv', content);
    const data = await read('x.csv');
    expect(data.rows).toEqual(rows);
    expect(lines(data.skipped)).toEqual(skipped);
  },
);

test.each([
  [
    'windows-1252',
    Buffer.from('id,name\n1,M\0ller\n2,M\xfcller und S\xf6hne\n3,Zo\xeb\n', 'latin1'),
  ],
  [
    'windows-1252',
    Buffer.from('id,name\n1,\0\0\0\n2,M\xfcller und S\xf6hne\n3,Zo\xeb\n', 'latin1'),
  ],
  [
    'shift_jis',
    Buffer.concat([
      Buffer.from('id,name\n1,A\0B\n2,'),
      Buffer.from('93fa967b8cea82c583658358836782b782e9', 'hex'),
      Buffer.from('\n3,x\n'),
    ]),
  ],
])('a NUL in a table in %s spoils its line only, which is named', async (_, content) => {
  await put('x.csv', content);
  const { rows, skipped } = await read('x.csv');
  expect(rows).toMatchObject([{ id: '2' }, { id: '3' }]);
  expect(JSON.stringify(rows)).toMatch(/Müller und Söhne|日本語でテストする/);
  expect(lines(skipped)).toEqual([2]);
});

test.each<[string, string, object[], number[]]>([
  [
    'x.jsonl',
    '{"id":1}\n{"id":2\n\n{"id":9007199254740993,"b":[1]}\n[3]\n',
    [{ id: 1 }, { id: 9007199254740993n, b: [1] }],
    [2, 5],
  ],
  ['x.json', '[{"id":1},7,{"id":2}]', [{ id: 1 }, { id: 2 }], [2]],
  ['x.json', '\ufeff{"count":2,"items":[{"id":1}]}', [{ id: 1 }], []],
])('%s is read as rows', async (name, content, rows, skipped) => {
  await put(name, content);
  const data = await read(name);
  expect(data.rows).toEqual(rows);
  expect(lines(data.skipped)).toEqual(skipped);
});

test('a spreadsheet in UTF-16 with tabs is read', async () => {
  await put('x.txt', Buffer.from('\ufeffid\tname\r\n1\tMüller\r\n', 'utf16le'));
  expect((await read('x.txt')).rows).toEqual([{ id: '1', name: 'Müller' }]);
});

test('each line that is no row is told once, with the page it is on', async () => {
  const rows = Array.from({ length: 1100 }, (_, at) => (at % 100 === 50 ? `${at},x,y` : `${at},n`));
  await put('x.csv', `id,name\n${rows.join('\n')}\n`);
  const found: number[] = [];
  for (let offset: unknown = 0; offset !== null; ) {
    const page = await read('x.csv', { offset });
    found.push(...lines(page.skipped));
    offset = page.next;
  }
  expect(found).toEqual(Array.from({ length: 11 }, (_, at) => at * 100 + 52));
});

test('any table that is written is read back, whatever else is in the file', async () => {
  const cell = fc.string({
    unit: fc.constantFrom('a', '1', ' ', '"', ',', ';', '\n', 'é'),
    minLength: 1,
    maxLength: 8,
  });
  const quote = (value: string) => `"${value.replaceAll('"', '""')}"`;
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(cell, cell), { minLength: 1, maxLength: 12 }),
      fc.constantFrom(',', ';', '\t'),
      fc.constantFrom('\n', '\r\n'),
      async (cells, delimiter, end) => {
        const sound = cells.map(([a, b]) => [quote(a), quote(b)].join(delimiter));
        const bad = [`x${delimiter}y${delimiter}z`];
        await put('x.csv', [`"id"${delimiter}"name"`, ...sound, ...bad, ...sound].join(end));
        const { rows, skipped } = await read('x.csv', { delimiter });
        const meant = cells
          .filter(([a, b]) => `${a}${b}`.trim() !== '')
          .map(([id, name]) => ({ id, name }));
        expect(rows).toEqual([...meant, ...meant]);
        expect(lines(skipped)).toHaveLength(1);
      },
    ),
    { numRuns: rounds(100) },
  );
});

test('a table with bytes of no encoding is refused, in whatever page it shows', async () => {
  const broken = Buffer.concat([Buffer.from('id,name\n1,Müller é\n2,'), Buffer.from([0xff, 10])]);
  expect(await refusal(broken)).toContain('line 3 has bytes that are not utf-8');
  expect(await refusal(Buffer.from([1, 0, 2, 0, 0, 3]))).toContain('it is not text. Line 1 has');
  const image = Buffer.concat([Buffer.from('a,b\n\n'), await readFile(process.execPath)]);
  const long = `${'a,b\r\n'.repeat(20_000)}\r\0`;
  expect(await refusal(`${long}${'\0'.repeat(20_000)}`)).toContain('Line 20002 has');
  expect(await refusal(image.subarray(0, 300_000))).toContain('it is not text. Line 3 has');
});

test.each(['"', '\n', '\r'])('%j cannot divide columns', async (delimiter) => {
  await put('e.csv', 'id,name\n1,x\n');
  const args = { path: 'e.csv', delimiter };
  expect((await bench.fail('workspace_read_table', args)).message).toContain(
    'use another character',
  );
});

test('a table of more than 200 MB is refused', async () => {
  await put('big.csv', 'id,name\n');
  await truncate(join(bench.workspace, 'big.csv'), 200_000_001);
  expect((await bench.fail('workspace_read_table', { path: 'big.csv' })).message).toContain(
    '200 MB',
  );
});
