// A worker of the people bench in a process of its own. Its chat accepts everything at once; each line of output is a `Shown`.
import { setTimeout as pause } from 'node:timers/promises';
import { loadConfig } from '#app/config.ts';
import { createLog } from '#app/logging.ts';
import { openInstance } from '#app/wire.ts';
import type { PlanDraft } from '#domain/plan/plan.ts';
import type { Planner } from '#domain/planning/run.ts';
import { openChat } from './chat.ts';
import { drawPlan } from './graphs.ts';

const planningMs = 200;

/** Waits of a second, one after the other. */
function drawWaits(count: number): PlanDraft {
  const steps = Array.from({ length: count }, (_, at) => ({
    id: `${at}`,
    description: 'Wait',
    tool: 'control',
    operation: 'wait',
    args: { seconds: 1 },
    ...(at === 0 ? {} : { after: [`${at - 1}`] }),
  }));
  return { title: `${count} waits`, steps };
}

/** Answers, or proposes a plan of so many waits or steps that do nothing. */
const planner: Planner = {
  name: 'bench',
  async plan({ text }) {
    await pause(planningMs);
    const [, count, what] = /^Run (\d+) (waits|steps)/.exec(text) ?? [];
    return {
      result:
        count === undefined
          ? { kind: 'answer', text: 'Here.' }
          : {
              kind: 'proposal',
              draft: what === 'waits' ? drawWaits(Number(count)) : drawPlan('wide', Number(count)),
            },
      reason: 'asked',
      planner: 'bench',
      confidence: null,
      cost_usd: 0,
      trace: [],
      session: null,
    };
  },
};

const config = loadConfig(process.env, process.cwd());
const instance = await openInstance({
  config,
  log: createLog(config, false),
  work: true,
  planner,
  chatPorts: { slack: openChat((shown) => console.log(JSON.stringify(shown))) },
  linkTo: () => null,
});
process.once('SIGTERM', () => void instance.close().then(() => process.exit()));
console.log('This worker is ready.');
