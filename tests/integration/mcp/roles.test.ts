// Every tool of `/mcp` for each role, in two organisations: what a token may not do is refused, and what is of another organisation is
// not there.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { FastifyInstance } from 'fastify';
import pino from 'pino';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createServer } from '#api/server.ts';
import { createProbes } from '#app/health.ts';
import { createSettingsFacts } from '#app/settings-facts.ts';
import { serveWithin } from '#conversation/serve-within.ts';
import { localPrincipal, type Principal, Role } from '#domain/people/principal.ts';
import { useDatabase } from '../../setup/database.ts';
import { openTestInstance, type TestInstance } from '../../setup/instance.ts';

const database = useDatabase();
const tenants = ['slack:T1', 'slack:T2'] as const;

/** A token for each role of each organisation: `slack:T1/viewer`. */
function identifyByToken(token: string): Principal | null {
  const [tenant = '', name] = token.split('/');
  const role = Role.safeParse(name);
  if (!role.success) return null;
  const account = `${role.data}@${tenant}`;
  return {
    ...localPrincipal,
    account,
    name: account,
    names: [account],
    role: role.data,
    tenant,
    by: 'token',
  };
}

let instance: TestInstance;
let app: FastifyInstance;
let url: string;
const clients: Client[] = [];

beforeAll(async () => {
  instance = await openTestInstance(database.url, { work: false });
  const { service } = instance;
  const log = pino({ level: 'silent' });
  app = await createServer({
    service,
    log: false,
    doors: {
      signIn: true,
      identify: async (credentials) =>
        'token' in credentials ? identifyByToken(credentials.token) : null,
    },
    reach: ({ tenant, account }) =>
      tenant === null ? service : serveWithin(service, { tenant, reader: account }),
    version: '0.0.0',
    probes: createProbes(instance),
    settings: createSettingsFacts(instance.config, instance, log),
    metrics: new Registry(),
    mcp: { linkTo: () => null, guarded: [], operations: async () => instance.registry.list() },
  });
  url = await app.listen({ host: '127.0.0.1', port: 0 });
});
afterAll(async () => {
  await Promise.all(clients.map((client) => client.close()));
  await app.close();
  await instance.close();
});

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

/** `ok`, or the code of the refusal. */
async function call(client: Client, name: string, args: Record<string, unknown>): Promise<string> {
  const { isError, content } = await client.callTool({ name, arguments: args });
  const [first] = content;
  const text = first?.type === 'text' ? first.text : '';
  return isError === true ? (/"code":"(\w+)"/.exec(text)?.[1] ?? text) : 'ok';
}

const draft = {
  title: 'Nothing',
  steps: [{ id: '1', description: 'Nothing', tool: 'control', operation: 'noop', args: {} }],
};

it('each tool takes its role, and reaches plans of its own organisation only', async () => {
  const owner = await connect(`${tenants[0]}/requester`);
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
  // What every tool is called with; one that is not here fails.
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
      const client = await connect(`${tenant}/${role}`);
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name).sort()).toEqual(Object.keys(calls).sort());
      const told = await Promise.all(
        tools.map(async ({ name }) => [name, await call(client, name, calls[name] ?? {})]),
      );
      const elsewhere = tenant === tenants[0] ? 'ok' : 'plan_not_found';
      expect(Object.fromEntries(told)).toEqual({
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
  await expect(connect('slack:T1/nobody')).rejects.toThrow();
});
