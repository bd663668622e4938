import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Bench, openBench } from './tool-bench.ts';

let bench: Bench;
beforeEach(async () => {
  bench = await openBench();
  await mkdir(join(bench.workspace, 'sub'), { recursive: true });
  const lines = Array.from({ length: 3000 }, (_, nth) => `Clause ${nth + 1}`);
  lines[2990] = 'Either party may TERMINATE with 60 days notice.';
  await writeFile(join(bench.workspace, 'contract.md'), lines.join('\n'));
  await writeFile(join(bench.workspace, 'sub', 'b.txt'), 'nothing\nto terminate\n');
  await writeFile(join(bench.workspace, 'sub', 'c.bin'), Buffer.from([0, 159, 146, 150, 0]));
});
afterEach(() => bench.close());

test('a range of lines is read, with how many there are', async () => {
  const args = { path: 'contract.md', from_line: 2990, lines: 2 };
  expect(await bench.data('workspace_read', args)).toMatchObject({
    text: 'Clause 2990\nEither party may TERMINATE with 60 days notice.',
    truncated: true,
    total_lines: 3000,
  });
});

test('lines around a text are found in a file, in a folder and in any case', async () => {
  const one = { query: 'terminate', path: 'contract.md', around: 1 };
  expect(await bench.data('workspace_search', one)).toEqual({
    matches: [
      {
        path: 'contract.md',
        line: 2990,
        text: 'Clause 2990\nEither party may TERMINATE with 60 days notice.\nClause 2992',
      },
    ],
    truncated: false,
  });
  const all = await bench.data('workspace_search', { query: 'terminate', around: 0 });
  expect(all.matches).toMatchObject([{ path: 'contract.md' }, { path: 'sub/b.txt', line: 2 }]);
  const many = await bench.data('workspace_search', { query: 'clause', around: 0 });
  expect(many.truncated).toBe(false);
  const missing = await bench.fail('workspace_search', { query: 'x', path: 'no' });
  expect(missing.message).toContain('There is no no in the workspace.');
});
