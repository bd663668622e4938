// Plans of 20,000 steps never block the event loop.
import '../../setup/watch-every-test.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { writeExport } from '#app/verbs/transfer.ts';
import { person } from '#domain/people/actor.ts';
import { importPlans } from '#plans/transfer/import-plans.ts';
import { startApi, type TestApi } from '../../fixtures/api.ts';
import { useInstance } from '../../setup/use-instance.ts';
import { waitFor } from '../../wait.ts';

const count = 20_000;
const local = person('local', 'api');
const steps = Array.from({ length: count }, (_, at) => ({
  id: `s${at}`,
  description: `Write row ${at} of the table`,
  tool: 'workspace',
  operation: 'write',
  args: { path: `rows/${at % 200}/${at}.md`, content: `Row ${at}\n`.repeat(5), overwrite: true },
  ...(at < 200 ? {} : { after: [`s${at - 200}`] }),
  partition: `p${at % 20}`,
  tags: ['rows', `t${at % 7}`],
}));
const named = steps.map(({ after: _, ...one }, at) =>
  at < 200 ? one : { ...one, notes: { prereq_titles: [`write row ${at - 200} of THE table`] } },
);
const instance = useInstance();
const other = useInstance();
let api: TestApi;
beforeAll(async () => {
  api = await startApi({
    service: instance.service,
    mcp: { operations: async () => [], guarded: [], linkTo: () => null },
    requestsPerMinute: 1_000_000,
  });
});
afterAll(() => api.close());

const Proposed = z.object({ id: z.string(), version: z.number(), total_steps: z.number() });

async function read(response: Response, status = 200): Promise<unknown> {
  const text = await response.text();
  expect(response.status, text.slice(0, 500)).toBe(status);
  return JSON.parse(text);
}

async function propose(body: unknown, headers: Record<string, string> = {}): Promise<string> {
  const answer = await read(await api.post('/api/plans', body, headers), 201);
  const { id, total_steps } = Proposed.parse(answer);
  expect(total_steps).toBe(count);
  return id;
}

const rows = JSON.stringify({ title: 'Rows', steps });
let plan = '';
const current = () => instance.service.getPlan(plan);

test('a proposal is read, checked, digested and stored, and known again by its key', async () => {
  const key = { 'idempotency-key': 'rows' };
  plan = await propose(rows, key);
  expect(await propose(rows, key)).toBe(plan);
});

test('notes that name prerequisites are resolved', async () => {
  const id = await propose({ title: 'Noted', steps: named });
  const [last] = await instance.service.getSteps(id, [`s${count - 1}`]);
  expect(last?.after).toMatchObject([{ id: `s${count - 201}` }]);
});

test.each([
  ['cut off', rows.slice(0, -100)],
  ['broken in the middle', rows.replace(',{"id":"s500"', '],{"id":"s500"')],
  ['with a name twice', rows.replace(/"id":"s500"/, '"id":"s500","id":"s"')],
  ['with a forged prototype', rows.replace(/"id":"s500"/, '"id":"s500","__proto__":{}')],
  ['with what cannot be stored', rows.replace(/"id":"s500"/, '"id":"\\u0000"')],
  ['with nothing right', JSON.stringify({ title: 'Rows', steps: steps.map((_, at) => at) })],
])('a proposal that is %s is refused', async (_, body) => {
  await read(await api.post('/api/plans', body), 400);
});

test('an agent proposes over MCP', async () => {
  const params = { name: 'plan_propose', arguments: { title: 'Rows', steps } };
  const response = await api.post(
    '/mcp',
    { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
    { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-06-18' },
  );
  expect(await response.text()).toContain('awaiting_approval');
});

test('an export as Markdown is imported again', async () => {
  const markdown = await (await api.get(`/api/plans/${plan}/plan.md`)).text();
  const response = await fetch(`${api.origin}/api/plans/import`, {
    method: 'POST',
    headers: { 'content-type': 'text/markdown' },
    body: markdown,
  });
  expect(Proposed.parse(await read(response, 201)).total_steps).toBe(count);
});

test('an export as lines is imported by another instance', async () => {
  const lines: string[] = [];
  await writeExport(instance.db, [plan], async (text) => {
    lines.push(...text.trimEnd().split('\n'));
  });
  async function* each() {
    yield* lines;
  }
  for await (const one of importPlans(each(), other, { ended: false, actor: local }))
    expect(one).toMatchObject({ outcome: 'proposed' });
});

test('it is read in every form', async () => {
  for (const path of ['overview', 'groups', 'forecast', 'matches?words=row', 'diff?since=0'])
    await read(await api.get(`/api/plans/${plan}/${path}`));
  await instance.service.card(plan, { user: 'local', timezone: 'UTC' });
});

test('a change adds as many steps, and another changes all of them', async () => {
  const change = async (operations: unknown[]) =>
    read(
      await api.post(`/api/plans/${plan}/patches`, {
        base_revision: (await current()).revision,
        operations,
      }),
    );
  await change(
    steps.map(({ id, args, ...one }) => ({
      op: 'add_step',
      step: { ...one, id: `n${id}`, args: { ...args, path: `more/${id}.md` }, after: [id] },
    })),
  );
  await change([{ op: 'update_steps', steps: { tag: 'rows' }, set: { priority: 3 } }]);
  expect((await current()).total_steps).toBe(2 * count);
});

test('it is approved and stopped, and its log is read', async () => {
  const id = await propose(rows);
  const { version, digest } = await instance.service.getPlan(id);
  await read(await api.post(`/api/plans/${id}/approve`, { version, digest }));
  const hasBegun = async () => (await instance.service.getPlan(id)).counts.succeeded > 0;
  await waitFor('a step that ended', hasBegun, { timeoutMs: 60_000 });
  await read(await api.post(`/api/plans/${id}/cancel`, { version }));
  expect(await (await api.get(`/api/plans/${id}/log.jsonl`)).text()).not.toBe('');
});
