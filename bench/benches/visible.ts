// From a message to another process's first status.
import { setTimeout as pause } from 'node:timers/promises';
import { person } from '#domain/people/actor.ts';
import type { Planner } from '#domain/planning/run.ts';
import { createShownTimes, openChat } from '../chat.ts';
import { median, preciseNow, quantile } from '../numbers.ts';
import { makeRow } from '../row.ts';
import { type Bench, until } from '../stage.ts';

const usualCount = 40;
/** Uncounted. */
const warmUp = 3;
const target = { reach: 1000, stretch: 500 };
const asker = person('bench', 'slack');

/** Earlier statuses aren't the answer. */
const planningMs = 500;

const planner: Planner = {
  name: 'bench',
  async plan() {
    await pause(planningMs);
    return {
      result: { kind: 'answer', text: 'Here.' },
      reason: 'asked',
      planner: 'bench',
      confidence: null,
      cost_usd: 0,
      trace: [],
      session: null,
    };
  },
};

export const measureVisible: Bench = async (stage) => {
  const { signal } = stage;
  const count = stage.steps ?? usualCount;
  const shown = createShownTimes();
  const gateway = await stage.openInstance({ work: false });
  await stage.openInstance({ work: true, planner, chatPorts: { slack: openChat(shown.note) } });

  stage.say(`${count} requests in threads of their own, one at a time`);
  const waited: number[] = [];
  for (let n = -warmUp; n < count; n++) {
    const thread = String(n);
    const place = { platform: 'slack', tenant: 'T1', channel: 'C1', thread } as const;
    const conversation = await gateway.db.transaction((tx) =>
      gateway.openConversation(tx, place, null),
    );
    const asked = preciseNow();
    await gateway.service.say(conversation, `Look at ${n}`, asker);
    const at = await until(signal, async () => shown.status.get(thread) ?? null, 5);
    if (n >= 0) waited.push(at - asked);
  }
  return [
    makeRow({
      name: 'visible',
      what: `a message in a chat → the first status there, p95 of ${count}`,
      unit: 'ms',
      value: quantile(waited, 0.95),
      p50: median(waited),
      target,
    }),
  ];
};
