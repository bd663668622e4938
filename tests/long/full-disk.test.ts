// A full disk is reported with advice, and work continues afterwards.
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { expect, inject, onTestFinished, test } from 'vitest';
import type { Plan } from '#domain/plan/plan.ts';
import { draftStep } from '../fixtures/steps.ts';
import { usePrograms } from '../setup/process.ts';
import { waitFor } from '../wait.ts';

const programs = usePrograms();

// Only root may mount.
const canMount = process.platform === 'linux' && process.getuid?.() === 0;

function mountSmall(megabytes: number): string {
  const dir = mkdtempSync(join(tmpdir(), 'countersign-disk-'));
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', dir]);
  onTestFinished(() => {
    execFileSync('umount', ['-l', dir]);
    rmSync(dir, { recursive: true });
  });
  return dir;
}

/** @returns a function that frees it */
function fill(dir: string): () => void {
  const file = join(dir, 'filler');
  for (const size of [1024 * 1024, 4096]) {
    try {
      for (;;) writeFileSync(file, Buffer.alloc(size), { flag: 'a' });
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error;
    }
  }
  return () => rmSync(file);
}

async function databaseIn(dir: string): Promise<string> {
  const name = `full_disk_${randomBytes(3).toString('hex')}`;
  const server = inject('databaseServer');
  const place = join(dir, 'files');
  mkdirSync(place);
  const { uid, gid } = statSync(join(inject('databaseHome'), 'postgres', 'data'));
  chownSync(place, uid, gid);
  chmodSync(dir, 0o755);
  const run = async (...statements: string[]) => {
    const client = new Client({ connectionString: server });
    await client.connect();
    for (const statement of statements) await client.query(statement);
    await client.end();
  };
  await run(
    `create tablespace ${name} location '${place}'`,
    `create database ${name} template countersign_template strategy file_copy tablespace ${name}`,
  );
  onTestFinished(() => run(`drop database ${name} with (force)`, `drop tablespace ${name}`));
  return server.replace(/countersign$/, name);
}

const large = (title: string) => ({
  title,
  steps: Array.from({ length: 2000 }, (_, i) =>
    draftStep(`${i}`, `Step ${i} ${randomBytes(400).toString('hex')}`, 'control_noop'),
  ),
});

type Problem = { code: string; detail: string };
type Readiness = { ready: boolean; parts: Record<string, string> };

test.runIf(canMount)(
  'a full disk of the database is told with 503 and what to do, makes the bot not ready, and passes by itself',
  async () => {
    const disk = mountSmall(80);
    const server = await programs.serve({
      home: await programs.home(),
      database: await databaseIn(disk),
    });
    const ready = async () => (await server.api.get<Readiness>('/readyz')).body;
    const free = fill(disk);
    const refused = await server.api.post<Problem>('/api/plans', large('Refused'));
    expect(refused).toMatchObject({ status: 503, body: { code: 'database_unavailable' } });
    expect(refused.body.detail).toMatch(/disk of the database is full\. Free space on it/);
    expect(await server.api.get('/readyz')).toMatchObject({
      status: 503,
      body: { ready: false, parts: { database: expect.stringContaining('disk of the database') } },
    });
    expect((await ready()).ready).toBe(false);
    free();
    await waitFor('the bot to be ready again', async () => (await ready()).ready);
    const plan = await server.api.post<Plan>('/api/plans', large('Taken'));
    expect(plan.status).toBe(201);
    const { body } = await server.api.get<{ plans: Plan[] }>('/api/plans');
    expect(body.plans.map(({ title }) => title)).toEqual(['Taken']);
    expect((await server.stop()).code).toBe(0);
  },
);

test.runIf(process.platform === 'linux')(
  'a log on a full disk is dropped and counted, and the bot serves, works and ends all the same',
  async () => {
    const server = await programs.serve({
      home: await programs.home(),
      log: '/dev/full',
      env: { LOG_LEVEL: 'trace' },
    });
    const { body: plan } = await server.api.post<Plan>('/api/plans', {
      title: 'Quiet',
      user: 'ana',
      steps: [draftStep('1', 'Nothing', 'control_noop')],
    });
    const { id, version, digest } = plan;
    const approval = { version, digest, user: 'ana' };
    expect(await server.api.post(`/api/plans/${id}/approve`, approval)).toMatchObject({
      status: 200,
    });
    await waitFor('the plan to be done', async () => {
      const { body } = await server.api.get<Plan>(`/api/plans/${id}`);
      return body.status === 'completed';
    });
    const metrics = await (await fetch(`${server.url}/metrics`)).text();
    expect(Number(/^countersign_log_lines_dropped (\d+)$/m.exec(metrics)?.[1])).toBeGreaterThan(0);
    const began = performance.now();
    expect(await server.stop()).toEqual({ code: 0, signal: null });
    expect(performance.now() - began).toBeLessThan(15_000);
  },
);
