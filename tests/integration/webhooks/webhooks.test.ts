// Webhooks: results are sent signed, in order, until accepted.
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  endpointId,
  readEndpoints,
  readNextCalls,
  retryDeliveries,
  storeEndpoints,
} from '#db/webhooks.ts';
import { systemClock, systemRandom } from '#domain/clock.ts';
import type { WebhookSettings } from '#domain/webhook.ts';
import { openSender } from '#notices/webhooks/sender.ts';
import { type WebhooksContext, workOnEndpoint } from '#notices/webhooks/work-on-endpoint.ts';
import { draftStep } from '../../fixtures/steps.ts';
import { openReceiver, type Receiver, type Reply } from '../../fixtures/webhook-receiver.ts';
import { useDatabase } from '../../setup/database.ts';
import {
  ana,
  noop,
  openTestInstance,
  reach,
  runPlan,
  type TestInstance,
} from '../../setup/instance.ts';
import { waitFor } from '../../wait.ts';

const database = useDatabase();
let first: Receiver;
let second: Receiver;
let instance: TestInstance;

beforeAll(async () => {
  [first, second] = [await openReceiver(), await openReceiver()];
  instance = await openTestInstance(database.url, {
    settings: {
      http: { allowPrivate: ['127.0.0.1'] },
      webhooks: [
        {
          url: first.url,
          secret: ['another-secret-of-24-letters', first.secret],
          headers: { 'x-team': 'ops' },
        },
        { url: second.url, secret: second.secret, events: ['plan.ended', 'plan.needs_you'] },
      ],
    },
  });
});
afterAll(async () => {
  await instance.close();
  await Promise.all([first.close(), second.close()]);
});
beforeEach(async () => {
  await instance.db.query.execute(
    sql`update countersign.webhook_deliveries set state = 'delivered', ended_at = now() where state = 'open'`,
  );
  await instance.db.query.execute(
    sql`update countersign.webhook_endpoints set failures = 0, not_before = null, gone_at = null`,
  );
  for (const receiver of [first, second]) {
    receiver.received.length = 0;
    receiver.reply = () => 204;
  }
});

const typesOf = (receiver: Receiver, planId: string) =>
  receiver.received.filter(({ data }) => data.plan?.id === planId).map(({ type }) => type);

async function makeDue(): Promise<void> {
  await instance.db.query.execute(
    sql`update countersign.webhook_deliveries set due_at = clock_timestamp() where state = 'open'`,
  );
  await instance.db.query.execute(sql`update countersign.webhook_endpoints set not_before = null`);
}

describe('a webhook', () => {
  test('is told of a plan in order, once each, with facts and a signature that holds', async () => {
    const plan = await runPlan(instance, { title: 'Nothing', steps: [noop('a')] });
    await reach(instance, plan.id, 'completed');
    const all = ['plan.proposed', 'plan.decided', 'plan.started', 'plan.ended'];
    await waitFor('all events', () => typesOf(first, plan.id).length === all.length);
    expect(typesOf(first, plan.id)).toEqual(all);
    const decided = first.received.find(({ type }) => type === 'plan.decided');
    expect(decided).toMatchObject({
      headers: { 'x-team': 'ops', 'webhook-id': decided?.id },
      data: {
        plan: {
          id: plan.id,
          status: 'approved',
          version: 1,
          digest: plan.digest,
          requester: 'ana',
        },
        event: 'approve',
        actor: { id: 'ana', kind: 'person', via: 'api' },
        links: { console: null },
      },
    });
    await waitFor('the other one', () => typesOf(second, plan.id).length === 1);
    expect(typesOf(second, plan.id)).toEqual(['plan.ended']);
    expect(second.received[0]?.id).toBe(first.received.at(-1)?.id);
  });

  test('is told once that a plan needs a person, with the question', async () => {
    const args = { question: 'What did it cost?' };
    const step = draftStep('ask', 'Ask', 'human_task', args);
    const plan = await runPlan(instance, { title: 'Ask', steps: [step] });
    await waitFor('the question', () => typesOf(second, plan.id).length === 1);
    expect(second.received[0]).toMatchObject({
      type: 'plan.needs_you',
      data: { step: { id: 'ask', question: expect.stringContaining('What did it cost?') } },
    });
    await instance.service.cancel(plan.id, { version: plan.version }, ana);
    await waitFor('its end', () => typesOf(second, plan.id).length === 2);
    expect(typesOf(second, plan.id)).toEqual(['plan.needs_you', 'plan.ended']);
  });

  test('gets what it refused again under the same id, before what follows, and holds no other up', async () => {
    const replies: Reply[] = [500, 302];
    first.reply = () => replies.shift() ?? 204;
    const plan = await runPlan(instance, { title: 'Nothing', steps: [noop('a')] });
    await waitFor('the other one', () => typesOf(second, plan.id).length === 1);
    await waitFor('all events', async () => {
      await makeDue();
      return typesOf(first, plan.id).length === 6;
    });
    expect(typesOf(first, plan.id).slice(0, 4)).toEqual([
      'plan.proposed',
      'plan.proposed',
      'plan.proposed',
      'plan.decided',
    ]);
    expect(new Set(first.received.slice(0, 3).map(({ id }) => id)).size).toBe(1);
  });

  test('that fails rests, shows why, and is told everything once it works again', async () => {
    second.reply = () => 503;
    const ids: string[] = [];
    for (let n = 0; n < 4; n++) {
      const plan = await runPlan(instance, { title: `Nothing ${n}`, steps: [noop('a')] });
      ids.push(plan.id);
    }
    const state = await waitFor('a rest', async () => {
      const found = (await readEndpoints(instance.db.query)).find(({ url }) => url === second.url);
      return found !== undefined && found.failures >= 3 && found.not_before !== null ? found : null;
    });
    expect(state.last_error).toBe('It answered 503.');
    second.reply = () => 204;
    second.received.length = 0;
    await instance.db.transaction((tx) => retryDeliveries(tx, [state.id]));
    await waitFor('all of them', () =>
      ids.every((id) => typesOf(second, id).includes('plan.ended')),
    );
  });

  test('that answers 410 is told nothing more until somebody asks for it', async () => {
    second.reply = () => 410;
    const plan = await runPlan(instance, { title: 'Nothing', steps: [noop('a')] });
    await waitFor('the end', async () =>
      (await readEndpoints(instance.db.query)).some(({ gone_at }) => gone_at !== null),
    );
    const next = await runPlan(instance, [noop('a')]);
    await reach(instance, next.id, 'completed');
    await waitFor('the first one', () => typesOf(first, next.id).includes('plan.ended'));
    expect(typesOf(second, next.id)).toEqual([]);
    second.reply = () => 204;
    await instance.db.transaction((tx) => retryDeliveries(tx, [endpointId(second)]));
    await waitFor('it again', () => typesOf(second, plan.id).length === 2);
  });
});

describe('an endpoint of its own', () => {
  let other: Receiver;
  let warned: string[] = [];
  const factsOfEndpoints = async () =>
    (await readEndpoints(instance.db.query)).map(({ id, url, events }) => ({ id, url, events }));
  const store = (endpoints: Awaited<ReturnType<typeof factsOfEndpoints>>) =>
    instance.db.transaction((tx) => storeEndpoints(tx, endpoints));
  beforeEach(() => {
    warned = [];
  });
  beforeAll(async () => {
    other = await openReceiver();
  });
  afterAll(() => other.close());

  function contextOf(settings: WebhookSettings, allowPrivate: string[], timeoutMs = 200) {
    const sender = openSender({ allowPrivate, clock: systemClock, timeoutMs });
    const { db } = instance;
    const context: WebhooksContext = {
      db,
      enqueue: async () => {},
      random: systemRandom,
      endpoints: [settings],
      sender,
      linkTo: (id) => `https://bot.example.com/sub/?plan=${id}`,
      warn: (text) => void warned.push(text),
    };
    return { context, sender };
  }
  const message = { id: 'msg_1', type: 'webhook.test', at: new Date(), data: {} };
  const never = new AbortController().signal;

  test('at a private address is refused unless the settings allow it', async () => {
    const { sender } = contextOf({ url: other.url, secret: other.secret }, []);
    const answer = await sender.send({ url: other.url, secret: other.secret }, message);
    expect(answer.error).toContain('private or local address');
    const named = other.url.replace('127.0.0.1', 'localhost');
    expect((await sender.send({ url: named, secret: other.secret }, message)).error).toContain(
      'private',
    );
    expect(other.received).toEqual([]);
    await sender.close();
  });

  test('that hangs is given up after its time', async () => {
    other.reply = () => 'hang';
    const { sender } = contextOf({ url: other.url, secret: other.secret }, ['127.0.0.1']);
    const answer = await sender.send({ url: other.url, secret: other.secret }, message);
    expect(answer.error).toBe('It did not answer within 0.2 s.');
    await sender.close();
  });

  test('gets no event twice from two workers, links with the plan, and nothing after it left the settings', async () => {
    other.reply = () => 204;
    other.received.length = 0;
    const settings = { url: other.url, secret: other.secret };
    const id = endpointId(settings);
    const before = await factsOfEndpoints();
    await store([...before, { id, url: other.url, events: ['plan.proposed'] }]);
    const plans = [];
    for (let n = 0; n < 5; n++) {
      const draft = { title: `Plan ${n}`, steps: [noop('a')] };
      plans.push(await instance.service.propose(draft, { user: 'ana' }, ana));
    }
    const { context, sender } = contextOf(settings, ['127.0.0.1'], 5000);
    await Promise.all([workOnEndpoint(context, id, never), workOnEndpoint(context, id, never)]);
    expect(other.received.map(({ data }) => data.plan?.id)).toEqual(plans.map((plan) => plan.id));
    expect(other.received[0]?.data.links).toEqual({
      console: `https://bot.example.com/sub/?plan=${plans[0]?.id}`,
      api: `https://bot.example.com/sub/api/plans/${plans[0]?.id}`,
    });
    await instance.service.propose({ title: 'Late', steps: [noop('a')] }, { user: 'ana' }, ana);
    await store(before);
    await workOnEndpoint(context, id, never);
    expect(other.received).toHaveLength(5);
    const { rows } = await instance.db.query.execute<{ state: string }>(sql`
      select distinct state from countersign.webhook_deliveries where endpoint = ${id} order by state`);
    expect(rows).toEqual([{ state: 'delivered' }, { state: 'failed' }]);
    await sender.close();
  });

  test('that fails is called again within seconds, which the log and `webhooks list` say', async () => {
    other.reply = () => 503;
    other.received.length = 0;
    const settings = { url: other.url, secret: other.secret };
    const id = endpointId(settings);
    await instance.db.query.execute(
      sql`delete from countersign.webhook_deliveries where endpoint = ${id}`,
    );
    const before = await factsOfEndpoints();
    await store([...before, { id, url: other.url, events: ['plan.proposed'] }]);
    await instance.service.propose({ title: 'Plan', steps: [noop('a')] }, { user: 'ana' }, ana);
    const { context, sender } = contextOf(settings, ['127.0.0.1'], 5000);
    const longest = { hex: (bytes: number) => 'ff'.repeat(bytes) };
    await workOnEndpoint({ ...context, random: longest }, id, never);
    expect(other.received).toHaveLength(1);
    const next = (await readNextCalls(instance.db.query)).get(id);
    expect((next?.getTime() ?? 0) - Date.now()).toBeGreaterThan(0);
    expect((next?.getTime() ?? 0) - Date.now()).toBeLessThanOrEqual(6000);
    const host = new URL(other.url).host;
    expect(warned).toEqual([
      `The webhook ${id} (${host}) failed; the event will be sent again: It answered 503.`,
    ]);
    other.reply = () => 204;
    expect(await instance.db.transaction((tx) => retryDeliveries(tx, [id]))).toBe(1);
    await workOnEndpoint(context, id, never);
    expect(other.received).toHaveLength(2);
    expect((await readNextCalls(instance.db.query)).get(id)).toBeUndefined();
    await store(before);
    await sender.close();
  });
});
