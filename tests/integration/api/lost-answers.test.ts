// Requests whose answer is lost with the database connection can be repeated.
import { randomUUID } from 'node:crypto';
import { afterAll, expect, it, onTestFinished } from 'vitest';
import type { Plan, PlanSummary } from '#domain/plan/plan.ts';
import { draftStep } from '../../fixtures/steps.ts';
import { openTcpProxy, type TcpProxy } from '../../fixtures/tcp-proxy.ts';
import { useServedInstance } from '../../setup/use-instance.ts';
import { waitFor } from '../../wait.ts';

let proxy: TcpProxy;
const gateway = useServedInstance({ work: false }, async (url) => {
  proxy = await openTcpProxy(url);
  return proxy.urlOf(url);
});
afterAll(() => proxy.close());

const draft = (title: string) => ({
  title,
  steps: [draftStep('1', 'Nothing', 'control_noop')],
});

async function post<T>(path: string, body: object, key?: string) {
  const response = await fetch(gateway.api.url + path, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(key === undefined ? {} : { 'idempotency-key': key }),
    },
    body: JSON.stringify(body),
  });
  const { status, headers } = response;
  return { status, headers, body: (await response.json()) as T };
}

async function titled(title: string): Promise<PlanSummary[]> {
  const { body } = await gateway.api.get<{ plans: PlanSummary[] }>('/api/plans?limit=100');
  return body.plans.filter((plan) => plan.title === title);
}

it('a proposal whose commit was not answered is 503 with Retry-After, and one plan when it is sent again', async () => {
  const key = randomUUID();
  proxy.loseAnswerTo('commit');
  const lost = await post<{ code: string; detail: string }>('/api/plans', draft('Once'), key);
  expect(lost).toMatchObject({ status: 503, body: { code: 'database_unavailable' } });
  expect(lost.headers.get('retry-after')).toBe('5');
  const again = await post<Plan>('/api/plans', draft('Once'), key);
  expect(again.status).toBe(201);
  expect(again.headers.get('idempotent-replayed')).toBe('true');
  expect(again.headers.get('location')).toBe(`/api/plans/${again.body.id}`);
  const [plan, ...more] = await titled('Once');
  expect([plan?.id, more]).toEqual([again.body.id, []]);
});

it('a request for a run with a key is one run, however often it is sent', async () => {
  const key = randomUUID();
  const request = { text: 'Create notes/a.md saying "A"' };
  proxy.loseAnswerTo('commit');
  expect((await post('/api/run', request, key)).status).toBe(503);
  const runs = await Promise.all(
    Array.from({ length: 5 }, () => post<{ run_id: string }>('/api/run', request, key)),
  );
  expect(runs.map(({ status }) => status)).toEqual([202, 202, 202, 202, 202]);
  expect(new Set(runs.map(({ body }) => body.run_id)).size).toBe(1);
});

it('a message with a key is said once', async () => {
  const key = randomUUID();
  const path = '/api/conversations/keyed/messages';
  const answers = await Promise.all([1, 2, 3].map(() => post(path, { text: 'status' }, key)));
  expect(answers.map(({ status }) => status)).toEqual([202, 202, 202]);
  const { body } = await gateway.api.get<{ messages: { author: string }[] }>(path);
  expect(body.messages.filter(({ author }) => author === 'person')).toHaveLength(1);
});

it('a key is for one request: another body with it is refused and does nothing', async () => {
  const key = randomUUID();
  expect((await post('/api/plans', draft('Mine'), key)).status).toBe(201);
  const other = await post<{ code: string }>('/api/plans', draft('Another'), key);
  expect(other).toMatchObject({ status: 422, body: { code: 'key_reused' } });
  expect(await titled('Another')).toEqual([]);
});

it('a request that was refused is judged anew when it comes again with its key', async () => {
  const key = randomUUID();
  const plan = await gateway.api.propose(draft('Paused'));
  const pause = () => post<{ code: string }>(`/api/plans/${plan.id}/cancel`, { version: 2 }, key);
  expect([(await pause()).body.code, (await pause()).body.code]).toEqual([
    'stale_version',
    'stale_version',
  ]);
});

it('an approval whose commit was not answered is answered as done when it is sent again', async () => {
  const plan = await gateway.api.propose(draft('Approved once'));
  proxy.loseAnswerTo('commit');
  expect((await gateway.api.approve(plan)).status).toBe(503);
  expect(await gateway.api.approve(plan)).toMatchObject({
    status: 200,
    body: { id: plan.id, status: 'approved' },
  });
  expect((await gateway.api.approve(plan, 'ben')).status).toBe(403);
});

it('readiness says why the database cannot be reached, and requests are 503', async () => {
  onTestFinished(() => proxy.refuse(false));
  proxy.refuse(true);
  proxy.cut();
  const { body } = await waitFor('it to be not ready', async () => {
    const answer = await gateway.api.get<{ parts: { database: string } }>('/readyz');
    return answer.status === 503 ? answer : null;
  });
  expect(body.parts.database).toMatch(/^not reachable: .*(ECONNRESET|terminated)/);
  expect(await gateway.api.get('/api/plans')).toMatchObject({
    status: 503,
    body: { code: 'database_unavailable' },
  });
  proxy.refuse(false);
  await waitFor('it to be ready', async () => (await gateway.api.get('/readyz')).status === 200);
});

it('the document names the key at every POST of the API', async () => {
  const { body } = await gateway.api.get<{
    paths: Record<string, { post?: { parameters?: { in: string; name: string }[] } }>;
  }>('/openapi.json');
  const posts = Object.entries(body.paths).flatMap(([path, { post: one }]) =>
    one === undefined ? [] : [{ path, parameters: one.parameters ?? [] }],
  );
  expect(posts.length).toBeGreaterThan(10);
  // A callback's token is its key, and secrets are not stored.
  const keyless = /\/callbacks\/|^\/api\/tokens$|\/sign-in$/;
  for (const { path, parameters } of posts.filter((one) => !keyless.test(one.path))) {
    const names = parameters.filter((one) => one.in === 'header').map(({ name }) => name);
    expect([path, names]).toEqual([path, ['idempotency-key']]);
  }
});

it.each([
  ['/api/tokens', { name: 'nightly' }],
  ['/api/settings/tools/maps/sign-in', {}],
])('%s answers with a secret, and refuses a key', async (path, body) => {
  expect(await post(path, body, randomUUID())).toMatchObject({
    status: 400,
    body: { code: 'invalid_request' },
  });
});

it.each([
  ['/api/settings/check', { part: 'slack' }],
  ['/api/sign-out', {}],
])('%s with a key is done once', async (path, body) => {
  const key = randomUUID();
  const answers = [await post(path, body, key), await post(path, body, key)];
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  expect(answers[1]?.body).toEqual(answers[0]?.body);
  expect(answers.map(({ headers }) => headers.get('idempotent-replayed'))).toEqual([null, 'true']);
});
