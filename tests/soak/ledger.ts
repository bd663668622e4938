// External effects: a logging server, and a file of lines.
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { listenOnLoopback } from '../fixtures/loopback.ts';
import type { Chance } from '../fixtures/random.ts';

const Entry = z.object({ step: z.string() });

export type Ledger = {
  /** Steps post `{ "step": "…" }` there. */
  url: string;
  file: string;
  /** By step. */
  count(): Promise<Map<string, number>>;
  close(): Promise<void>;
};

export const slowestEffectMs = 150;

export async function openLedger(file: string, chance: Chance): Promise<Ledger> {
  const posted: string[] = [];
  const server = createServer((request, response) => {
    const answer = async () => {
      const { step } = Entry.parse(JSON.parse(await text(request)));
      posted.push(step);
      await pause(chance.whole(0, slowestEffectMs));
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"noted":true}');
    };
    // A killed caller is no fault of the ledger.
    answer().catch(() => response.destroy());
  });
  await writeFile(file, '');
  const { url, close } = await listenOnLoopback(server);
  return {
    url: `${url}/effects`,
    file,
    async count() {
      const lines = (await readFile(file, 'utf8')).split('\n').filter(Boolean);
      const times = new Map<string, number>();
      for (const step of [...posted, ...lines]) times.set(step, (times.get(step) ?? 0) + 1);
      return times;
    },
    close,
  };
}
