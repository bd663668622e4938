// Open consoles in a thread, apart from the measurement.
import { setTimeout as pause } from 'node:timers/promises';
import { workerData } from 'node:worker_threads';
import { getJson } from './http.ts';

/** Users are URL-encoded. */
export type ConsolesOrder = { url: string; users: string[]; plans: string[] };

const readsEveryMs = 5000;
const { url, users, plans } = workerData as ConsolesOrder;

async function followPlan(plan: string): Promise<void> {
  const { body } = await fetch(`${url}/api/plans/${plan}/events`);
  for await (const _ of body ?? []);
}

/** As the console does. */
async function followInbox(user: string): Promise<void> {
  const { body } = await fetch(`${url}/api/inbox/events`);
  for await (const _ of body ?? []) {
    await getJson(`${url}/api/inbox?user=${user}`, { priority: 'u=7' });
    await pause(readsEveryMs);
  }
}

await Promise.all(
  users.flatMap((user, at) => [followPlan(plans[at % plans.length] ?? ''), followInbox(user)]),
);
