// Start and end despite kills, taken ports and lost connections.
import { createServer } from 'node:net';
import { join } from 'node:path';
import { Client as Connection } from 'pg';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Plan } from '#domain/plan/plan.ts';
import { openTcpProxy } from '../fixtures/tcp-proxy.ts';
import { useDatabase } from '../setup/database.ts';
import { node, type Options, root, type Server, usePrograms } from '../setup/process.ts';
import { readPostmaster, runPlan, untilGone } from '../setup/start.ts';
import { waitFor } from '../wait.ts';

const programs = usePrograms();

describe('with a database of its own', () => {
  let options: Options;
  const plans: Plan[] = [];
  beforeAll(async () => {
    options = { home: await programs.home() };
  });

  it('starts again after kill -9 of it and of its database', async () => {
    const first = await programs.serve(options);
    plans.push(await runPlan(first.api, 'c.txt'));
    await first.stop('SIGKILL');
    const second = await programs.serve(options);
    expect(await second.api.plan(plans[0]?.id ?? '')).toEqual(plans[0]);

    const postmaster = await readPostmaster(options.home);
    await second.stop('SIGKILL');
    process.kill(postmaster, 'SIGKILL');
    await untilGone(postmaster);
    const third = await programs.serve(options);
    for (const plan of plans) expect(await third.api.plan(plan.id)).toEqual(plan);
    expect((await third.stop()).code).toBe(0);
  });

  it('says which port is taken, and takes nothing with it', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void other.close());
    const address = other.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    const { code, stderr } = await programs.finish(['start'], {
      ...options,
      env: { PORT: String(port) },
    });
    expect(code).toBe(1);
    expect(stderr).toContain(`PORT: ${port} is taken on 127.0.0.1.`);
    expect(stderr).not.toMatch(/^\s+at /m);
    await expect(readPostmaster(options.home)).rejects.toThrow('ENOENT');
  });
});

describe('with a database that comes late', () => {
  const database = useDatabase();

  it('waits for it, says so in one line, and is ready once it answers', async () => {
    const proxy = await openTcpProxy(database.url);
    onTestFinished(() => proxy.close());
    proxy.refuse(true);
    const program = programs.run(['start'], {
      home: await programs.home(),
      database: proxy.urlOf(database.url),
    });
    await waitFor('it to say that it waits', () => program.stderr().includes('Waiting for it.'));
    expect(program.stdout()).toBe('');
    proxy.refuse(false);
    proxy.cut();
    await waitFor(
      'it to be ready',
      () => /is ready/.test(program.stdout()) || !program.isRunning(),
    );
    expect(program.isRunning()).toBe(true);
    expect(program.stderr().trim().split('\n')).toHaveLength(1);
    expect((await program.stop()).code).toBe(0);
  });

  it('can be told to end while it waits', async () => {
    const program = programs.run(['worker'], {
      home: await programs.home(),
      database: 'postgres://nobody@127.0.0.1:1/none',
    });
    await waitFor('it to say that it waits', () => program.stderr().includes('Waiting for it.'));
    expect(await program.stop()).toEqual({ code: 0, signal: null });
    expect(program.stderr().trim().split('\n')).toHaveLength(1);
  });
});

describe('with a database of somebody else', () => {
  const database = useDatabase();

  it('ends within seconds at SIGTERM in the middle of calls, and hands them back', async () => {
    const log = join(await programs.home(), 'log.txt');
    const args = [join(root, 'tests/fixtures/append-server.ts'), log];
    const home = await programs.home({ mcpServers: { log: { command: node, args } } });
    const options = { home, database: database.url };
    const first = await programs.serve(options);
    const slow = { description: 'Be slow', after: [] };
    const plan = await first.api.propose({
      title: 'Slow',
      steps: [
        { ...slow, id: 'wait', tool: 'control', operation: 'wait', args: { seconds: 50 } },
        {
          ...slow,
          id: 'append',
          tool: 'log',
          operation: 'append',
          args: { line: 'x', after_ms: 120_000 },
        },
      ],
    });
    await first.api.approve(plan);
    const running = async ({ api }: Server) => (await api.plan(plan.id)).counts.running;
    await waitFor('both steps to run', async () => (await running(first)) === 2);
    const began = performance.now();
    expect(await first.stop()).toEqual({ code: 0, signal: null });
    expect(performance.now() - began).toBeLessThan(20_000);

    const second = await programs.serve(options);
    await waitFor('the wait to begin again', async () => (await running(second)) === 1);
    const [wait, append] = await second.api.steps(plan.id);
    expect(wait).toMatchObject({ status: 'running', attempt: 2 });
    expect(append).toMatchObject({ status: 'unknown', attempt: 1 });
    expect(append?.question).toBe(
      "log_append was stopped: this process stops. It may have gone through; we can't tell.",
    );
    await second.api.post(`/api/plans/${plan.id}/cancel`, { version: 1 });
    await second.api.reach(plan.id, 'cancelled');
  });

  it('goes on when all its connections are lost, and logs no keys of them', async () => {
    const options = { home: await programs.home(), database: database.url };
    const server = await programs.serve(options);
    const before = await runPlan(server.api, 'before.txt');
    const connection = new Connection({ connectionString: database.url });
    await connection.connect();
    await connection.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid()`,
    );
    await connection.end();
    await waitFor('the loss to be logged', () => server.stderr().includes('connection was lost'));
    await waitFor('the server to be ready again', async () => {
      return (await server.api.get('/readyz')).status === 200;
    });
    expect(await server.api.plan(before.id)).toEqual(before);
    await runPlan(server.api, 'after.txt');
    expect(server.stderr()).not.toContain('secretKey');
    expect((await server.stop()).code).toBe(0);
  });
});
