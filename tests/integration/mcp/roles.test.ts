// Every tool of `/mcp` by role and organisation.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { FastifyInstance } from 'fastify';
import pino from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { serve } from '#app/serve.ts';
import { person } from '#domain/people/actor.ts';
import { Role } from '#domain/people/principal.ts';
import { freePort } from '../../fixtures/open-id.ts';
import { draftStep } from '../../fixtures/steps.ts';
import { useDatabase } from '../../setup/database.ts';
import { openTestInstance, type TestInstance } from '../../setup/instance.ts';

const database = useDatabase();
const tenants = ['slack:T1', 'slack:T2'] as const;

let instance: TestInstance;
let app: FastifyInstance;
let url: string;
const clients: Client[] = [];

beforeAll(async () => {
  const port = await freePort();
  url = `http://127.0.0.1:${port}`;
  const provider = {
    ...{ issuer: 'https://id.example', client_id: 'c', client_secret: 's' },
    ...{ tenant_claim: 'org', allowed_tenants: ['any'] },
  };
  instance = await openTestInstance(database.url, {
    work: false,
    settings: { identity: { providers: { corp: provider } } },
    env: { COUNTERSIGN_PUBLIC_URL: url, PORT: String(port) },
  });
  app = (await serve(instance, instance.config, pino({ level: 'silent' }))).app;
});
afterAll(async () => {
  await Promise.all(clients.map((client) => client.close()));
  await app?.close();
  await instance?.close();
});

async function makeToken(tenant: string, role: Role): Promise<string> {
  const wanted = { name: 'agent', role, days: 1, tenant };
  const operator = person('local', 'terminal');
  const { token } = await instance.identity.createToken(`${role}@${tenant}`, wanted, operator);
  return token;
}

async function connect(token: string): Promise<Client> {
  const client = new Client(
    { name: 'walker', version: '1.0.0' },
    { versionNegotiation: { mode: { pin: '2026-07-28' } } },
  );
  clients.push(client);
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', url), { requestInit }));
  return client;
}

async function call(client: Client, name: string, args: Record<string, unknown>): Promise<string> {
  const { isError, content } = await client.callTool({ name, arguments: args });
  const [first] = content;
  const text = first?.type === 'text' ? first.text : '';
  return isError === true ? (/"code":"(\w+)"/.exec(text)?.[1] ?? text) : 'ok';
}

const draft = {
  title: 'Nothing',
  steps: [draftStep('1', 'Nothing', 'control_noop', {})],
};

it('each tool takes its role, and reaches plans of its own organisation only', async () => {
  const owner = await connect(await makeToken(tenants[0], 'requester'));
  const { structuredContent, content } = await owner.callTool({
    name: 'plan_propose',
    arguments: draft,
  });
  expect(content).toEqual([{ type: 'text', text: expect.stringContaining('awaiting_approval') }]);
  const { plan } = (structuredContent as { plan: { plan: string } }).plan;
  expect(await instance.service.getPlan(plan)).toMatchObject({
    requester: 'requester@slack:T1',
    agent: 'Walker',
  });
  const calls: Record<string, Record<string, unknown>> = {
    plan_propose: draft,
    plan_get: { plan },
    plan_list: { everybody: true },
    plan_wait: { plan, timeout_seconds: 1 },
    operations_search: { query: 'write a file' },
    operation_describe: { names: ['control_noop'] },
  };
  for (const tenant of tenants)
    for (const role of Role.options) {
      const client = await connect(await makeToken(tenant, role));
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name).sort()).toEqual(Object.keys(calls).sort());
      const results = await Promise.all(
        tools.map(async ({ name }) => [name, await call(client, name, calls[name] ?? {})]),
      );
      const elsewhere = tenant === tenants[0] ? 'ok' : 'plan_not_found';
      expect(Object.fromEntries(results)).toEqual({
        plan_propose: role === 'viewer' ? 'forbidden' : 'ok',
        plan_get: elsewhere,
        plan_list: 'ok',
        plan_wait: elsewhere,
        operations_search: 'ok',
        operation_describe: 'ok',
      });
      const listed = await client.callTool({ name: 'plan_list', arguments: { everybody: true } });
      expect(JSON.stringify(listed).includes(plan)).toBe(tenant === tenants[0]);
    }
  await expect(connect(`cst_${'0'.repeat(64)}`)).rejects.toThrow();
});
