// Baseline: pg-boss alone on the same database.
import { PgBoss } from 'pg-boss';
import type { Best, Side, Way } from './interleave.ts';
import type { Stage } from './stage.ts';

const batchSize = 100;
const insertSize = 5000;
const oneLoop = 'pg-boss, one loop';
const twoLoops = 'pg-boss, two loops';
/** A hundred at once. Targets relate to one loop; two use up two processors. */
const ways: [string, number][] = [
  [oneLoop, 1],
  [twoLoops, 2],
];

async function measure(boss: PgBoss, queue: string, jobs: number, loops: number): Promise<number> {
  await boss.createQueue(queue);
  for (let at = 0; at < jobs; at += insertSize) {
    const size = Math.min(insertSize, jobs - at);
    await boss.insert(
      queue,
      Array.from({ length: size }, (_, i) => ({ data: { at: at + i } })),
    );
  }
  let done = 0;
  const loop = async () => {
    for (;;) {
      const batch = await boss.fetch(queue, { batchSize });
      if (batch.length === 0) return;
      await boss.complete(
        queue,
        batch.map(({ id }) => id),
      );
      done += batch.length;
    }
  };
  const began = performance.now();
  await Promise.all(Array.from({ length: loops }, loop));
  const ms = performance.now() - began;
  await boss.deleteQueue(queue);
  if (done !== jobs) throw new Error(`pg-boss gave ${done} of ${jobs} jobs`);
  return (jobs / ms) * 1000;
}

/** In its own schema. @param jobs per measurement */
export async function openBareBoss(stage: Stage, jobs: number): Promise<Side> {
  const boss = new PgBoss({
    connectionString: stage.url,
    schema: 'bare_pgboss',
    supervise: false,
    schedule: false,
  });
  const failed: { error?: Error } = {};
  boss.on('error', (error) => {
    failed.error = error;
  });
  await boss.start();
  stage.closeLater('the bare pg-boss', () => boss.stop({ graceful: false }));
  let queues = 0;
  return {
    name: `${jobs} jobs through bare pg-boss`,
    async measure() {
      const rates: [string, number][] = [];
      for (const [way, loops] of ways) {
        queues += 1;
        rates.push([way, await measure(boss, `bare-${queues}`, jobs, loops)]);
      }
      if (failed.error !== undefined) throw failed.error;
      return Object.fromEntries(rates);
    },
  };
}

/** The baseline, and one for comparison. */
export function pickLoops({ ways: measured }: Best): { one: Way; two: Way } {
  const one = measured.find((way) => way.with === oneLoop);
  const two = measured.find((way) => way.with === twoLoops);
  if (one === undefined || two === undefined) throw new Error('bare pg-boss was not measured');
  return { one, two };
}
