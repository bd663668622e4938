import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { getTableName, is } from 'drizzle-orm';
import { PgTable } from 'drizzle-orm/pg-core';
import { expect, test } from 'vitest';
import * as schema from '#db/schema.ts';
import { jobPayloads } from '#domain/jobs.ts';
import { mayHoldLoop } from '../../setup/watch-loop.ts';

const root = new URL('../../../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), 'utf8');
const architecture = read('ARCHITECTURE.md');
const rules = read('docs/design/rules.md');
const storage = read('docs/design/storage.md');

function partOf(text: string, heading: string): string {
  const part = text.split(/^(?=## )/m).find((each) => each.startsWith(`## ${heading}\n`));
  if (part === undefined) throw new Error(`there is no part “${heading}”`);
  return part;
}

test('the rules are numbered one after the other', () => {
  const numbers = [...rules.matchAll(/^(\d+)\. /gm)].map(([, n]) => Number(n));
  expect(numbers.length).toBeGreaterThan(10);
  expect(numbers).toEqual(numbers.map((_, at) => at + 1));
});

test('every kind of job stands in the request flow', () => {
  const way = partOf(architecture, 'Request flow');
  const line = way.split('\n').find((each) => each.includes('jobs/*')) ?? '';
  expect(Object.keys(jobPayloads).filter((name) => !line.includes(` ${name} `))).toEqual([]);
});

test('every table is named in docs/design/storage.md', () => {
  const tables = Object.values(schema).flatMap((each) =>
    is(each, PgTable) ? [getTableName(each)] : [],
  );
  expect(tables.length).toBeGreaterThan(40);
  expect(tables.filter((name) => !storage.includes(`\`${name}\``))).toEqual([]);
});

const readme = read('README.md');

const docs = readdirSync(new URL('docs/', root));
const pages = docs.filter((name) => name.endsWith('.md')).map((name) => `docs/${name}`);

test('README.md is read in two screens, and leads to every page of docs', () => {
  expect(readme.split('\n').length).toBeLessThanOrEqual(150);
  expect(pages.length).toBeGreaterThan(5);
  expect(pages.filter((page) => !readme.includes(`(${page}`))).toEqual([]);
});

/** As GitHub names them. */
const anchorsOf = (text: string) =>
  [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w -]/g, '')
      .replaceAll(' ', '-'),
  );

test('every link and picture of the documents leads somewhere, and every picture is used', () => {
  const linked = ['README.md', ...pages].flatMap((page) =>
    [...read(page).matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([\w-]+))?\)/g)].map(
      ([, path = '', anchor]) => ({
        from: page,
        to: path === '' ? page : new URL(path, `file:///${page}`).pathname.slice(1),
        anchor,
      }),
    ),
  );
  expect(linked.filter(({ to }) => !existsSync(new URL(to, root)))).toEqual([]);
  const anchored = linked.filter(({ anchor }) => anchor !== undefined);
  expect(anchored.filter(({ to, anchor }) => !anchorsOf(read(to)).includes(anchor ?? ''))).toEqual(
    [],
  );
  const used = [
    ...linked.map(({ to }) => to),
    ...pages.flatMap((page) => read(page).match(/docs\/[\w-]+\.png/g) ?? []),
  ];
  const pictures = docs.filter((name) => name.endsWith('.png')).map((name) => `docs/${name}`);
  expect(pictures.filter((picture) => !used.includes(picture))).toEqual([]);
});

test('every file and folder that the documents name exists', () => {
  mayHoldLoop('It reads the whole repository.');
  const all = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((path) => !/^(?:node_modules|\.git|\.countersign)\b/.test(path))
    .map((path) => path.replaceAll('\\', '/'));
  const design = readdirSync(new URL('docs/design/', root)).map((name) => `docs/design/${name}`);
  const missing = ['ARCHITECTURE.md', 'CONTRIBUTING.md', ...design].flatMap((page) =>
    [...read(page).matchAll(/`((?:[\w-]+\/)*[\w-]+\.ts|(?:src|adapters|cards|jobs)\/[\w/-]+)`/g)]
      .map(([, path = '']) => path)
      .filter((path) => !all.some((one) => one === path || one.endsWith(`/${path}`)))
      .map((path) => `${page}: ${path}`),
  );
  expect(missing).toEqual([]);
});

test('the glossary has at most 40 terms', () => {
  const rows = partOf(architecture, 'Terms').match(/^\| [^|]+(?= \| )/gm) ?? [];
  const terms = rows.slice(1).flatMap((row) => row.slice(2).split(', '));
  expect(terms.length).toBeGreaterThan(20);
  expect(terms.length).toBeLessThanOrEqual(40);
});
