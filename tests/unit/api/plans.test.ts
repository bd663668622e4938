import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { draft, proposeDraft, readProblem, useApi } from '../../fixtures/api.ts';

const Plan = z.looseObject({ id: z.string() });
const Steps = z.looseObject({ steps: z.array(z.object({ id: z.string() })) });

const api = useApi();

it('counts plans, and says what no tool can do', async () => {
  const response = await api.get('/api/stats');
  expect(response.status).toBe(200);
  expect(await response.json()).toEqual({ plans: {}, gaps: [], gap_days: 90 });
});

describe('proposing a plan', () => {
  it('answers 201 with the plan and no steps, and says where it is', async () => {
    const response = await api.post('/api/plans', { ...draft, user: 'ana', conversation: 'c1' });
    const plan = Plan.parse(await response.json());
    expect(response.status).toBe(201);
    expect(response.headers.get('location')).toBe(`/api/plans/${plan.id}`);
    expect(plan).toMatchObject({
      status: 'proposed',
      version: 1,
      requester: 'ana',
      total_steps: 2,
    });
    expect(plan).not.toHaveProperty('steps');
    expect(api.service.lastCall('checkProposal')).toMatchObject([
      { title: draft.title },
      { conversation: 'c1' },
      { kind: 'person', id: 'ana', via: 'api' },
    ]);
  });

  it('acts as `local` through the console when the console says so and nobody is named', async () => {
    await api.post('/api/plans', draft, { 'x-countersign-surface': 'console' });
    expect(api.service.lastCall('checkProposal')?.[2]).toEqual({
      kind: 'person',
      id: 'local',
      via: 'console',
    });
  });

  it('names each member that does not fit, and asks the service nothing', async () => {
    const before = api.service.calls.length;
    const response = await api.post('/api/plans', {
      steps: [{ tool: 7, operation: 'write', description: 'x', after: [{ id: '1', type: 'XY' }] }],
      colour: 'red',
    });
    const problem = await readProblem(response);
    expect(response.status).toBe(400);
    expect(problem).toMatchObject({
      type: 'urn:countersign:problem:invalid_request',
      code: 'invalid_request',
      instance: '/api/plans',
      errors: expect.arrayContaining([
        { path: 'title', message: 'is required' },
        { path: 'steps[0].tool', message: 'must be a string' },
        { path: 'steps[0].after[0].type', message: 'must be one of "FS", "SS", "FF", "SF"' },
        { path: '', message: 'has an unknown key: "colour"' },
      ]),
    });
    expect(problem.detail).toContain('title is required');
    expect(api.service.calls.length).toBe(before);
  });

  it('names the first misfits of a plan that is wrong everywhere, and counts the rest', async () => {
    const steps = Array.from({ length: 5000 }, () => ({ description: 1 }));
    const problem = await readProblem(await api.post('/api/plans', { title: 't', steps }));
    expect(problem.errors).toHaveLength(20);
    expect(problem.errors_total).toBe(15_000);
  });
});

describe('finding plans and reading them', () => {
  it('passes filters on: lists by comma or repetition, 100 where no limit is given', async () => {
    await api.get('/api/plans?status=proposed,failed&status=stalled&user=ana');
    expect(api.service.lastCall('listPlans')).toEqual([
      { status: ['proposed', 'failed', 'stalled'], user: 'ana', limit: 100 },
    ]);
  });

  it.each([
    ['limit=0', 'limit', 'must be a whole number from 1 to 1000'],
    ['limit=1001', 'limit', 'must be a whole number from 1 to 1000'],
    ['limit=1e2', 'limit', 'must be a whole number from 1 to 1000'],
    ['limit=', 'limit', 'must be a whole number from 1 to 1000'],
    ['limit=1&limit=2', 'limit', 'must be a whole number from 1 to 1000'],
    ['status=done', 'status[0]', 'must be one of'],
    ['cursor=a%20b', 'cursor', 'must be a next_cursor of an earlier page'],
    ['statsu=failed', '', 'has an unknown key: "statsu"'],
  ])('refuses ?%s and says why', async (query, path, message) => {
    const response = await api.get(`/api/plans?${query}`);
    const problem = await readProblem(response);
    expect(response.status).toBe(400);
    expect(problem.errors).toEqual([{ path, message: expect.stringContaining(message) }]);
  });
  it('reads steps by id, and refuses to mix ids with filters', async () => {
    const { id } = await proposeDraft(api);
    const page = Steps.parse(await (await api.get(`/api/plans/${id}/steps?ids=2,1`)).json());
    expect(page.steps.map((step) => step.id)).toEqual(['1', '2']);
    expect(page.next_cursor).toBeNull();
    const mixed = await readProblem(await api.get(`/api/plans/${id}/steps?ids=1&tag=x`));
    expect(mixed.errors[0]?.path).toBe('ids');
  });

  it('answers plan_not_found for every view of a plan that is not there', async () => {
    const views = ['', '/overview', '/diff', '/steps', '/trace', '/audit', '/versions/1..2'];
    for (const view of [...views, '/plan.md', '/log.jsonl', '/events']) {
      const response = await api.get(`/api/plans/PLAN-ffffffff${view}`);
      expect(response.status, view).toBe(404);
      expect(response.headers.get('content-type'), view).toContain('application/problem+json');
      expect(response.headers.get('content-disposition'), view).toBeNull();
      const problem = await readProblem(response);
      expect(problem.code, view).toBe('plan_not_found');
      expect(problem.instance, view).toBe(`/api/plans/PLAN-ffffffff${view}`);
    }
  });
});

describe('exports', () => {
  it('streams the plan as a Markdown file', async () => {
    const { id } = await proposeDraft(api);
    const response = await api.get(`/api/plans/${id}/plan.md`);
    expect(response.headers.get('content-type')).toBe('text/markdown; charset=utf-8');
    expect(response.headers.get('content-disposition')).toBe(`attachment; filename="${id}.md"`);
    expect(await response.text()).toContain('# Steps');
  });

  it('streams the log with one line for each attempt', async () => {
    const { id } = await proposeDraft(api);
    const response = await api.get(`/api/plans/${id}/log.jsonl`);
    expect(response.headers.get('content-type')).toBe('application/jsonl; charset=utf-8');
    const lines = (await response.text()).trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line).step)).toEqual(['1', '2']);
  });

  it('stops reading an export when the client leaves', async () => {
    const { id } = await proposeDraft(api);
    let ended = false;
    api.service.exportMarkdown = async function* endless() {
      try {
        for (;;) yield 'x'.repeat(65_536);
      } finally {
        ended = true;
      }
    };
    const leave = new AbortController();
    const response = await fetch(`${api.origin}/api/plans/${id}/plan.md`, { signal: leave.signal });
    await response.body?.getReader().read();
    leave.abort();
    await expect.poll(() => ended).toBe(true);
  });

  it('imports Markdown, and only Markdown', async () => {
    const markdown = { 'content-type': 'text/markdown' };
    const text = '---\ntitle: Imported\n---\n';
    const good = await api.post('/api/plans/import?user=ana', text, markdown);
    expect(good.status).toBe(201);
    expect(await good.json()).toMatchObject({ title: 'Imported', requester: 'ana' });
    const saved = Buffer.from(`\ufeff${text.replaceAll('\n', '\r\n')}`, 'utf16le');
    const edited = await fetch(`${api.origin}/api/plans/import?user=ana`, {
      method: 'POST',
      headers: markdown,
      body: saved,
    });
    expect(edited.status).toBe(201);
    const bad = await api.post('/api/plans/import', { title: 'x' });
    expect(bad.status).toBe(415);
    expect((await readProblem(bad)).detail).toContain('Send the body as text/markdown');
  });
});
