// What ARCHITECTURE.md and README.md say of the house is held to what the house has.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { getTableName, is } from 'drizzle-orm';
import { PgTable } from 'drizzle-orm/pg-core';
import { expect, test } from 'vitest';
import { jobPayloads } from '#contracts/jobs.ts';
import * as schema from '#store/schema.ts';

const root = new URL('../../../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), 'utf8');
const architecture = read('ARCHITECTURE.md');

/** A part of a document, from its heading to the next one. */
function partOf(text: string, heading: string): string {
  const part = text.split(/^(?=## )/m).find((each) => each.startsWith(`## ${heading}\n`));
  if (part === undefined) throw new Error(`there is no part “${heading}”`);
  return part;
}

test('the rules are numbered one after the other', () => {
  const numbers = [...partOf(architecture, 'Rules').matchAll(/^(\d+)\. /gm)].map(([, n]) =>
    Number(n),
  );
  expect(numbers.length).toBeGreaterThan(10);
  expect(numbers).toEqual(numbers.map((_, at) => at + 1));
});

test('every kind of job stands in the way through the house', () => {
  const way = partOf(architecture, 'The way through the house');
  const line = way.split('\n').find((each) => each.includes('jobs/*')) ?? '';
  expect(Object.keys(jobPayloads).filter((name) => !line.includes(` ${name} `))).toEqual([]);
});

test('every table is named where ARCHITECTURE.md says what is where', () => {
  const where = partOf(architecture, 'What is where in Postgres');
  const tables = Object.values(schema).flatMap((each) =>
    is(each, PgTable) ? [getTableName(each)] : [],
  );
  expect(tables.length).toBeGreaterThan(40);
  expect(tables.filter((name) => !where.includes(`\`${name}\``))).toEqual([]);
});

const readme = read('README.md');

test('README.md says how to add it to Slack and Teams before it explains how it plans, and points there under the first picture', () => {
  const headings = [...readme.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading);
  expect(headings.indexOf('Add to Slack')).toBeGreaterThan(0);
  expect(headings.indexOf('Add to Slack')).toBeLessThan(headings.indexOf('How it plans'));
  expect(headings.indexOf('Add to Teams')).toBeLessThan(headings.indexOf('How it plans'));
  expect(readme.split('\n## ')[0]).toMatch(/\(#add-to-slack\).+\(#add-to-teams\)/);
});

test('every picture that README.md shows is there, and every one that is there is used', () => {
  const shown = [...readme.matchAll(/docs\/[\w/-]+\.png/g)].map(([path]) => path);
  const there = readdirSync(new URL('docs/', root)).filter((name) => name.endsWith('.png'));
  expect(shown.filter((path) => !existsSync(new URL(path, root)))).toEqual([]);
  expect(there.filter((name) => !shown.includes(`docs/${name}`))).toEqual([]);
});
