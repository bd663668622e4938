// Steps through the executor, against pg-boss and a workflow library.
import { openBareBoss, pickLoops } from '../bare-boss.ts';
import { libraryMissing, openDurableLibrary } from '../durable-library.ts';
import { type Call, drawPlan, readNoop } from '../graphs.ts';
import { interleave } from '../interleave.ts';
import { createNoopWrite, writeNoop } from '../noop-write.ts';
import { type BenchRow, makeRow } from '../row.ts';
import { runPlan } from '../run-plan.ts';
import type { Bench } from '../stage.ts';

type Target = { reach: number; stretch: number };

const usualSteps = 20_000;
const usualRuns = 3;

/** Targets are ratios. */
function measureExecutor(
  name: string,
  call: Call,
  what: string,
  targets: { boss?: Target; library: Target },
): Bench {
  return async (stage): Promise<BenchRow[]> => {
    const steps = stage.steps ?? usualSteps;
    const instance = await stage.openInstance({ work: true, extraOperations: [createNoopWrite()] });
    const library = await openDurableLibrary(stage, steps);
    const [own, boss, durable] = await interleave(stage, stage.runs ?? usualRuns, [
      {
        name: `${steps} steps of ${what}`,
        measure: async () => ({
          countersign: await runPlan(instance.service, drawPlan('wide', steps, call), stage),
        }),
      },
      await openBareBoss(stage, steps),
      ...(library === null ? [] : [library]),
    ]);
    if (own === undefined || boss === undefined) throw new Error('a side was not measured');
    const shared = { what: `${what}, ${steps} steps`, unit: 'steps/s', value: own.value } as const;
    const { one, two } = pickLoops(boss);
    return [
      makeRow({
        ...shared,
        name,
        compared: one,
        ...(targets.boss === undefined ? {} : { target: targets.boss }),
      }),
      makeRow({ ...shared, name: `${name}/beside-two-loops`, compared: two }),
      makeRow({
        ...shared,
        name: `${name}/library`,
        compared: durable ?? null,
        target: targets.library,
        ...(durable === undefined ? { note: libraryMissing } : {}),
      }),
    ];
  };
}

export const measureThroughput = measureExecutor('throughput', readNoop, 'read-only no-op', {
  boss: { reach: 0.5, stretch: 1 },
  library: { reach: 5, stretch: 10 },
});

/** Counted as writes: each call is marked first. */
export const measureThroughputWrite = measureExecutor(
  'throughput-write',
  writeNoop,
  'side-effecting no-op',
  { library: { reach: 3, stretch: 4 } },
);
