import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { loadConfig } from '#app/config.ts';
import { Settings } from '#domain/settings.ts';

const docs = new URL('../../../docs/', import.meta.url);
const AnyObject = z.record(z.string(), z.unknown());

/** Fenced or indented. */
function listBlocks(text: string): string[] {
  const fenced = [...text.matchAll(/^```\w*\n(.*?)^```$/gms)].map(([, block = '']) => block);
  const indented = [...text.matchAll(/(?<=^\n)(?: {4}.*\n)(?:(?: {4}.*)?\n)*/gm)].map(([block]) =>
    block.replaceAll(/^ {4}/gm, ''),
  );
  return [...fenced, ...indented];
}

function readExample(block: string): unknown {
  let json: unknown;
  try {
    json = JSON.parse(block);
  } catch {
    return null; // Another language.
  }
  const { data } = AnyObject.safeParse(json);
  const known = Object.keys(Settings.shape);
  return data !== undefined && Object.keys(data).every((key) => known.includes(key)) ? json : null;
}

const examples = readdirSync(docs)
  // docs/mcp.md shows other programs' files; see mcp-configurations.test.ts.
  .filter((name) => name.endsWith('.md') && name !== 'mcp.md')
  .flatMap((name) =>
    listBlocks(readFileSync(new URL(name, docs), 'utf8'))
      .filter((block) => readExample(block) !== null)
      .map((block) => [name, block] as const),
  );

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-docs-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

it('there are examples', () => {
  expect(examples.length).toBeGreaterThanOrEqual(3);
});

it.each(examples)('%s: %s', (_name, block) => {
  const path = join(folder, 'countersign.json');
  writeFileSync(path, block);
  const named = [...block.matchAll(/\$\{(?:env:)?(\w+)/g)].map(([, name = '']) => [
    name,
    'a value that is long enough',
  ]);
  const { settings } = loadConfig(
    { ...Object.fromEntries(named), COUNTERSIGN_CONFIG: path },
    folder,
  );
  expect(Object.keys(settings)).toEqual(expect.arrayContaining(Object.keys(JSON.parse(block))));
});
