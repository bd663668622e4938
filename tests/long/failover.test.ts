// Failover to a replica under load: every plan ends, calls once.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { appendTool } from '../fixtures/append-tool.ts';
import { draftStep } from '../fixtures/steps.ts';
import { openTcpProxy } from '../fixtures/tcp-proxy.ts';
import { usePrograms } from '../setup/process.ts';
import { startReplicated } from '../setup/replica.ts';
import { waitFor } from '../wait.ts';

const programs = usePrograms();
const plansAtOnce = 12;
const stepsEach = 15;

const planOf = (name: string, count = stepsEach) => ({
  title: name,
  steps: Array.from({ length: count }, (_, at) => ({
    ...draftStep(`s${at}`, 'Append a line', 'log_append', { line: `${name} ${at}`, after_ms: 40 }),
    ...(at === 0 ? {} : { after: [`s${at - 1}`] }),
  })),
});

it.each(['ends', 'goes silent'] as const)(
  'a primary that %s under load is replaced',
  async (how) => {
    const servers = await startReplicated();
    const proxy = await openTcpProxy(servers.primary);
    const database = proxy.urlOf(servers.primary);
    const log = join(await programs.home(), 'log.txt');
    await writeFile(log, '');
    const lines = async () => (await readFile(log, 'utf8')).trim().split('\n');
    const home = await programs.home({ mcpServers: { log: appendTool(log) } });
    const gateway = await programs.serve({ home, database, verb: 'gateway' });
    const workers = await Promise.all([
      programs.work({ home, database }),
      programs.work({ home, database }),
    ]);
    const names = Array.from({ length: plansAtOnce }, (_, at) => `plan${at}`);
    const plans = await Promise.all(names.map((name) => gateway.api.propose(planOf(name))));
    for (const plan of plans) expect((await gateway.api.approve(plan)).status).toBe(200);
    await waitFor('the work to be under way', async () => (await lines()).length > 20);

    if (how === 'goes silent') proxy.silence();
    await servers.kill();
    const doneBefore = (await lines()).length;
    expect(doneBefore).toBeLessThan(plansAtOnce * stepsEach);
    await servers.promote();
    proxy.lead(servers.replica);
    const promoted = performance.now();
    const after = await waitFor(
      'a plan to be taken',
      () => gateway.api.propose(planOf('after', 1)).catch(() => null),
      { timeoutMs: 60_000 },
    );
    const answered = performance.now() - promoted;
    expect((await gateway.api.approve(after)).status).toBe(200);
    await waitFor('its line to be written', async () => (await lines()).includes('after 0'), {
      timeoutMs: 60_000,
    });
    const working = performance.now() - promoted;
    console.info(
      `${how}: answered after ${Math.round(answered)} ms, worked after ${Math.round(working)} ms`,
    );

    for (const { id } of plans) {
      await waitFor(
        `${id} to end`,
        async () => {
          const { status } = await gateway.api.plan(id);
          if (status === 'completed') return true;
          // A person settles lost outcomes by the log.
          const unknown = (await gateway.api.steps(id)).filter((step) => step.status === 'unknown');
          for (const step of unknown) {
            const { line } = step.args as { line: string };
            const settle = (await lines()).includes(line) ? 'done' : 'retry';
            const body = { version: 1, steps: { [step.id]: settle } };
            await gateway.api.post(`/api/plans/${id}/resume`, body);
          }
          return false;
        },
        { timeoutMs: 120_000 },
      );
    }
    const written = await lines();
    expect(written).toHaveLength(plansAtOnce * stepsEach + 1);
    expect(new Set(written).size).toBe(written.length);
    expect(working).toBeLessThan(10_000);
    await Promise.all([gateway.stop(), ...workers.map((worker) => worker.stop())]);
    await proxy.close();
  },
);
