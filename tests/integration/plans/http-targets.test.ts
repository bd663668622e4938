// A request's target content: shown, and compared before the call.
import { createServer } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { warnOfTarget } from '#cards/calls.ts';
import type { Step } from '#domain/plan/plan.ts';
import type { StepDraft } from '#domain/plan/step-content.ts';
import { Settings } from '#domain/settings.ts';
import type { JsonObject } from '#domain/text.ts';
import { type Listening, listenOnLoopback } from '../../fixtures/loopback.ts';
import { draftStep } from '../../fixtures/steps.ts';
import { useDatabase } from '../../setup/database.ts';
import {
  ana,
  openTestInstance,
  reach,
  settleAsRead,
  type TestInstance,
} from '../../setup/instance.ts';
import { checkPlan } from '../../setup/invariants.ts';
import { readsOf } from '../../setup/reads.ts';
import { waitFor } from '../../wait.ts';

// By address; `tag` is the ETag.
const pages = new Map<string, { text: string; tag?: string; status?: number }>();
let requests: { call: string; secret: unknown; match: unknown }[] = [];
const calls = () => requests.map(({ call }) => call);
const database = useDatabase();
// For instances without `http.inspect`.
const apart = useDatabase();
let web: Listening;
let elsewhere: Listening;
let instance: TestInstance;

beforeAll(async () => {
  const handler: Parameters<typeof createServer>[1] = ({ method, url = '', headers }, response) => {
    requests.push({
      call: `${method} ${url}`,
      secret: headers['x-api-key'],
      match: headers['if-match'],
    });
    const page = pages.get(url);
    if (url === '/leads-away') response.writeHead(302, { location: `${elsewhere.url}/stolen` });
    else if (page === undefined && method === 'GET') response.writeHead(404);
    else response.writeHead(page?.status ?? 200, page?.tag === undefined ? {} : { etag: page.tag });
    response.end(page?.text);
  };
  web = await listenOnLoopback(createServer(handler));
  elsewhere = await listenOnLoopback(createServer(handler));
  instance = await openTestInstance(database.url, {
    settings: { guardedTools: [], http: { allowPrivate: ['127.0.0.1'], inspect: [web.url] } },
  });
});
afterAll(async () => {
  await instance.close();
  await web.close();
  await elsewhere.close();
});
beforeEach(() => {
  requests = [];
});

const request = (method: string, url: string, more: JsonObject = {}): StepDraft & { id: string } =>
  draftStep('a', 'Tidy up', 'http_request', { method, url, ...more });
const propose = (step: StepDraft) =>
  instance.service.propose({ title: 'Change a page', steps: [step] }, { user: ana.id }, ana);
const { approve } = readsOf(() => instance);
const confirm = (planId: string) => settleAsRead(instance, planId, { a: 'retry' });
async function seenBy(step: StepDraft) {
  const { id } = await propose(step);
  return (await instance.service.getSteps(id, ['a']))[0]?.seen;
}

function becomes(planId: string, status: Step['status']): Promise<Step> {
  return waitFor(`the step to be ${status}`, async () => {
    const [found] = await instance.service.getSteps(planId, ['a']);
    return found?.status === status ? found : null;
  });
}

describe('a request that changes what is at an address', () => {
  test('is shown with what is there, and made when that is still so', async () => {
    pages.set('/same', { text: 'price 10' });
    const plan = await propose(request('PUT', `${web.url}/same`, { body: 'price 12' }));
    const { steps } = await instance.service.listSteps(plan.id, { order: 'review', limit: 5 });
    expect(steps[0]?.call.parts[0]).toMatchObject({ aid: true, text: 'price 10' });
    await approve(plan);
    await reach(instance, plan.id, 'completed');
    expect(calls()).toEqual(['GET /same', 'GET /same', 'PUT /same']);
  });

  test.each([
    ['its text', { text: 'people are trapped' }],
    ['its ETag', { text: 'minor', tag: '"2"' }],
  ])(
    'asks with both states when %s differs, and is made once that is confirmed',
    async (_, now) => {
      pages.set('/changes', { text: 'minor' });
      const plan = await propose(request('DELETE', `${web.url}/changes`));
      pages.set('/changes', now);
      await approve(plan);
      const asked = await becomes(plan.id, 'waiting');
      expect(asked.question).toContain('changed after the plan was approved. It was “minor”; now');
      expect(asked.question).toContain(`“${now.text}”`);
      expect(calls()).not.toContain('DELETE /changes');
      await confirm(plan.id);
      await reach(instance, plan.id, 'completed');
      expect(calls().filter((call) => call === 'DELETE /changes')).toHaveLength(1);
      await checkPlan(instance.db.query, plan.id);
    },
  );

  test('is shown to fail where nothing is there, and asks when something has appeared since', async () => {
    pages.delete('/absent');
    const plan = await propose(request('DELETE', `${web.url}/absent`));
    const [step] = (await instance.service.listSteps(plan.id, { limit: 1 })).steps;
    expect(step === undefined ? '' : warnOfTarget(step.call)).toContain('/absent does not exist');
    pages.set('/absent', { text: 'somebody made it' });
    await approve(plan);
    const asked = await becomes(plan.id, 'waiting');
    expect(asked.question).toContain('It was missing; now it is “somebody made it”');
    await instance.service.cancel(plan.id, { version: 1 }, ana);
  });

  test('is read with its own headers, but for those of a change', async () => {
    pages.set('/keyed', { text: 'x' });
    const headers = { 'X-API-Key': 'k', 'If-Match': '"1"' };
    await seenBy(request('PATCH', `${web.url}/keyed`, { headers, body: 'y' }));
    expect(requests).toEqual([{ call: 'GET /keyed', secret: 'k', match: undefined }]);
  });

  test('is read at no origin but those in the settings, and at none a redirect leads to', async () => {
    pages.set('/stolen', { text: 'x' });
    expect(await seenBy(request('DELETE', `${elsewhere.url}/stolen`))).toBeNull();
    expect(await seenBy(request('POST', `${web.url}/stolen`, { body: 'x' }))).toBeNull();
    const decided = { $decide: 'the oldest page' };
    expect(
      await seenBy({ ...request('DELETE', ''), args: { method: 'DELETE', url: decided } }),
    ).toBeNull();
    expect(calls()).toEqual([]);
    expect(await seenBy(request('DELETE', `${web.url}/leads-away`))).toBeNull();
    expect(calls()).toEqual(['GET /leads-away']);
  });
});

describe('a request whose target nobody can look at', () => {
  test.each<[string, object, Step['status']]>([
    ['PUT', {}, 'waiting'],
    ['PATCH', {}, 'waiting'],
    ['DELETE', {}, 'waiting'],
    ['POST', {}, 'succeeded'],
    ['POST', { guardedTools: ['http_request'] }, 'succeeded'],
    ['PUT', { guardMode: 'log' }, 'succeeded'],
  ])('%s with %o is %s once approved, and made once', async (method, settings, status) => {
    const http = { allowPrivate: ['127.0.0.1'] };
    const blind = await openTestInstance(apart.url, {
      settings: { guardedTools: [], ...settings, http },
    });
    const { service } = blind;
    const draft = { title: 'Change a page', steps: [request(method, `${elsewhere.url}/blind`)] };
    const plan = await service.propose(draft, { user: ana.id }, ana);
    await service.approve(plan.id, plan, ana);
    const step = await waitFor('the step', async () => {
      const [found] = await service.getSteps(plan.id, ['a']);
      return found !== undefined && ['waiting', 'succeeded'].includes(found.status) ? found : null;
    });
    expect(step.status).toBe(status);
    if (status === 'waiting') {
      expect(step.output).toMatchObject({ unchecked: true, looked: null });
      expect(calls()).toEqual([]);
      await settleAsRead(blind, plan.id, { a: 'retry' });
    }
    await reach(blind, plan.id, 'completed');
    expect(calls()).toEqual([`${method} /blind`]);
    await blind.close();
  });
});

test('an origin in the settings is one, without a path', () => {
  const read = (origin: string) => Settings.safeParse({ http: { inspect: [origin] } });
  expect(read('https://api.example.com/').data?.http.inspect).toEqual(['https://api.example.com']);
  expect(read('https://api.example.com/v1').success).toBe(false);
  expect(read('ftp://api.example.com').success).toBe(false);
});
