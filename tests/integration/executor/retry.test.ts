// Automatic retries: which calls, how often and when.
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { sql } from 'drizzle-orm';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { viewPlan } from '#cards/view-model.ts';
import type { StepDraft } from '#domain/plan/step-content.ts';
import { draftStep } from '../../fixtures/steps.ts';
import { useDatabase } from '../../setup/database.ts';
import { ana, openTestInstance, reach, runPlan, type TestInstance } from '../../setup/instance.ts';
import { waitFor } from '../../wait.ts';

const database = useDatabase();
const closers: (() => Promise<unknown>)[] = [];
let instance: TestInstance;

const settings = {
  http: { allowPrivate: ['127.0.0.1'] },
  executor: { lease_seconds: 5, backoff_seconds: 0.02, max_attempts: 3 },
};

beforeAll(async () => {
  instance = await openTestInstance(database.url, { settings });
  return () => instance.close();
});

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** Repeats the last answer; `hits` counts requests. */
async function serve(port: number, ...answers: RequestListener[]) {
  const state = { hits: 0, port: 0 };
  const server = createServer((request, response) => {
    const answer = answers[Math.min(state.hits, answers.length - 1)];
    state.hits++;
    answer?.(request, response);
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  state.port = address.port;
  const close = () => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  };
  closers.push(close);
  return { state, close };
}

const busy: RequestListener = (_, response) => response.writeHead(503).end();
const fine: RequestListener = (_, response) => response.end('fine');
const silent: RequestListener = () => undefined;

function get(port: number, path = ''): StepDraft {
  const args = { url: `http://127.0.0.1:${port}/${path}` };
  return draftStep('call', 'Call', 'http_get', args);
}

function post(port: number): StepDraft {
  const args = { url: `http://127.0.0.1:${port}/`, method: 'POST', body: 'x' };
  return draftStep('call', 'Call', 'http_request', args);
}

async function readStep(of: TestInstance, id: string) {
  const { steps } = await of.service.listSteps(id, { limit: 10 });
  const [step] = steps;
  if (step === undefined) throw new Error(`${id} has no steps`);
  return step;
}

function waitForUnknown(of: TestInstance, id: string) {
  return waitFor('the step to be unknown', async () => {
    const step = await readStep(of, id);
    return step.status === 'unknown' ? step : null;
  });
}

async function readAttempts(id: string): Promise<string[]> {
  const { rows } = await instance.db.query.execute<{ status: string }>(
    sql`select status from countersign.step_attempts where plan_id = ${id} order by attempt`,
  );
  return rows.map(({ status }) => status);
}

async function kindsOf(id: string): Promise<string[]> {
  const { changes } = await instance.service.diff(id, 0, 1000);
  return changes.filter(({ step_id }) => step_id === 'call').map(({ kind }) => kind);
}

describe('a call that only reads', () => {
  it('is made again until it succeeds, with each attempt on record', async () => {
    const { state } = await serve(0, busy, busy, fine);
    const plan = await runPlan(instance, { title: 'Get', steps: [get(state.port)] });
    await reach(instance, plan.id, 'completed', 'failed');
    expect(await readStep(instance, plan.id)).toMatchObject({
      status: 'succeeded',
      attempt: 3,
      error: null,
    });
    expect(await readAttempts(plan.id)).toEqual(['failed', 'failed', 'succeeded']);
    expect((await kindsOf(plan.id)).filter((kind) => kind === 'step_retry')).toHaveLength(2);
    expect(state.hits).toBe(3);
    const { findings } = await instance.service.listFindings(plan.id, { limit: 10 });
    expect(findings).toMatchObject([
      { severity: 'WARN', category: 'retries', step_id: 'call', actions: ['dismiss'] },
    ]);
    expect(findings[0]?.message).toContain('attempt 3 of 3');
  });

  it('gets all of its attempts again when a person has it retried', async () => {
    const { state } = await serve(0, busy);
    const plan = await runPlan(instance, { title: 'Get', steps: [get(state.port)] });
    const failed = await reach(instance, plan.id, 'failed');
    await instance.service.retry(plan.id, { version: failed.version }, ana);
    await waitFor('the second round', () => state.hits >= 6);
    await reach(instance, plan.id, 'failed');
    expect(await readStep(instance, plan.id)).toMatchObject({ status: 'failed', attempt: 6 });
    expect(state.hits).toBe(6);
  });

  it('waits as long as the server asks, and the card says until when and what for', async () => {
    const { state } = await serve(0, (_, response) =>
      response.writeHead(429, { 'retry-after': '3600' }).end(),
    );
    const plan = await runPlan(instance, { title: 'Get', steps: [get(state.port)] });
    const step = await waitFor('the step to wait', async () => {
      const now = await readStep(instance, plan.id);
      return now.status === 'ready' && now.attempt === 1 ? now : null;
    });
    expect(step.error).toMatchObject({ code: 'tool_failed', retry: { attempt: 2, of: 3 } });
    const { rows } = await instance.db.query.execute<{ started: number; ended: number }>(sql`
      select extract(epoch from s.available_at - a.started_at)::float as started,
        extract(epoch from s.available_at - a.ended_at)::float as ended
      from countersign.step_states s join countersign.step_attempts a using (plan_id, position)
      where s.plan_id = ${plan.id}`);
    expect(rows[0]?.started).toBeGreaterThanOrEqual(3600);
    expect(rows[0]?.ended).toBeLessThan(3601);
    const facts = await instance.service.card(plan.id, { user: 'ana', timezone: 'UTC' });
    const next = viewPlan(facts).sections.find(({ kind }) => kind === 'next');
    expect(next?.lines[0]?.note).toMatch(/↻ retrying at .*\d\d:\d\d \(attempt 2 of 3\)/);
    expect(JSON.stringify(next?.lines[0]?.quotes)).toContain('answered 429 Too Many Requests');
    const { version } = await instance.service.getPlan(plan.id);
    await instance.service.cancel(plan.id, { version }, ana);
    expect((await readStep(instance, plan.id)).status).toBe('cancelled');
    expect(state.hits).toBe(1);
  });
});

describe('a call that writes', () => {
  it('is not made again once a server has seen it: a person says whether it went through', async () => {
    const { state } = await serve(0, busy, fine);
    const plan = await runPlan(instance, { title: 'Post', steps: [post(state.port)] });
    const step = await waitForUnknown(instance, plan.id);
    expect(step.question).toMatch(/503.*It may have gone through; we can't tell\./);
    expect(state.hits).toBe(1);
  });

  it('is made again when it is certain that nothing was sent', async () => {
    const first = await serve(0, fine);
    await first.close();
    const plan = await runPlan(instance, { title: 'Post', steps: [post(first.state.port)] });
    const done = await reach(instance, plan.id, 'failed');
    expect(done.result_summary).toMatch(/tried 3 times/);
    expect(await readAttempts(plan.id)).toEqual(['failed', 'failed', 'failed']);
    const again = await serve(first.state.port, fine);
    await instance.service.retry(plan.id, { version: done.version }, ana);
    await reach(instance, plan.id, 'completed');
    expect(again.state.hits).toBe(1);
  });
});

describe('a call that takes too long', () => {
  let quick: TestInstance;
  const limits = {
    ...settings,
    operations: {
      http_get: { timeout_seconds: 1, max_attempts: 2 },
      http_request: { timeout_seconds: 1 },
      control_wait: { timeout_seconds: 1 },
    },
  };
  const own = useDatabase();
  beforeAll(async () => {
    quick = await openTestInstance(own.url, { settings: limits });
    return () => quick.close();
  });

  it('is made again if it only reads, then fails for that reason, which is no refusal', async () => {
    const { state } = await serve(0, silent);
    const plan = await runPlan(quick, { title: 'Get', steps: [get(state.port)] });
    await reach(quick, plan.id, 'failed');
    expect((await readStep(quick, plan.id)).error).toEqual({
      code: 'timed_out',
      message: 'http_get did not answer within 1 s; tried 2 times.',
    });
    expect(state.hits).toBe(2);
    const audit = await quick.service.audit(plan.id, { limit: 100 });
    expect(audit.map(({ action }) => action)).not.toContain('call_refused');
  });

  it('is of unknown outcome if it writes: a person is asked', async () => {
    const { state } = await serve(0, silent);
    const plan = await runPlan(quick, { title: 'Post', steps: [post(state.port)] });
    const step = await waitForUnknown(quick, plan.id);
    expect(step.error?.code).toBe('timed_out');
    expect(step.question).toMatch(/within 1 s\. It may have gone through; we can't tell\./);
    expect(state.hits).toBe(1);
  });
});
