// A worker of the people bench; each output line is a `Shown`.
import { setTimeout as pause } from 'node:timers/promises';
import { loadConfig } from '#app/config.ts';
import { createLog } from '#app/logging.ts';
import { openInstance } from '#app/wire.ts';
import { openDatabase } from '#db/database.ts';
import { createRateLimits } from '#db/rate-limits.ts';
import type { ChatPort } from '#domain/chat/chat.ts';
import type { PlanDraft } from '#domain/plan/plan.ts';
import type { Planner } from '#domain/planning/run.ts';
import { openChat } from './chat.ts';
import { drawPlan } from './graphs.ts';

const planningMs = 200;
/** Slack's rate; otherwise 100 cards would be drawn 100 times a second. */
const progressEveryMs = 1500;

/** A second each, in sequence. */
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

/** Answers, or proposes waits or no-ops. */
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
const log = createLog(config, false);
const db = openDatabase(config.env.DATABASE_URL ?? '', {
  max: 1,
  applicationName: 'countersign bench limits',
  onError: (err) => log.warn({ err }, 'The connection for rate limits was lost.'),
});
const limits = createRateLimits(db.query);
const slack: ChatPort = {
  ...openChat((shown) => console.log(JSON.stringify(shown))),
  queueProgress: ({ tenant }) => limits.queue(`slack ${tenant} progress`, progressEveryMs),
};
const instance = await openInstance({
  config,
  log,
  work: true,
  planner,
  chatPorts: { slack },
  linkTo: () => null,
});
process.once('SIGTERM', async () => {
  await instance.close();
  await db.close();
  process.exit();
});
console.log('This worker is ready.');
