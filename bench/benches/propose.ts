// A large plan over HTTP, until stored.
import { drawPlan } from '../graphs.ts';
import { postJson } from '../http.ts';
import { median } from '../numbers.ts';
import { makeRow } from '../row.ts';
import type { Bench } from '../stage.ts';

const usualSteps = 100_000;
const usualRuns = 3;

export const measurePropose: Bench = async (stage) => {
  const steps = stage.steps ?? usualSteps;
  const runs = stage.runs ?? usualRuns;
  const { url } = await stage.start('gateway');
  const body = JSON.stringify(drawPlan('diamond', steps));
  const seconds: number[] = [];
  for (let run = 0; run < runs; run++) {
    stage.signal.throwIfAborted();
    stage.say(`round ${run + 1} of ${runs}: ${steps} steps over HTTP`);
    const began = performance.now();
    await postJson(`${url}/api/plans`, body);
    seconds.push((performance.now() - began) / 1000);
  }
  return [
    makeRow({
      name: 'propose',
      what: `${steps} steps over HTTP until stored`,
      unit: 's',
      value: median(seconds),
      target: { reach: 10, stretch: 4 },
    }),
  ];
};
