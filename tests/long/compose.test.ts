// Dockerfile and compose.yaml without Docker, on a real PostgreSQL.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Plan } from '#domain/plan/plan.ts';
import { draftStep } from '../fixtures/steps.ts';
import { type ComposeService, readCompose } from '../setup/compose.ts';
import { emptyDatabase, type FreshDatabase } from '../setup/database.ts';
import { buildImage, type Image, listFiles } from '../setup/dockerfile.ts';
import { root } from '../setup/process.ts';
import { waitFor } from '../wait.ts';

const file = join(root, 'compose.yaml');
const token = 'a-token-of-sixteen-characters';
const place = mkdtempSync(join(tmpdir(), 'countersign-compose-'));
let database: FreshDatabase;
let image: Image;
let services: Record<string, ComposeService>;
let port: number;

async function findPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

const { promise: stopAll, resolve: stop } = Promise.withResolvers<void>();
void stopAll;

beforeAll(async () => {
  database = await emptyDatabase();
  image = await buildImage(root, place);
  const { password, username, host } = new URL(database.url);
  expect(username).toBe('countersign');
  const own = { POSTGRES_PASSWORD: password, COUNTERSIGN_API_TOKEN: token };
  services = readCompose(file, { ...own, API_REQUESTS_PER_MINUTE: '777' });
  // Host names of Docker's network.
  for (const { environment } of Object.values(services)) {
    const url = environment.DATABASE_URL;
    if (url !== undefined)
      environment.DATABASE_URL = url.replace(
        '@db:5432/countersign',
        `@${host}/${database.database}`,
      );
  }
  port = await findPort();
  // A dead worker's steps are soon taken over.
  writeFileSync(join(image.cwd, 'countersign.json'), '{"executor":{"lease_seconds":2}}');
}, 420_000);

afterAll(async () => {
  stop();
  await database?.close();
  await rm(place, { recursive: true, force: true });
});

const environmentOf = (service: ComposeService) => ({
  PATH: process.env.PATH,
  HOME: place,
  ...image.env,
  ...service.environment,
  PORT: String(port),
});

async function start(name: string) {
  const service = services[name];
  if (service?.command === undefined) throw new Error(`${name} starts nothing`);
  const env = environmentOf(service);
  // Each container has its own address.
  if ('HEALTH_PORT' in env) Object.assign(env, { HEALTH_PORT: String(await findPort()) });
  const [program = '', ...args] = [...image.entrypoint, ...service.command];
  const child = spawn(program, args, {
    cwd: image.cwd,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  const exited = new Promise<number | NodeJS.Signals | null>((resolve) => {
    child.once('close', (code, signal) => resolve(code ?? signal));
  });
  void stopAll.then(() => child.kill('SIGKILL'));
  const isHealthy = async () => {
    const own = service.healthcheck;
    const words =
      own !== undefined && 'test' in own
        ? own.test.slice(1).map((word) => (word.startsWith('/') ? join(image.root, word) : word))
        : image.healthcheck;
    const [check = '', ...rest] = words;
    return await promisify(execFile)(check, rest, { cwd: image.cwd, env }).then(
      ({ stdout }) => stdout === 'ok\n',
      () => false,
    );
  };
  return { child, exited, said: () => output, isHealthy };
}

async function ask<T>(path: string, body?: object): Promise<T> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const answer: T = JSON.parse(await response.text());
  if (!response.ok) throw new Error(`${response.status}: ${JSON.stringify(answer)}`);
  return answer;
}

test('the image is not root, holds no secret and no source, and a container may not write to it', () => {
  expect(image.user).toBe('node');
  const top = (path: string) => existsSync(join(image.root, path));
  expect(top('app/src/main.js')).toBe(true);
  expect(['source', 'app/src/main.ts', 'app/tests', 'app/node_modules/vitest'].filter(top)).toEqual(
    [],
  );
  expect(readFileSync(join(root, 'Dockerfile'), 'utf8')).not.toMatch(/TOKEN|PASSWORD|SECRET|_KEY/);
  for (const name of ['migrate', 'gateway', 'worker'])
    expect(services[name]).toMatchObject({ read_only: true, cap_drop: ['ALL'], init: true });
});

test('a command runs in a container by its name, and what it starts has a home that may be written to', async () => {
  expect(image.env.HOME).toBe(image.cwd);
  const command = join(image.root, 'usr/local/bin/countersign');
  const { stdout } = await promisify(execFile)(command, ['--version'], { cwd: image.cwd });
  expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
});

test('the database is asked whether it is there', async () => {
  const check = services.db?.healthcheck;
  if (check === undefined || !('test' in check)) throw new Error('no health check');
  const [, program, ...args] = check.test;
  const { hostname, port: at } = new URL(database.url);
  const env = { PATH: process.env.PATH, PGHOST: hostname, PGPORT: at };
  const { stdout } = await promisify(execFile)(program, args, { env });
  expect(stdout).toContain('accepting connections');
});

test('a plan goes on when one of the workers is killed, and every process ends in order', async () => {
  const before = listFiles(image);
  const migrated = await start('migrate');
  expect([await migrated.exited, migrated.said()]).toEqual([
    0,
    expect.stringContaining('is now at'),
  ]);

  const gateway = await start('gateway');
  expect(services.worker?.deploy).toEqual({ replicas: 2 });
  const workers = [await start('worker'), await start('worker')];
  for (const one of [gateway, ...workers])
    await waitFor('the health check to pass', one.isHealthy, { timeoutMs: 60_000, everyMs: 500 });

  expect(await ask('/api/settings')).toMatchObject({ access: { requests_per_minute: 777 } });
  const waits = Array.from({ length: 6 }, (_, at) => `wait${at}`);
  const plan = await ask<Plan>('/api/plans', {
    title: 'Waits, then a note',
    steps: [
      ...waits.map((id) => draftStep(id, 'Wait', 'control_wait', { seconds: 3 })),
      draftStep(
        'note',
        'Write a note',
        'workspace_write',
        { path: 'note.md', content: 'Done' },
        ...waits,
      ),
    ],
  });
  const { version, digest } = plan;
  await ask(`/api/plans/${plan.id}/approve`, { version, digest, user: 'local' });
  const now = () => ask<Plan>(`/api/plans/${plan.id}`);
  await waitFor('steps to run', async () => (await now()).counts.running > 0, {
    timeoutMs: 30_000,
  });
  workers[0]?.child.kill('SIGKILL');
  await workers[0]?.exited;
  expect(await workers[0]?.isHealthy()).toBe(false);
  await waitFor('the plan to be done', async () => (await now()).status === 'completed', {
    timeoutMs: 60_000,
  });
  expect(readFileSync(join(image.cwd, 'workspace', 'note.md'), 'utf8')).toBe('Done');

  const seconds = services.gateway?.stop_grace_period ?? 0;
  for (const one of [gateway, workers[1]]) {
    const began = performance.now();
    one?.child.kill('SIGTERM');
    expect(await one?.exited).toBe(0);
    expect(performance.now() - began).toBeLessThan(seconds * 1000);
  }
  expect(listFiles(image)).toEqual(before);
}, 240_000);
