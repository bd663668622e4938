// Many plans approved at once; then a press amid many proposals.
import type { z } from 'zod';
import { openDatabase } from '#db/database.ts';
import { drawPlan } from '../graphs.ts';
import { PlanAnswer, postJson } from '../http.ts';
import { median, preciseNow } from '../numbers.ts';
import { makeRow } from '../row.ts';
import { type Bench, until } from '../stage.ts';

const usualPlans = 500;
const waitingEach = 4;
const presses = 9;
const clients = 8;
const lookEveryMs = 100;

async function each<T>(items: T[], work: (item: T) => Promise<void>): Promise<void> {
  const queue = items.values();
  await Promise.all(
    Array.from({ length: clients }, async () => {
      for (const item of queue) await work(item);
    }),
  );
}

export const measureBurst: Bench = async (stage) => {
  const count = stage.steps ?? usualPlans;
  await stage.openInstance({ work: false });
  const { url } = await stage.start('start', { API_REQUESTS_PER_MINUTE: '100000' });
  const db = openDatabase(stage.url, {
    max: 1,
    applicationName: 'countersign bench',
    onError: (error) => stage.say(error.message),
  });
  stage.closeLater('the connection of the bench', db.close);
  const isEmpty = async (query: string) => {
    const { rows } = await db.pool.query(query);
    return rows.length === 0 ? true : null;
  };
  const allNotified = () =>
    until(
      stage.signal,
      () => isEmpty(`select 1 from pgboss.job where name = 'card' and state <= 'active' limit 1`),
      lookEveryMs,
    );
  const body = JSON.stringify(drawPlan('wide', 1));
  stage.say(`${count} plans of one step are proposed`);
  const plans: z.infer<typeof PlanAnswer>[] = [];
  const notifiedAt = preciseNow();
  await each(Array.from({ length: count }), async () => {
    plans.push(PlanAnswer.parse(await postJson(`${url}/api/plans`, body)));
  });
  await allNotified();
  const proposed = (preciseNow() - notifiedAt) / 1000;
  stage.say('all are approved at once');
  const pressed = preciseNow();
  await each(plans, async ({ id, version, digest }) => {
    await postJson(`${url}/api/plans/${id}/approve`, JSON.stringify({ version, digest }));
  });
  const approved = (preciseNow() - pressed) / 1000;
  await until(
    stage.signal,
    () => isEmpty(`select 1 from plans where status <> 'completed' limit 1`),
    lookEveryMs,
  );
  const done = (preciseNow() - pressed) / 1000;
  await allNotified();
  const shown = (preciseNow() - pressed) / 1000;
  const waiting = count * waitingEach;
  stage.say(`${waiting} more are proposed`);
  const proposals: z.infer<typeof PlanAnswer>[] = [];
  await each(Array.from({ length: waiting }), async () => {
    proposals.push(PlanAnswer.parse(await postJson(`${url}/api/plans`, body)));
  });
  const outcomes: number[] = [];
  for (const { id, version, digest } of proposals.slice(-presses)) {
    const began = preciseNow();
    await postJson(`${url}/api/plans/${id}/approve`, JSON.stringify({ version, digest }));
    await until(
      stage.signal,
      () =>
        isEmpty(`select 1 from plans where id = '${id}' and status <> 'completed' union all
          select 1 from pgboss.job where name = 'card' and state <= 'active' and singleton_key = '${id}'`),
      20,
    );
    outcomes.push((preciseNow() - began) / 1000);
  }
  const note = `proposed and told in ${proposed.toFixed(1)} s, approved in ${approved.toFixed(1)} s`;
  return [
    makeRow({
      name: 'burst',
      what: `${count} one-step plans approved at once, until the last is done`,
      unit: 's',
      value: done,
      target: { reach: 15, stretch: 10 },
      note,
    }),
    makeRow({
      name: 'burst',
      what: 'the same, until everybody has been told',
      unit: 's',
      value: shown,
      target: { reach: 20, stretch: 12 },
    }),
    makeRow({
      name: 'burst/press',
      what: `a press until its outcome is told, ${waiting} proposals waiting, slowest of ${presses}`,
      unit: 's',
      value: Math.max(...outcomes),
      target: { reach: 2, stretch: 1 },
      note: `p50 ${median(outcomes).toFixed(2)} s`,
    }),
  ];
};
