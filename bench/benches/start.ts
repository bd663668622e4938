// `countersign start` without data.
import { median } from '../numbers.ts';
import { makeRow } from '../row.ts';
import type { Bench } from '../stage.ts';

const usualRuns = 5;

export const measureStart: Bench = async (stage) => {
  const runs = stage.runs ?? usualRuns;
  const seconds: number[] = [];
  for (let run = 0; run < runs; run++) {
    stage.signal.throwIfAborted();
    stage.say(`round ${run + 1} of ${runs}`);
    const program = await stage.startFresh();
    seconds.push(program.readyMs / 1000);
    await program.stop();
  }
  return [
    makeRow({
      name: 'start',
      what: 'start on a fresh database until ready',
      unit: 's',
      value: median(seconds),
      target: { reach: 5, stretch: 2.5 },
    }),
  ];
};
