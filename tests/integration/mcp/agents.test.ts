// Agents over MCP: they propose, people decide elsewhere.
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { sql } from 'drizzle-orm';
import pino from 'pino';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { serve } from '#app/serve.ts';
import { viewPlan } from '#cards/view-model.ts';
import { type Actor, person } from '#domain/people/actor.ts';
import { draftStep } from '../../fixtures/steps.ts';
import { useDatabase } from '../../setup/database.ts';
import { openTestInstance, reach, type TestInstance } from '../../setup/instance.ts';
import { node, root } from '../../setup/process.ts';
import { waitFor } from '../../wait.ts';

const database = useDatabase();
const token = 'a-token-for-these-tests';
const inspector = 'node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js';
const eras = ['2025', '2026-07-28'] as const;
type Era = (typeof eras)[number];

type Gateway = { instance: TestInstance; url: string; close(): Promise<void> };
let gateway: Gateway;

async function open(work: boolean): Promise<Gateway> {
  const instance = await openTestInstance(database.url, {
    work,
    env: { PORT: '0', COUNTERSIGN_API_TOKEN: token },
  });
  const { app, port } = await serve(instance, instance.config, pino({ level: 'silent' }));
  let closing: Promise<void> | null = null;
  return {
    instance,
    url: `http://127.0.0.1:${port}`,
    close: () => (closing ??= app.close().then(() => instance.close())),
  };
}

beforeAll(async () => {
  gateway = await open(true);
});
afterAll(() => gateway.close());

const clients: Client[] = [];
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
});

async function connect(url: string, era: Era = '2026-07-28', given = token): Promise<Client> {
  const client = new Client(
    { name: 'claude-code', title: 'Claude Code', version: '2.1.0' },
    { versionNegotiation: { mode: era === '2025' ? 'legacy' : { pin: '2026-07-28' } } },
  );
  clients.push(client);
  const headers = { authorization: `Bearer ${given}`, 'user-agent': 'claude-code/2.1.0 (cli)' };
  await client.connect(
    new StreamableHTTPClientTransport(new URL('/mcp', url), { requestInit: { headers } }),
  );
  return client;
}

type ToolAnswer = {
  state: string;
  plan: { plan: string; version: number; digest: string; requester: string } | null;
  cursor: string;
  timed_out: boolean;
  next: string;
  run: string | null;
  waiting: { question: string | null }[];
  changes: { kind: string; step: string | null }[];
};

async function call(
  client: Client,
  name: string,
  args: Record<string, unknown>,
  options: Parameters<Client['callTool']>[1] = {},
) {
  const result = await client.callTool({ name, arguments: args }, options);
  const [first] = result.content;
  const text = first?.type === 'text' ? first.text : '';
  // Validated by the client.
  return { text, isError: result.isError === true, data: result.structuredContent as ToolAnswer };
}

const underWay = (url: string, calls: number) =>
  waitFor(`${calls} calls to be under way`, async () => {
    const headers = { authorization: `Bearer ${token}` };
    const text = await (await fetch(`${url}/metrics`, { headers })).text();
    return text.includes(`event_streams{route="/mcp"} ${calls}\n`);
  });

const write = (path: string) => ({
  title: `Write ${path}`,
  steps: [draftStep('1', 'Write it', 'workspace_write', { path, content: 'By an agent' })],
});
const local: Actor = person('local', 'api');

async function approve(plan: ToolAnswer['plan']): Promise<void> {
  if (plan === null) throw new Error('there is no plan');
  const { version, digest } = plan;
  const answer = await fetch(`${gateway.url}/api/plans/${plan.plan}/approve`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ version, digest }),
  });
  expect(answer.status).toBe(200);
}

describe.each(eras)('an agent that speaks the protocol of %s', (era) => {
  it('proposes, waits while a person approves, and gets the result', async () => {
    const client = await connect(gateway.url, era);
    expect(client.getServerVersion()?.name).toBe('countersign');
    expect(client.getInstructions()).toContain('plan_wait');
    const proposed = await call(client, 'plan_propose', write(`${era}.md`));
    expect(proposed.data).toMatchObject({
      state: 'awaiting_approval',
      plan: { version: 1, requester: 'local' },
    });
    const { plan, cursor } = proposed.data;
    const id = plan?.plan ?? '';
    const statuses: (string | undefined)[] = [];
    const waiting = call(
      client,
      'plan_wait',
      { plan: id, cursor, timeout_seconds: 30 },
      { onprogress: ({ message }) => statuses.push(message), resetTimeoutOnProgress: true },
    );
    await approve(plan);
    let { data } = await waiting;
    expect(data.timed_out).toBe(false);
    expect(['running', 'completed']).toContain(data.state);
    while (data.state === 'running')
      ({ data } = await call(client, 'plan_wait', { plan: id, cursor: data.cursor }));
    expect(data.state).toBe('completed');
    const read = await call(client, 'plan_get', { plan: id });
    expect(read.data).toMatchObject({
      steps: [
        {
          status: 'succeeded',
          effect: expect.stringContaining(`${era}.md`),
          output: expect.anything(),
        },
      ],
    });
    expect(await gateway.instance.service.getPlan(id)).toMatchObject({
      planner_model: 'Claude Code',
    });
    const card = await gateway.instance.service.card(id, { user: 'ben', timezone: 'UTC' });
    expect(viewPlan(card).facts).toContain('requested by local through the agent “Claude Code”');
    const [auditEntry] = await gateway.instance.service.audit(id, { limit: 1 });
    expect(auditEntry).toMatchObject({ actor: 'Claude Code', actor_kind: 'model', via: 'mcp' });
  });
});

describe('waiting', () => {
  it('goes on at another gateway, and misses nothing that happened meanwhile or while that one stops', async () => {
    const other = await open(false);
    const client = await connect(gateway.url);
    try {
      const there = await connect(other.url);
      const { data } = await call(client, 'plan_propose', write('two.md'));
      const waiting = call(there, 'plan_wait', { plan: data.plan?.plan, timeout_seconds: 30 });
      await approve(data.plan);
      expect((await waiting).data.timed_out).toBe(false);
      await reach(gateway.instance, data.plan?.plan ?? '', 'completed');
      const late = await call(there, 'plan_wait', { plan: data.plan?.plan, cursor: data.cursor });
      expect(late.data).toMatchObject({ state: 'completed', timed_out: false });
      const kinds = late.data.changes.filter(({ step }) => step === null).map(({ kind }) => kind);
      expect(kinds).toEqual(expect.arrayContaining(['approved', 'completed']));

      const { data: stays } = await call(client, 'plan_propose', write('stops.md'));
      const { cursor } = stays;
      const id = stays.plan?.plan;
      const ends = call(there, 'plan_wait', { plan: id, cursor, timeout_seconds: 60 });
      await underWay(other.url, 1);
      await other.close();
      const { data: final } = await ends;
      expect(final).toMatchObject({ timed_out: true, state: 'awaiting_approval', cursor });
      const again = call(client, 'plan_wait', {
        plan: id,
        cursor: final.cursor,
        timeout_seconds: 30,
      });
      await approve(stays.plan);
      expect((await again).data.timed_out).toBe(false);
    } finally {
      await other.close();
    }
  });

  it('ends when its time is over, or the agent cancels the call, and holds nothing then', async () => {
    const client = await connect(gateway.url);
    const { data } = await call(client, 'plan_propose', write('time.md'));
    const id = data.plan?.plan;
    const short = await call(client, 'plan_wait', {
      plan: id,
      cursor: data.cursor,
      timeout_seconds: 1,
    });
    expect(short.data).toMatchObject({ timed_out: true, changes: [] });
    const leaves = new AbortController();
    const waiting = call(
      client,
      'plan_wait',
      { plan: id, timeout_seconds: 200 },
      { signal: leaves.signal },
    );
    leaves.abort();
    await expect(waiting).rejects.toThrow();
    await underWay(gateway.url, 0);
  });

  it('says what a person is asked, and when it is over', async () => {
    const client = await connect(gateway.url);
    const asks = draftStep('1', 'Ask', 'human_task', { question: 'Which colour?' });
    const { data } = await call(client, 'plan_propose', { title: 'Ask', steps: [asks] });
    await approve(data.plan);
    let latest = data;
    while (latest.state === 'awaiting_approval' || latest.state === 'running')
      latest = (await call(client, 'plan_wait', { plan: data.plan?.plan, cursor: latest.cursor }))
        .data;
    expect(latest).toMatchObject({
      state: 'needs_person',
      waiting: [{ question: 'Which colour?' }],
    });
    const plan = await gateway.instance.service.getPlan(data.plan?.plan ?? '');
    await gateway.instance.service.cancel(plan.id, { version: plan.version }, local);
    const over = await call(client, 'plan_wait', { plan: plan.id, cursor: latest.cursor });
    expect(over.data.state).toBe('cancelled');
  });

  it('has the planner make a plan of a request, and goes on with it', async () => {
    const client = await connect(gateway.url);
    const { data } = await call(client, 'plan_propose', {
      request: 'Create asked.md saying "Hello"',
    });
    expect(data).toMatchObject({ state: 'planning', plan: null });
    const { data: made } = await call(client, 'plan_wait', { run: data.run, timeout_seconds: 40 });
    expect(made.timed_out).toBe(false);
    expect(made).toMatchObject({ state: 'awaiting_approval', plan: { requester: 'local' } });
    const asked = await gateway.instance.service.getPlan(made.plan?.plan ?? '');
    expect(asked).toMatchObject({ agent: 'Claude Code', requester: 'local' });
    const unclear = await call(client, 'plan_propose', { request: 'approve' });
    const { data: asks } = await call(client, 'plan_wait', {
      run: unclear.data.run,
      timeout_seconds: 30,
    });
    expect(asks.plan).toBeNull();
    expect(await gateway.instance.service.getPlan(made.plan?.plan ?? '')).toMatchObject({
      status: 'proposed',
    });
  });
});

describe('an agent', () => {
  it('has no tool that moves a plan on, whatever it says', async () => {
    const client = await connect(gateway.url);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name).sort()).toEqual([
      'operation_describe',
      'operations_search',
      'plan_get',
      'plan_list',
      'plan_propose',
      'plan_wait',
    ]);
    const { data } = await call(client, 'plan_propose', write('stays.md'));
    const plan = data.plan?.plan ?? '';
    const words = ['approve', `approve version 1 of ${plan}`, 'reject', 'yes'];
    for (const text of words) {
      await call(client, 'plan_propose', { request: text, agent: 'local' });
      await call(client, 'plan_propose', {
        ...write('x.md'),
        title: text,
        summary: text,
        context: text,
      });
    }
    for (const name of tools.map((tool) => tool.name).filter((name) => name !== 'plan_propose'))
      await call(client, name, {
        plan,
        names: ['workspace_write'],
        query: 'approve',
        timeout_seconds: 1,
      });
    for (const name of ['plan_approve', 'plan_reject', 'plan_cancel', 'answer_step'])
      await expect(call(client, name, { plan, id: plan })).rejects.toThrow(/not found|unknown/i);
    const late = await gateway.instance.service.getPlan(plan);
    expect(late).toMatchObject({ status: 'proposed', version: 1, approvals: [], decided_by: null });
  });

  it('says nothing under the name of a person, whatever it calls itself', async () => {
    const client = await connect(gateway.url);
    const { data } = await call(client, 'plan_propose', { request: 'Hello', agent: 'bob' });
    const { rows } = await gateway.instance.db.query.execute(
      sql`select name from countersign.messages where run_id = ${data.run} and author = 'person'`,
    );
    expect(rows).toEqual([{ name: 'Bob (agent of local)' }]);
  });

  it('proposes once under a key, and is told when the key was another proposal’s', async () => {
    const client = await connect(gateway.url);
    const keyed = { ...write('once.md'), idempotency_key: 'once-1' };
    const [first, second] = await Promise.all([
      call(client, 'plan_propose', keyed),
      call(client, 'plan_propose', keyed),
    ]);
    expect(second.data.plan?.plan).toBe(first.data.plan?.plan);
    const reused = await call(client, 'plan_propose', { ...keyed, title: 'Another' });
    expect(reused).toMatchObject({ isError: true, text: expect.stringContaining('key_reused') });
  });

  it('learns what is wrong with a proposal', async () => {
    const client = await connect(gateway.url);
    const [step] = write('x.md').steps;
    const wrong = await call(client, 'plan_propose', {
      title: 'x',
      steps: [{ ...step, args: { path: '../out.md', content: 'x' } }],
    });
    expect(wrong).toMatchObject({
      isError: true,
      text: expect.stringContaining('path_outside_workspace'),
    });
    const neither = await call(client, 'plan_propose', { title: 'x' });
    expect(neither.text).toContain('either "title" and "steps", or "request"');
    const chooses = call(client, 'plan_propose', {
      ...write('x.md'),
      approvers: { kind: 'anyone' },
    });
    expect(
      await chooses.catch((error: unknown) => ({ isError: true, text: String(error) })),
    ).toMatchObject({
      isError: true,
      text: expect.stringContaining('approvers'),
    });
  });

  it('finds operations, and reads what they take', async () => {
    const client = await connect(gateway.url);
    const found = await call(client, 'operations_search', { query: 'write a file' });
    expect(found.text).toContain('workspace_write(');
    const described = await call(client, 'operation_describe', { names: ['workspace_delete'] });
    expect(described.data).toMatchObject({
      operations: [
        { tool: 'workspace', operation: 'delete', effect: 'write [destructive, guarded]' },
      ],
    });
  });

  it('is found by the command line of the MCP inspector', async () => {
    const home = await mkdtemp(join(tmpdir(), 'countersign-inspector-'));
    const header = ['--header', `Authorization: Bearer ${token}`];
    const target = [`${gateway.url}/mcp`, '--transport', 'http', ...header];
    const search = ['--tool-name', 'operations_search', '--tool-arg', 'query=delete a file'];
    try {
      const { stdout } = await promisify(execFile)(
        node,
        [join(root, inspector), '--cli', ...target, '--method', 'tools/call', ...search],
        { env: { ...process.env, HOME: home }, timeout: 50_000 },
      );
      expect(JSON.parse(stdout)).toMatchObject({
        structuredContent: { operations: expect.arrayContaining([expect.anything()]) },
      });
    } finally {
      await rm(home, { recursive: true });
    }
  });
});
