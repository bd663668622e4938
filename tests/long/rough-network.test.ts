// A gateway and two workers whose connections to the database are cut, delayed, refused or go silent, over and over: every plan is
// proposed once, approved once and completed, and every call is made once, or a person is asked what became of it.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { Plan } from '#domain/plan/plan.ts';
import { appendTool } from '../fixtures/append-tool.ts';
import { chanceFrom } from '../fixtures/random.ts';
import { draftStep } from '../fixtures/steps.ts';
import { openTcpProxy, type TcpProxy } from '../fixtures/tcp-proxy.ts';
import { useDatabase } from '../setup/database.ts';
import { insist } from '../setup/insist.ts';
import { usePrograms } from '../setup/process.ts';
import { waitFor } from '../wait.ts';

const database = useDatabase();
const programs = usePrograms();

const planCount = 12;
const stepCount = 15;
const troubleMs = 30_000;
const slowestCallMs = 100;
/** Other seeds: COUNTERSIGN_NETWORK_SEEDS=7,8,9. */
const seeds = (process.env.COUNTERSIGN_NETWORK_SEEDS ?? '1').split(',').map(Number);

function draftOf(number: number, seed: number) {
  const chance = chanceFrom(seed * 1000 + number);
  return {
    title: `Rough ${seed}, ${number}`,
    steps: Array.from({ length: stepCount }, (_, at) => ({
      ...draftStep(`s${at}`, `Append ${number}.${at}`, 'log_append', {
        line: `${number}.${at}`,
        after_ms: chance.whole(0, slowestCallMs),
      }),
      after: at === 0 || chance.next() < 0.4 ? [] : [`s${chance.whole(0, at - 1)}`],
    })),
  };
}

/** Makes trouble for `troubleMs`, then none. */
async function makeTrouble(proxy: TcpProxy, seed: number): Promise<Record<string, number>> {
  const chance = chanceFrom(seed * 7919);
  const made: Record<string, number> = {};
  const kinds = {
    cut: async () => proxy.cut(),
    delay: async () => {
      proxy.delay(chance.whole(20, 300));
      await pause(1000);
      proxy.delay(0);
    },
    refuse: async () => {
      proxy.refuse(true);
      proxy.cut();
      await pause(chance.whole(200, 1500));
      proxy.refuse(false);
    },
    silence: async () => {
      proxy.silence();
      await pause(2000);
    },
    'silence new': async () => {
      proxy.silenceNew(true);
      proxy.cut();
      await pause(chance.whole(200, 2000));
      proxy.silenceNew(false);
    },
  };
  for (const end = performance.now() + troubleMs; performance.now() < end; ) {
    const [kind, make] = chance.pick(Object.entries(kinds));
    made[kind] = (made[kind] ?? 0) + 1;
    await make();
    await pause(chance.whole(300, 1500));
  }
  return made;
}

it.each(seeds)('seed %i', { timeout: 400_000 }, async (seed) => {
  const proxy = await openTcpProxy(database.url);
  try {
    const log = join(await programs.home(), 'log.txt');
    await writeFile(log, '');
    const readLog = async () => (await readFile(log, 'utf8')).split('\n').filter(Boolean);
    const home = await programs.home({
      executor: { lease_seconds: 5 },
      mcpServers: { log: appendTool(log) },
    });
    const options = { home, database: proxy.urlOf(database.url) };
    const gateway = await programs.serve({ ...options, verb: 'gateway' });
    const workers = await Promise.all([programs.work(options), programs.work(options)]);

    const trouble = makeTrouble(proxy, seed);
    const plans = await Promise.all(
      Array.from({ length: planCount }, async (_, number) => {
        await pause((number * troubleMs) / planCount / 2);
        const plan = await insist<Plan>(gateway, '/api/plans', draftOf(number, seed));
        const { id, version, digest } = plan;
        await insist<Plan>(gateway, `/api/plans/${id}/approve`, { version, digest });
        return plan;
      }),
    );
    const made = await trouble;
    expect(Object.keys(made).length, JSON.stringify(made)).toBeGreaterThan(2);

    /** A person's check: reads the log once no call can be under way, and reports what happened. */
    const settleUnknown = async ({ id, version }: Plan) => {
      const { body } = await gateway.api.get<{ steps: { id: string; args: { line: string } }[] }>(
        `/api/plans/${id}/steps?status=unknown&limit=500`,
      );
      if (body.steps.length === 0) return;
      await pause(2 * slowestCallMs);
      const there = new Set(await readLog());
      const steps = Object.fromEntries(
        body.steps.map((step) => [step.id, there.has(step.args.line) ? 'done' : 'retry']),
      );
      await gateway.api.post(`/api/plans/${id}/resume`, { version, steps });
    };
    await waitFor(
      'every plan to be completed',
      async () => {
        const now = await Promise.all(plans.map(({ id }) => gateway.api.plan(id)));
        for (const plan of now) {
          expect(['executing', 'approved', 'completed', 'needs_review']).toContain(plan.status);
          if (plan.status !== 'completed') await settleUnknown(plan);
        }
        return now.every(({ status }) => status === 'completed');
      },
      { timeoutMs: 180_000, everyMs: 500 },
    );
    const expected = plans.flatMap((_, number) =>
      Array.from({ length: stepCount }, (__, at) => `${number}.${at}`),
    );
    expect((await readLog()).toSorted(), `seed ${seed}`).toEqual(expected.toSorted());
    const { body } = await gateway.api.get<{ plans: { id: string; title: string }[] }>(
      '/api/plans?limit=100',
    );
    const stored = body.plans.filter(({ title }) => title.startsWith(`Rough ${seed},`));
    expect(stored.map(({ id }) => id).toSorted()).toEqual(plans.map(({ id }) => id).toSorted());
    const ended = await Promise.all([gateway, ...workers].map((program) => program.stop()));
    expect(ended.map(({ code }) => code)).toEqual([0, 0, 0]);
  } finally {
    await proxy.close();
  }
});
