// A short soak; `npm run soak -- --minutes 30 --seed 7` runs longer.
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { usePrograms } from '../setup/process.ts';
import { runSoak } from '../soak/soak.ts';

const programs = usePrograms();
const minutes = Number(process.env.COUNTERSIGN_SOAK_MINUTES ?? '3');
const seed = Number(process.env.COUNTERSIGN_SOAK_SEED ?? '1');
const folder = process.env.COUNTERSIGN_SOAK_REPORT ?? join(tmpdir(), 'countersign-soak');

test('nothing is lost, done twice or left behind', {
  timeout: (minutes + 25) * 60_000,
  retry: 0,
}, async () => {
  const report = await runSoak(programs, { minutes, seed, folder, say: console.error });
  expect(report.verdicts.filter(({ ok }) => !ok)).toEqual([]);
});
