// A plan of 2,000 calls that must not be repeated, while a worker is killed every second and PostgreSQL is stopped and
// started twice: every call is made once, or a person is asked what became of it.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Embedded, openEmbedded } from '#db/embedded.ts';
import { appendTool } from '../fixtures/append-tool.ts';
import { chanceFrom } from '../fixtures/random.ts';
import { draftStep } from '../fixtures/steps.ts';
import { useDatabase } from '../setup/database.ts';
import { type Program, type Server, usePrograms } from '../setup/process.ts';
import { waitFor } from '../wait.ts';

const stepCount = 2000;
const workerCount = 4;
const kills = 30;
/** PostgreSQL is away around these kills. */
const outagesAt = [10, 20];
const slowestCallMs = 150;
/** Other seeds: COUNTERSIGN_TORTURE_SEEDS=7,8,9. */
const seeds = (process.env.COUNTERSIGN_TORTURE_SEEDS ?? '1,2,3,4,5').split(',').map(Number);

const database = useDatabase();
const programs = usePrograms();
const quiet = { info: () => undefined, warn: () => undefined };
const settings = { fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off' };

/** A process keeps the code it compiled when it ends, and one that is killed keeps none: one worker does, for all that follow. */
beforeAll(async () => {
  const home = await programs.home({ mcpServers: { log: appendTool('') } });
  const worker = await programs.work({ home, database: database.url });
  expect((await worker.stop()).code).toBe(0);
});

/** The database of one seed, which can be away for a while and comes back at the same address. */
async function openServer() {
  const dir = await programs.home();
  const open = () => openEmbedded({ dir: join(dir, 'postgres'), log: quiet, settings });
  let server: Embedded = await open();
  return {
    url: server.url,
    close: () => server.close(),
    async interrupt(ms: number) {
      await server.close();
      await pause(ms);
      server = await open();
    },
  };
}

function draftOf(seed: number) {
  const chance = chanceFrom(seed);
  const steps = Array.from({ length: stepCount }, (_, index) => ({
    ...draftStep(`s${index + 1}`, `Append s${index + 1}`, 'log_append', {
      line: `s${index + 1}`,
      after_ms: chance.whole(20, slowestCallMs),
    }),
    priority: chance.whole(0, 3),
    partition: `p${chance.whole(1, 5)}`,
    resources: chance.next() < 0.3 ? { line: chance.whole(1, 3) } : {},
    after:
      index === 0 || chance.next() < 0.4
        ? []
        : [...new Set([chance.whole(Math.max(1, index - 60), index)])].map((n) => `s${n}`),
  }));
  return { title: `Torture ${seed}`, steps };
}

type Situation = {
  home: string;
  database: string;
  log: string;
  gateway: Server;
  plan: { id: string; version: number };
};

const readLog = async (log: string) => (await readFile(log, 'utf8')).split('\n').filter(Boolean);

/** A person's check: reads the log once no call can be under way, and reports what happened. */
async function settleUnknown({ gateway, plan, log }: Situation): Promise<number> {
  const { status, body } = await gateway.api.get<{ steps: { id: string }[] }>(
    `/api/plans/${plan.id}/steps?status=unknown&limit=500`,
  );
  if (status !== 200 || body.steps.length === 0) return 0;
  await pause(2 * slowestCallMs);
  const there = new Set(await readLog(log));
  const verdicts = body.steps.map(({ id }) => [id, there.has(id) ? 'done' : 'retry'] as const);
  const steps = Object.fromEntries(verdicts);
  const answer = await gateway.api.post(`/api/plans/${plan.id}/resume`, {
    version: plan.version,
    steps,
  });
  return answer.status === 200 ? verdicts.length : 0;
}

/** Keeps a person busy until `over`; what cannot be reached is asked again. */
async function attend(situation: Situation, over: () => boolean): Promise<number> {
  let settled = 0;
  while (!over()) {
    settled += await settleUnknown(situation).catch(() => 0);
    await pause(200);
  }
  return settled;
}

async function killWorkers(
  seed: number,
  work: () => Promise<Program>,
  interrupt: (ms: number) => Promise<void>,
): Promise<void> {
  const chance = chanceFrom(seed * 7919);
  const running: Program[] = await Promise.all(Array.from({ length: workerCount }, work));
  const starting: Promise<unknown>[] = [];
  for (let kill = 1; kill <= kills; kill++) {
    await pause(1000);
    const victim = chance.pick(running);
    running.splice(running.indexOf(victim), 1);
    await victim.stop('SIGKILL');
    if (outagesAt.includes(kill)) await interrupt(chance.whole(200, 1500));
    // The others go on meanwhile, and may be killed while it starts.
    starting.push(work().then((worker) => running.push(worker)));
    while (running.length === 0) await pause(50);
  }
  await Promise.all(starting);
}

async function askDatabase<Row extends object>(url: string, text: string): Promise<Row[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(text)).rows;
  } finally {
    await client.end();
  }
}

describe.each(seeds)('seed %i', (seed) => {
  it('does every step once, or asks', { timeout: 600_000 }, async () => {
    const server = await openServer();
    try {
      const log = join(await programs.home(), 'log.txt');
      await writeFile(log, '');
      const home = await programs.home({
        executor: { lease_seconds: 2, concurrency: 4, batch: 8 },
        resourcePools: { line: 6 },
        mcpServers: { log: appendTool(log) },
      });
      const options = { home, database: server.url };
      const gateway = await programs.serve({ ...options, verb: 'gateway' });
      const plan = await gateway.api.propose(draftOf(seed));
      expect((await gateway.api.approve(plan)).status).toBe(200);
      const situation: Situation = { home, database: server.url, log, gateway, plan };
      let over = false;
      const person = attend(situation, () => over);
      await killWorkers(seed, () => programs.work(options), server.interrupt);
      await waitFor(
        'the plan to be completed',
        async () => (await gateway.api.plan(plan.id)).status === 'completed',
        { timeoutMs: 300_000, everyMs: 250 },
      );
      over = true;
      const settled = await person;
      const lines = await readLog(log);
      const expected = Array.from({ length: stepCount }, (_, index) => `s${index + 1}`);
      expect(lines.toSorted(), `seed ${seed}`).toEqual(expected.toSorted());
      const pools = await askDatabase<{ in_use: string }>(
        server.url,
        'select in_use from countersign.resource_pools',
      );
      expect(pools.map(({ in_use }) => Number(in_use))).toEqual([0]);
      const [left] = await askDatabase<{ held: number; attempts: number; lost: number }>(
        server.url,
        `select (select count(*)::int from countersign.reservations) as held,
          (select count(*)::int from countersign.step_attempts) as attempts,
          (select count(*)::int from countersign.step_attempts where status in ('lost', 'unknown')) as lost`,
      );
      expect(left?.held).toBe(0);
      // Workers were killed in the middle of something, and people were asked.
      expect(left?.lost).toBeGreaterThan(0);
      expect(settled).toBeGreaterThan(0);
    } finally {
      await server.close();
    }
  });
});
