// Workers with different tools: each step runs where its tool is.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import { beforeAll, describe, expect, it } from 'vitest';
import type { CardAnswer } from '#adapters/console/routes.ts';
import type { Plan } from '#domain/plan/plan.ts';
import type { Overview } from '#domain/plan/views.ts';
import { appendTool } from '../fixtures/append-tool.ts';
import { draftStep } from '../fixtures/steps.ts';
import { useDatabase } from '../setup/database.ts';
import type { Problem } from '../setup/http-client.ts';
import { type Program, type Server, usePrograms } from '../setup/process.ts';
import { waitFor } from '../wait.ts';

const database = useDatabase();
const programs = usePrograms();
let gateway: Server;
// Alpha has the tool alpha and the capability gpu; beta neither.
let alpha: Program;
let beta: Program;
let logs: string;
let alphaHome: string;

const builtins = ['workspace', 'http', 'chat', 'human', 'reminder', 'calendar', 'text', 'control'];

const appender = (name: string) => ({
  [name]: appendTool(join(logs, name)),
});

async function startWorker(settings: object): Promise<{ program: Program; home: string }> {
  const home = await programs.home(settings);
  return { home, program: await programs.work({ home, database: database.url }) };
}

const startAlpha = () =>
  startWorker({
    mcpServers: appender('alpha'),
    backends: { big: { capabilities: ['gpu'], concurrency: 4 } },
  });

function append(tool: string, id: string, ...after: string[]) {
  return { id, description: `Append ${id}`, tool, operation: 'append', args: { line: id }, after };
}

const onGpu = (id: string) => ({
  ...draftStep(id, `Think (${id})`, 'control_noop'),
  capabilities: ['gpu'],
});

const linesOf = async (name: string) =>
  (await readFile(join(logs, name), 'utf8')).trim().split('\n');

async function workersOf({ id }: Plan): Promise<Record<string, number>> {
  const client = new Client({ connectionString: database.url });
  await client.connect();
  try {
    const { rows } = await client.query<{ step_id: string; worker: string }>(
      `select s.step_id, a.worker from countersign.step_attempts a
       join countersign.step_states s using (plan_id, position) where a.plan_id = $1`,
      [id],
    );
    return Object.fromEntries(
      rows.map(({ step_id, worker }) => [step_id, Number(worker.split(':')[1])]),
    );
  } finally {
    await client.end();
  }
}

const overviewOf = async ({ id }: Plan) =>
  (await gateway.api.get<Overview>(`/api/plans/${id}/overview`)).body;
const cardOf = async ({ id }: Plan) =>
  (await gateway.api.get<CardAnswer>(`/api/plans/${id}/card`)).body;

async function approved(draft: object): Promise<Plan> {
  const plan = await gateway.api.propose(draft);
  expect(await gateway.api.approve(plan)).toMatchObject({ status: 200 });
  return plan;
}

beforeAll(async () => {
  logs = await programs.home();
  const home = await programs.home({ disabledTools: builtins });
  gateway = await programs.serve({ verb: 'gateway', home, database: database.url });
});

describe('two workers with different tools', () => {
  beforeAll(async () => {
    [{ program: alpha, home: alphaHome }, { program: beta }] = await Promise.all([
      startAlpha(),
      startWorker({ mcpServers: appender('beta'), disabledTools: ['control'] }),
    ]);
  });

  it('share one plan: each step runs once, where its tool is', async () => {
    const steps = Array.from({ length: 20 }, (_, i) =>
      append(i % 2 === 0 ? 'alpha' : 'beta', `${i}`, ...(i === 0 ? [] : [`${i - 1}`])),
    );
    const plan = await approved({ title: 'Shared', steps: [...steps, onGpu('g')] });
    await gateway.api.reach(plan.id, 'completed');
    const even = steps.filter((_, i) => i % 2 === 0).map(({ id }) => id);
    const odd = steps.filter((_, i) => i % 2 === 1).map(({ id }) => id);
    expect(await linesOf('alpha')).toEqual(even);
    expect(await linesOf('beta')).toEqual(odd);
    const expected = [
      ...[...even, 'g'].map((id) => [id, alpha.pid]),
      ...odd.map((id) => [id, beta.pid]),
    ];
    expect(await workersOf(plan)).toEqual(Object.fromEntries(expected));
  });

  it('have their arguments checked by a process that has neither tool', async () => {
    const wrong = { ...append('beta', 'b'), args: { line: 7 } };
    const { status, body } = await gateway.api.post<Problem>('/api/plans', {
      title: 'Wrong',
      steps: [wrong],
    });
    expect([status, body.code]).toEqual([422, 'invalid_arguments']);
    expect(body.detail).toContain('line must be text');
    const plan = await gateway.api.propose({ title: 'Right', steps: [append('beta', 'b')] });
    const simulated = await gateway.api.post(`/api/plans/${plan.id}/simulate`);
    expect(simulated.body).toMatchObject({ problems: [], calls: [{ effect: 'write' }] });
  });

  it('are listed with what they offer, by doctor and for Prometheus', async () => {
    const { stdout } = await programs.finish(['doctor'], {
      home: alphaHome,
      database: database.url,
    });
    expect(stdout).toMatch(/Back end big +\d+ operations, gpu, 4 at once/);
    expect(stdout).toMatch(/Back end default +\d+ operations, no capabilities, 16 at once/);
    const metrics = await gateway.api.text('/metrics');
    expect(metrics).toContain('countersign_backend_concurrency{backend="big"} 4');
  });
});

describe('the only worker with a capability, killed', () => {
  it('is missed on the card of a plan under way, and the next that has it takes its steps at once', async () => {
    const plan = await gateway.api.propose({
      title: 'Deserted',
      steps: [onGpu('x'), onGpu('y'), append('beta', 'z')],
    });
    await alpha.stop('SIGKILL');
    // A worker counts as alive until it misses renewals.
    expect((await gateway.api.approve(plan)).status).toBe(200);
    const blocked = await waitFor(
      'the plan to say that nobody can go on',
      async () => (await overviewOf(plan)).blocked[0],
      { timeoutMs: 40_000, everyMs: 200 },
    );
    expect(blocked).toMatchObject({ kind: 'worker', step_ids: ['x', 'y'], count: 2 });
    const again = await gateway.api.post<Problem>('/api/plans', {
      title: 'Late',
      steps: [onGpu('x')],
    });
    expect([again.status, again.body.code]).toEqual([422, 'unknown_operation']);
    // The operation is disabled on beta and gone elsewhere.
    expect(blocked.reason).toContain('no worker offers control_noop.');
    const { view } = await cardOf(plan);
    expect(view.state.words).toBe('Waiting for a worker');
    expect(view.sections.find(({ kind }) => kind === 'blocked')?.lines[0]?.text).toMatch(
      /^Step 1a \(and 1 other\) waits: no worker offers control_noop\./,
    );
    await waitFor(
      'an event that tells of it',
      async () => (await overviewOf(plan)).recent_events.some(({ kind }) => kind === 'blocked'),
      { timeoutMs: 30_000 },
    );
    expect(await workersOf(plan)).toEqual({ z: beta.pid });

    // It lacks the capability.
    const { program: able } = await startWorker({});
    await waitFor('the card to name the capability', async () =>
      (await overviewOf(plan)).blocked[0]?.reason.startsWith(
        'no worker offers the capability gpu.',
      ),
    );
    expect(await workersOf(plan)).toEqual({ z: beta.pid });
    const next = await startAlpha();
    await gateway.api.reach(plan.id, 'completed');
    expect(await workersOf(plan)).toEqual({
      x: next.program.pid,
      y: next.program.pid,
      z: beta.pid,
    });
    expect(able.isRunning()).toBe(true);
    expect((await overviewOf(plan)).blocked).toEqual([]);
  }, 120_000);
});
