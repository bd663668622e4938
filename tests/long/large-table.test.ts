// A table of 100 MB is read in pages without long waits.
import { mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openBench } from '../unit/tools/tool-bench.ts';
import '../setup/watch-every-test.ts';

test('the first and the last page of 100 MB', async () => {
  const bench = await openBench();
  await mkdir(bench.workspace, { recursive: true });
  const row = `${'x'.repeat(95)},Ana\n`;
  const file = await open(join(bench.workspace, 'big.csv'), 'w');
  await file.write('id,name\n');
  for (let at = 0; at < 1000; at += 1) await file.write(row.repeat(1000));
  await file.close();
  const read = (more: object) =>
    bench.data('workspace_read_table', { path: 'big.csv', limit: 10, ...more });
  const [first, end] = [await read({}), await read({ offset: 999_995 })];
  expect([first.next, end.next]).toEqual([10, null]);
  expect(end.rows).toHaveLength(5);
  await bench.close();
});
