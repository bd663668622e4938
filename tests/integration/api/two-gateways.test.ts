// Two gateways on one database answer alike.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { startApi, type TestApi } from '../../fixtures/api.ts';
import { useDatabase } from '../../setup/database.ts';
import { createClient } from '../../setup/http-client.ts';
import {
  noop,
  openTestInstance,
  scriptedPlanner,
  type TestInstance,
} from '../../setup/instance.ts';

const database = useDatabase();
const planner = scriptedPlanner(({ text }) => ({
  kind: 'proposal',
  draft: { title: text, steps: [noop('1'), noop('2')] },
}));
const open = (work: boolean) => openTestInstance(database.url, { planner, work });
let instances: TestInstance[];
let gateways: [TestApi, TestApi];
let routes: { method: string; path: string }[];
const ids: Record<string, string> = {
  steps: '1',
  findings: 'none',
  artifacts: 'none',
  tokens: 'none',
};

const Document = z.object({ paths: z.record(z.string(), z.record(z.string(), z.unknown())) });

beforeAll(async () => {
  instances = [await open(true), await open(false)];
  const start = async (instance: TestInstance | undefined) =>
    startApi({
      ...(instance === undefined ? {} : { service: instance.service }),
      requestsPerMinute: 1_000_000,
    });
  gateways = [await start(instances[0]), await start(instances[1])];
  const api = createClient(gateways[0].origin, gateways[1].origin);
  const run = await api.ask('Do it', { conversation: 'c1', user: 'ana' });
  const plan = await api.plan(run.plan_id ?? '');
  Object.assign(ids, { plans: plan.id, runs: run.run_id, conversations: 'c1' });
  const { body } = await api.get('/openapi.json');
  routes = Object.entries(Document.parse(body).paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => ({ method: method.toUpperCase(), path })),
  );
});
afterAll(async () => {
  await Promise.all(gateways.map((gateway) => gateway.close()));
  await Promise.all(instances.map((instance) => instance.close()));
});

const fill = (path: string) =>
  path.replace(/([^/]+)\/\{\w+\}/g, (_, before: string) => `${before}/${ids[before] ?? 'none'}`);

type Answer = { status: number; code: unknown; replayed: boolean; body: unknown };

async function send(
  gateway: TestApi,
  method: string,
  path: string,
  { key, body }: { key?: string; body?: unknown } = {},
): Promise<Answer> {
  const response = await fetch(gateway.origin + path, {
    method,
    headers: {
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(key === undefined ? {} : { 'idempotency-key': key }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(20_000),
  });
  const text = await response.text();
  const type = response.headers.get('content-type') ?? '';
  const problem = type.includes('problem+json');
  return {
    status: response.status,
    code: problem ? JSON.parse(text).code : null,
    replayed: response.headers.get('idempotent-replayed') === 'true',
    body: problem ? '' : text !== '' && type.includes('application/json') ? JSON.parse(text) : text,
  };
}

// Endless streams, and endpoints about their own process.
const ofProcess = /\/events$|^\/(?:healthz|livez|readyz|metrics|health)|\/mcp$/;

test('what is read is the same at both, at every path', async () => {
  const reads = routes.filter(({ method, path }) => method === 'GET' && !ofProcess.test(path));
  expect(reads.length).toBeGreaterThan(25);
  for (const { path } of reads) {
    const [a, b] = await Promise.all(gateways.map((one) => send(one, 'GET', fill(path))));
    expect(b, path).toEqual(a);
  }
});

test('what is sent again to the other, with its key, is answered as it was or refused as it was', async () => {
  const writes = routes.filter(({ method, path }) => method === 'POST' && !ofProcess.test(path));
  expect(writes.length).toBeGreaterThan(20);
  for (const { path } of writes) {
    const sent = { key: randomUUID(), body: {} };
    const a = await send(gateways[0], 'POST', fill(path), sent);
    const b = await send(gateways[1], 'POST', fill(path), sent);
    // A key known to only one would act twice.
    expect({ ...b, replayed: a.replayed }, path).toEqual(a);
  }
});
