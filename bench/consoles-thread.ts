// Open consoles in a thread, apart from the measurement.
import { setTimeout as pause } from 'node:timers/promises';
import { workerData } from 'node:worker_threads';
import { getJson } from './http.ts';

/** Users are URL-encoded. */
export type ConsolesOrder = { url: string; users: string[] };

const readsEveryMs = 5000;
const { url, users } = workerData as ConsolesOrder;

/** As the console does. */
async function follow(user: string, at: number): Promise<void> {
  const { body } = await fetch(`${url}/api/conversations/console-${at}/events?plans=true`);
  for await (const _ of body ?? []) {
    await getJson(`${url}/api/inbox?user=${user}`, { priority: 'u=7' });
    await pause(readsEveryMs);
  }
}

await Promise.all(users.map(follow));
