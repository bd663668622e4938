import { Validator } from '@seriousme/openapi-schema-validator';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { startApi, type TestApi } from '../../fixtures/api.ts';

let api: TestApi;
let state: { ready: boolean; parts: Record<string, string> } | Error;
const life = { alive: true, parts: {} as Record<string, string> };
beforeAll(async () => {
  api = await startApi({
    probes: {
      alive: async () => life,
      ready: async () => {
        if (state instanceof Error) throw state;
        return state;
      },
    },
  });
});
afterAll(() => api.close());

describe('probes', () => {
  it('says that the process runs', async () => {
    expect(await (await api.get('/healthz')).json()).toEqual({ status: 'ok', version: '0.0.1' });
  });

  it('says what of a process that runs does not work', async () => {
    Object.assign(life, { alive: false, parts: { leases: 'not renewed for 90 s' } });
    const response = await api.get('/healthz');
    Object.assign(life, { alive: true, parts: {} });
    expect(response.status).toBe(503);
    expect(await response.json()).toMatchObject({
      status: 'failing',
      parts: { leases: 'not renewed for 90 s' },
    });
  });

  it('says whether requests can be served, and what is missing', async () => {
    state = { ready: true, parts: { database: 'ok' } };
    expect((await api.get('/readyz')).status).toBe(200);
    state = { ready: false, parts: { database: 'no answer' } };
    const response = await api.get('/readyz');
    expect(response.status).toBe(503);
    expect(await response.json()).toEqual(state);
    state = new Error('boom');
    expect((await api.get('/readyz')).status).toBe(503);
    await expect.poll(() => api.logged()).toContain('boom');
  });
});

describe('metrics', () => {
  it('keeps durations by route template and status', async () => {
    await api.get('/api/plans/PLAN-a');
    await api.get('/nowhere');
    await expect
      .poll(async () => (await api.get('/metrics')).text())
      .toContain('duration_seconds_count{method="GET",route="/api/plans/:id",status="404"} 1');
    const text = await (await api.get('/metrics')).text();
    expect(text).toContain('route="none",status="404"');
    expect(text).not.toContain('PLAN-a');
  });

  it('counts a client that left as 499', async () => {
    const leave = new AbortController();
    const asked = new Promise<void>((resolve) => {
      api.service.listPlans = () => {
        resolve();
        return new Promise(() => {});
      };
    });
    const gone = fetch(`${api.origin}/api/plans`, { signal: leave.signal });
    await asked;
    leave.abort();
    await expect(gone).rejects.toThrow();
    await expect
      .poll(async () => (await api.get('/metrics')).text())
      .toContain('route="/api/plans",status="499"} 1');
  });
});

describe('the OpenAPI document', () => {
  const Operation = z.looseObject({
    operationId: z.string(),
    summary: z.string(),
    security: z.array(z.unknown()).optional(),
    responses: z.record(z.string(), z.looseObject({ content: z.record(z.string(), z.unknown()) })),
  });
  const Document = z.looseObject({
    openapi: z.string(),
    paths: z.record(z.string(), z.record(z.string(), Operation)),
    components: z.looseObject({ schemas: z.record(z.string(), z.unknown()) }),
  });
  let text: string;
  let document: z.infer<typeof Document>;
  beforeAll(async () => {
    text = await (await api.get('/openapi.json')).text();
    document = Document.parse(JSON.parse(text));
  });

  it('is valid OpenAPI 3.1', async () => {
    const result = await new Validator().validate(JSON.parse(text));
    expect(result.errors ?? []).toEqual([]);
    expect(result.valid).toBe(true);
    expect(document.openapi).toMatch(/^3\.1\./);
  });

  it('describes every operation, its refusals as problems', () => {
    const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
    );
    expect(operations.length).toBeGreaterThan(60);
    for (const { path, method, operation } of operations) {
      const name = `${method} ${path}`;
      expect(operation.summary, name).toMatch(/^[A-Z]/);
      for (const [status, { content }] of Object.entries(operation.responses)) {
        if (Number(status) < 400 || path === '/readyz' || path === '/healthz') continue;
        expect(Object.keys(content), `${name} ${status}`).toEqual(['application/problem+json']);
      }
      if (!path.startsWith('/api/') || operation.security?.length === 0) continue;
      expect(Object.keys(operation.responses), name).toEqual(
        expect.arrayContaining(['400', '401', '403', '500', '503']),
      );
    }
  });

  it('names each operation once', () => {
    const ids = Object.values(document.paths).flatMap((methods) =>
      Object.values(methods).map(({ operationId }) => operationId),
    );
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('refers only to components that are there, and keeps none that nothing refers to', () => {
    const referred = [...text.matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)];
    expect(new Set(referred.map(([, name]) => name))).toEqual(
      new Set(Object.keys(document.components.schemas)),
    );
  });

  it('calls JSON inside JSON by one name, and nothing else', () => {
    expect(JSON.stringify(document.components.schemas.PlanProposal)).toContain('schemas/Json');
    expect(JSON.stringify(document.components.schemas.StepCounts)).not.toContain('schemas/Json');
  });
});
