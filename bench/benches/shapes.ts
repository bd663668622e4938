// Large plans of three shapes: speed and memory.
import { openBareBoss, pickLoops } from '../bare-boss.ts';
import { drawPlan, type Shape, shapes } from '../graphs.ts';
import { interleave, type Side } from '../interleave.ts';
import { median } from '../numbers.ts';
import { type BenchRow, makeRow } from '../row.ts';
import { runPlan } from '../run-plan.ts';
import type { Bench } from '../stage.ts';

const usualSteps = 100_000;
const usualRuns = 1;
const bossJobs = 20_000;

export const measureShapes: Bench = async (stage) => {
  const steps = stage.steps ?? usualSteps;
  const { service } = await stage.openInstance({ work: false });
  const peaks = new Map<Shape, number[]>(shapes.map((shape) => [shape, []]));
  const idle: number[] = [];

  const sides = shapes.map(
    (shape): Side => ({
      name: `${steps} steps, ${shape}, in a worker process`,
      async measure() {
        const worker = await stage.start('worker');
        let peak = await worker.peakMemory();
        if (peak !== null) idle.push(peak);
        const look = async () => {
          const seen = await worker.peakMemory();
          if (seen !== null) peak = Math.max(peak ?? 0, seen);
        };
        const rate = await runPlan(service, drawPlan(shape, steps), { signal: stage.signal, look });
        await worker.stop();
        if (peak !== null) peaks.get(shape)?.push(peak);
        return { countersign: rate };
      },
    }),
  );
  const boss = await openBareBoss(stage, Math.min(steps, bossJobs));
  // Own baselines: runs are long, and speed drifts.
  const rates = await interleave(
    stage,
    stage.runs ?? usualRuns,
    sides.flatMap((side) => [boss, side]),
  );
  const memoryRow = (name: string, what: string, held: number[]) =>
    makeRow({
      name,
      what,
      unit: 'MB',
      value: held.length === 0 ? null : median(held),
      target: { reach: 300, stretch: 200 },
      ...(held.length === 0 ? { note: 'this system does not tell' } : {}),
    });
  const ofShapes = shapes.flatMap((shape, at): BenchRow[] => {
    const [bare, own] = [rates[2 * at], rates[2 * at + 1]];
    if (bare === undefined || own === undefined) throw new Error('a side was not measured');
    const shared = { what: `${steps} steps, ${shape}`, unit: 'steps/s', value: own.value } as const;
    const { one, two } = pickLoops(bare);
    return [
      makeRow({
        ...shared,
        name: `shapes/${shape}`,
        compared: one,
        target: { reach: 0.5, stretch: 1 },
      }),
      makeRow({ ...shared, name: `shapes/${shape}/beside-two-loops`, compared: two }),
      memoryRow(
        `shapes/${shape}/memory`,
        `peak memory of the worker, ${shape}`,
        peaks.get(shape) ?? [],
      ),
    ];
  });
  return [...ofShapes, memoryRow('shapes/idle/memory', 'memory of a worker without work', idle)];
};
