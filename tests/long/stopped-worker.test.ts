// A worker stopped (SIGSTOP) beyond its lease: late outcomes are refused.
import { appendFile, readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Client } from 'pg';
import { describe, expect, it } from 'vitest';
import type { AuditEntry } from '#domain/plan/views.ts';
import { appendTool } from '../fixtures/append-tool.ts';
import { listenOnLoopback } from '../fixtures/loopback.ts';
import { useDatabase } from '../setup/database.ts';
import { type Program, type Server, usePrograms } from '../setup/process.ts';
import { waitFor } from '../wait.ts';

const database = useDatabase();
const programs = usePrograms();

type Stage = { gateway: Server; worker: Program; other: () => Promise<Program>; log: string };

// A lease outlasts a busy machine's delays and any call here, so calls take effect before a person is asked.
async function setStage(leaseSeconds = 3): Promise<Stage> {
  const log = join(await programs.home(), 'log.txt');
  await appendFile(log, '');
  const home = await programs.home({
    executor: { lease_seconds: leaseSeconds },
    http: { allowPrivate: ['127.0.0.1'] },
    mcpServers: { log: appendTool(log) },
  });
  const options = { home, database: database.url };
  const [gateway, worker] = await Promise.all([
    programs.serve({ ...options, verb: 'gateway' }),
    programs.work(options),
  ]);
  return { gateway, worker, other: () => programs.work(options), log };
}

async function start(gateway: Server, ...steps: object[]): Promise<string> {
  const plan = await gateway.api.propose({
    title: 'Slow steps',
    steps: steps.map((step) => ({ id: 'slow', description: 'Take a while', ...step })),
  });
  expect((await gateway.api.approve(plan)).status).toBe(200);
  return plan.id;
}

// Per origin (`tools/http/guarded-agent.ts`).
const connections = 8;

// Longer than a lease and the server's limit on silent transactions, in which a worker may be stopped.
const patience = { timeoutMs: 45_000 };

const reachStatus = (gateway: Server, id: string, status: string) =>
  waitFor(
    `the step to be ${status}`,
    async () => (await gateway.api.steps(id)).find((step) => step.status === status),
    patience,
  );

const findRefusal = (gateway: Server, id: string) =>
  waitFor(
    'the late outcome to be refused',
    async () => {
      const { body } = await gateway.api.get<{ entries: AuditEntry[] }>(`/api/plans/${id}/audit`);
      return body.entries.find(({ action }) => action === 'settle_refused');
    },
    patience,
  );

describe('a worker stopped beyond its lease and continued', () => {
  it('cannot settle a step that was given to another', async () => {
    const { gateway, worker, other } = await setStage();
    const id = await start(gateway, { tool: 'control', operation: 'wait', args: { seconds: 3 } });
    await reachStatus(gateway, id, 'running');
    process.kill(worker.pid, 'SIGSTOP');
    const second = await other();
    await waitFor(
      'the other worker to have the step',
      async () => (await gateway.api.steps(id))[0]?.attempt === 2,
      patience,
    );
    process.kill(worker.pid, 'SIGCONT');
    await gateway.api.reach(id, 'completed');
    const refusal = await findRefusal(gateway, id);
    expect(refusal.reason).toContain('lease');
    expect(refusal.data).toMatchObject({ attempt: 1 });
    const log = (await gateway.api.text(`/api/plans/${id}/log.jsonl`)).trim().split('\n');
    const attempts = log.map((line) => JSON.parse(line));
    expect(attempts).toMatchObject([
      { attempt: 1, status: 'lost' },
      { attempt: 2, status: 'succeeded' },
    ]);
    await Promise.all([worker.stop(), second.stop()]);
  });

  it('cannot settle a call that a person was asked about', async () => {
    const { gateway, worker, other, log } = await setStage();
    const args = { line: 'once', after_ms: 2000 };
    const id = await start(gateway, { tool: 'log', operation: 'append', args });
    await reachStatus(gateway, id, 'running');
    await waitFor(
      'the call to be under way',
      async () => {
        const { body } = await gateway.api.get<{ entries: AuditEntry[] }>(`/api/plans/${id}/audit`);
        return body.entries.some(({ action }) => action === 'call_allowed');
      },
      { timeoutMs: 20_000 },
    );
    // The call was sent long before this; its lease is renewed while it runs.
    await new Promise((resolve) => setTimeout(resolve, 500));
    process.kill(worker.pid, 'SIGSTOP');
    const second = await other();
    const asked = await reachStatus(gateway, id, 'unknown');
    expect(asked.question).toContain('may have gone through');
    process.kill(worker.pid, 'SIGCONT');
    const refusal = await findRefusal(gateway, id);
    expect(refusal.data).toMatchObject({ attempt: 1 });
    expect((await reachStatus(gateway, id, 'unknown')).attempt).toBe(1);
    expect((await readFile(log, 'utf8')).trim()).toBe('once');
    const done = await gateway.api.post(`/api/plans/${id}/resume`, {
      version: 1,
      steps: { slow: 'done' },
    });
    expect(done.status).toBe(200);
    await gateway.api.reach(id, 'completed');
    expect((await readFile(log, 'utf8')).trim()).toBe('once');
    await Promise.all([worker.stop(), second.stop()]);
  });

  it('makes no call that a person was asked about while it stood between its mark and the call', async () => {
    // The mark takes long enough to stop the worker within it; the lease is longer.
    const { gateway, worker, other, log } = await setStage(8);
    const db = new Client({ connectionString: database.url });
    await db.connect();
    await db.query(`create or replace function slow_mark() returns trigger language plpgsql as $$ begin
      if old.called_at is null and new.called_at is not null and new.attempt = 1 then perform pg_sleep(4); end if;
      return new; end $$`);
    await db.query(
      'create or replace trigger slow_mark before update on countersign.step_states for each row execute function slow_mark()',
    );
    const id = await start(gateway, { tool: 'log', operation: 'append', args: { line: 'once' } });
    await waitFor(
      'the mark to be under way',
      async () => {
        const { rowCount } = await db.query(
          `select 1 from pg_stat_activity where wait_event = 'PgSleep' and datname = current_database()`,
        );
        return rowCount === 1;
      },
      { timeoutMs: 20_000, everyMs: 20 },
    );
    process.kill(worker.pid, 'SIGSTOP');
    const second = await other();
    await reachStatus(gateway, id, 'unknown');
    expect(await readFile(log, 'utf8')).toBe('');
    const again = await gateway.api.post(`/api/plans/${id}/resume`, {
      version: 1,
      steps: { slow: 'retry' },
    });
    expect(again.status).toBe(200);
    await gateway.api.reach(id, 'completed');
    process.kill(worker.pid, 'SIGCONT');
    // Sent after the intended call.
    expect((await findRefusal(gateway, id)).data).toMatchObject({ attempt: 1 });
    expect((await readFile(log, 'utf8')).trim()).toBe('once');
    await db.end();
    await Promise.all([worker.stop(), second.stop()]);
  });

  it('sends no request that waited for a connection when it was stopped', async () => {
    const arrived: string[] = [];
    const answers: (() => void)[] = [];
    const server = createServer(async (request, response) => {
      arrived.push(await text(request));
      if (arrived.length <= connections) answers.push(() => response.end());
      else response.end();
    });
    const { url, close } = await listenOnLoopback(server);
    const { gateway, worker, other } = await setStage();
    const names = Array.from({ length: connections + 1 }, (_, at) => `s${at}`);
    const post = (id: string) => ({ id, tool: 'http', operation: 'request' });
    const id = await start(
      gateway,
      ...names.map((name) => ({ ...post(name), args: { url, method: 'POST', body: name } })),
    );
    await waitFor(
      'as many requests as there are connections',
      () => answers.length === connections,
    );
    const db = new Client({ connectionString: database.url });
    await db.connect();
    await waitFor('every call to be marked', async () => {
      const { rows } = await db.query(
        'select every(called_at is not null) as marked from countersign.step_states where plan_id = $1',
        [id],
      );
      return rows[0]?.marked === true;
    });
    process.kill(worker.pid, 'SIGSTOP');
    const second = await other();
    await waitFor(
      'a person to be asked about each',
      async () => (await gateway.api.steps(id)).every(({ status }) => status === 'unknown'),
      patience,
    );
    // The person repeats calls that did not arrive.
    const steps = Object.fromEntries(
      names.map((name) => [name, arrived.includes(name) ? 'done' : 'retry']),
    );
    expect((await gateway.api.post(`/api/plans/${id}/resume`, { version: 1, steps })).status).toBe(
      200,
    );
    await gateway.api.reach(id, 'completed');
    // Connections are free before it learns that its leases are lost.
    for (const answer of answers) answer();
    await db.query('begin');
    await db.query('lock table countersign.step_states in access exclusive mode');
    process.kill(worker.pid, 'SIGCONT');
    await new Promise((resolve) => setTimeout(resolve, 1000));
    await db.query('commit');
    await db.end();
    await waitFor(
      'all late outcomes to be refused',
      async () => {
        const { body } = await gateway.api.get<{ entries: AuditEntry[] }>(`/api/plans/${id}/audit`);
        const refused = body.entries.filter(({ action }) => action === 'settle_refused');
        return refused.length === names.length;
      },
      patience,
    );
    expect(arrived.toSorted()).toEqual(names);
    await close();
    await Promise.all([worker.stop(), second.stop()]);
  });
});
