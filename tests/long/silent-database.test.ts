// Gateway and worker survive silent database connections.
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { draftStep } from '../fixtures/steps.ts';
import { openTcpProxy, type TcpProxy } from '../fixtures/tcp-proxy.ts';
import { useDatabase } from '../setup/database.ts';
import { usePrograms } from '../setup/process.ts';

const database = useDatabase();
const programs = usePrograms();
let proxy: TcpProxy;
beforeAll(async () => {
  proxy = await openTcpProxy(database.url);
});
afterEach(() => proxy.silenceNew(false));
afterAll(() => proxy.close());

async function openBoth() {
  const options = { home: await programs.home(), database: proxy.urlOf(database.url) };
  const [gateway, worker] = await Promise.all([
    programs.serve({ ...options, verb: 'gateway' }),
    programs.work(options),
  ]);
  return { gateway, worker };
}

const draft = (seconds: number) => ({
  title: 'Wait a moment',
  steps: [
    draftStep('1', 'Wait', 'control_wait', { seconds }),
    draftStep('2', 'Go on', 'control_noop', {}, '1'),
  ],
});

it('both end within 20 s of SIGTERM while the database passes nothing', async () => {
  const { gateway, worker } = await openBoth();
  const plan = await gateway.api.propose(draft(30));
  expect((await gateway.api.approve(plan)).status).toBe(200);
  await gateway.api.reach(plan.id, 'executing');
  proxy.silenceNew(true);
  proxy.silence();
  const began = performance.now();
  const asked = gateway.api.get('/api/plans').catch(() => null);
  await Promise.all([gateway.stop(), worker.stop()]);
  expect(performance.now() - began).toBeLessThan(20_000);
  await asked;
});
