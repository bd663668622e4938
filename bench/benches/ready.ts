// From ready to running when idle, and between a chain's steps.
import type { Change } from '#domain/plan/views.ts';
import type { Service } from '#domain/service.ts';
import { drawPlan, drawQuestion } from '../graphs.ts';
import { median, toMilliseconds } from '../numbers.ts';
import { makeRow } from '../row.ts';
import { asker, awaitCompletion, beginPlan, readLog } from '../run-plan.ts';
import { type Bench, until } from '../stage.ts';

const usualCount = 40;
/** Uncounted. */
const warmUp = 3;
const pageSize = 1000;
const target = { reach: 25, stretch: 10 };

async function readChanges(service: Service, id: string): Promise<Change[]> {
  const changes: Change[] = [];
  for (let since = 0; ; ) {
    const page = await service.diff(id, since, pageSize);
    changes.push(...page.changes);
    if (!page.more) return changes;
    since = page.to;
  }
}

/** Milliseconds per attempt. */
async function readDelays(service: Service, id: string, step: string): Promise<number[]> {
  let since: number | undefined;
  const delays: number[] = [];
  for (const { step_id, status, at } of await readChanges(service, id)) {
    if (step_id !== step) continue;
    if (status === 'ready') since = toMilliseconds(at);
    if (status === 'running' && since !== undefined) delays.push(toMilliseconds(at) - since);
  }
  return delays;
}

export const measureReady: Bench = async (stage) => {
  const { signal } = stage;
  const count = stage.steps ?? usualCount;
  const { service } = await stage.openInstance({ work: false });
  await stage.start('worker');

  stage.say(`${count} steps after a person's answer, one at a time`);
  const woken: number[] = [];
  for (let n = -warmUp; n < count; n++) {
    const { id, version } = await beginPlan(service, drawQuestion());
    await until(signal, async () => (await service.overview(id)).counts.waiting || null);
    await service.resume(id, { version, steps: { ask: 'done' } }, asker);
    await awaitCompletion(service, id, stage);
    if (n >= 0) woken.push(...(await readDelays(service, id, 'go')));
  }

  stage.say(`a chain of ${count + warmUp} steps`);
  const chain = drawPlan('wide', count + warmUp);
  const { id } = await beginPlan(service, {
    ...chain,
    steps: chain.steps.map((step, at) => ({ ...step, after: at === 0 ? [] : [`s${at}`] })),
  });
  await awaitCompletion(service, id, stage);
  const starts = (await readLog(service, id)).map(({ started_at }) => toMilliseconds(started_at));
  const chained = starts.slice(1).map((start, at) => start - (starts[at] ?? start));

  const shared = { unit: 'ms', target } as const;
  return [
    makeRow({
      ...shared,
      name: 'ready',
      what: `ready → running in another process, idle system, p50 of ${woken.length}`,
      value: median(woken),
    }),
    makeRow({
      ...shared,
      name: 'ready/chain',
      what: `a step that does nothing → the next of its chain running, p50 of ${count}`,
      value: median(chained.slice(-count)),
    }),
  ];
};
