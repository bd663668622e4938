// Settings as shown: states of parts, never a secret.
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { checkCalendars } from '#app/doctor/check-calendars.ts';
import { createSettingsFacts, type SettingsFacts } from '#app/settings-facts.ts';
import { removeModelAccess, storeModelAccess } from '#db/model-access.ts';
import { createSeal } from '#db/seal.ts';
import { person } from '#domain/people/actor.ts';
import { SettingsView } from '#domain/settings-view.ts';
import { listenOnLoopback } from '../../fixtures/loopback.ts';
import { useDatabase } from '../../setup/database.ts';
import { openTestInstance, type TestInstance } from '../../setup/instance.ts';

const database = useDatabase();

async function open(
  settings: object,
  env: Record<string, string> = {},
): Promise<SettingsFacts & { instance: TestInstance }> {
  const instance = await openTestInstance(database.url, {
    settings,
    env,
    work: false,
    awaitTools: false,
  });
  const facts = createSettingsFacts(instance.config, instance, pino({ level: 'silent' }));
  return { ...facts, instance };
}

const everything = new URL(
  '../../../node_modules/@modelcontextprotocol/server-everything/dist/index.js',
  import.meta.url,
).pathname;

describe('the settings of an instance', () => {
  let facts: Awaited<ReturnType<typeof open>>;
  let view: SettingsView;
  beforeAll(async () => {
    const own = join(await mkdtemp(join(tmpdir(), 'calendar-')), 'own.ics');
    await writeFile(own, 'BEGIN:VCALENDAR\nodd\nEND:VCALENDAR\n');
    facts = await open({
      mcpServers: {
        all: { command: process.execPath, args: [everything], trusted: true },
        gone: { command: 'no-such-program' },
        rest: { url: 'https://tickets.example.com/mcp', disabled: true },
      },
      disabledTools: ['reminder'],
      guardedTools: ['workspace_delete', 'tickets_close'],
      guardedApprovers: { workspace_delete: { kind: 'n_of', people: ['ana', 'ben'], n: 2 } },
      approvers: ['ana'],
      resourcePools: { gpu: 4 },
      calendars: { team: 'https://calendar.example.com/private-1a2b3c/team.ics', own },
    });
    await facts.check({ part: 'tool', tool: 'all' });
    view = await facts.read();
  });
  afterAll(() => facts.instance.close());

  it('fit the schema that the API shows', () => {
    expect(SettingsView.strict().parse(view)).toEqual(view);
  });

  it('say of a server since when it is connected, as what, and what its operations do', () => {
    const server = view.tools.find(({ name }) => name === 'all');
    expect(server).toMatchObject({ source: 'mcp', state: 'ok', problem: null });
    expect(server?.server).toMatchObject({
      since: expect.stringMatching(/^\d{4}-/),
      protocol: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
      transport: 'stdio',
      at: 'node',
      trusted: true,
      last_problem: null,
    });
    expect(server?.operations).toContainEqual(
      expect.objectContaining({ name: 'all_echo', guarded: false }),
    );
  });

  it('say why a server is down and when it was tried, and which are switched off', () => {
    const gone = view.tools.find(({ name }) => name === 'gone');
    expect(gone).toMatchObject({ state: 'down', operations: [] });
    expect(gone?.problem).toContain('command or folder was not found; check it');
    expect(gone?.server?.last_problem?.text).toBe(gone?.problem);
    const off = view.tools.filter(({ state }) => state === 'off').map(({ name }) => name);
    expect(off).toEqual(['rest', 'reminder']);
  });

  it('say of our own operations what they do, which are guarded and what a planner may read', () => {
    const operations = new Map(
      view.tools.flatMap((tool) => tool.operations).map((one) => [one.name, one]),
    );
    expect(operations.get('workspace_delete')).toMatchObject({ effect: 'changes', guarded: true });
    expect(operations.get('http_get')).toMatchObject({ effect: 'outside', planner: false });
    expect(operations.get('workspace_read')).toMatchObject({ effect: 'reads', planner: true });
    expect(view.approvals).toMatchObject({
      approvers: ['ana'],
      guarded: [
        { operation: 'workspace_delete', offered: true, rule: { kind: 'n_of', n: 2 } },
        { operation: 'tickets_close', offered: false, rule: null },
      ],
    });
  });

  it('say that no model is connected, and what of calendars cannot be read, without their addresses', async () => {
    expect(view.models.connected).toBeNull();
    const line = expect.stringMatching(/^Line 2:/);
    expect(view.running.calendars).toEqual([
      { name: 'team', kind: 'address', problems: [expect.not.stringContaining('example.com')] },
      { name: 'own', kind: 'file', problems: [line] },
    ]);
    const { registry, config } = facts.instance;
    expect(await checkCalendars(registry, config.settings, 'UTC')).toMatchObject([
      { part: 'Calendar team', state: 'broken' },
      { part: 'Calendar own', state: 'broken', text: expect.stringContaining('Line 2:') },
    ]);
  });

  it('say of a part that is asked whether it works now', async () => {
    expect(await facts.check({ part: 'tool', tool: 'all' })).toMatchObject([{ state: 'ok' }]);
    expect(await facts.check({ part: 'tool', tool: 'gone' })).toMatchObject([
      { state: 'broken', text: expect.stringContaining('was not found') },
    ]);
    expect(await facts.check({ part: 'slack' })).toMatchObject([{ state: 'off' }]);
  });
});

it('shows every setting of the example file, the limits of a person and where traces go among them', async () => {
  const { $schema: _, ...example } = JSON.parse(
    await readFile(new URL('../../../countersign.example.json', import.meta.url), 'utf8'),
  );
  const { read, instance } = await open(
    { ...example, mcpServers: { tickets: example.mcpServers.tickets } },
    {
      TICKETS_SECRET: 'planted-oauth-4f9d2c71',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://me:planted-otel-4f9d2c71@127.0.0.1:9/?k=planted',
    },
  );
  onTestFinished(() => instance.close());
  const view = await read();
  const lines = new Map(view.settings.map(({ name, value }) => [name, value]));
  const byName = ['mcpServers', 'calendars', 'identity.providers', 'webhooks'];
  const isShown = (name: string) =>
    [...lines.keys()].some((line) => line === name || line.startsWith(`${name}.`));
  const missing = (name: string, value: unknown): string[] => {
    const isInner = typeof value === 'object' && value !== null && !Array.isArray(value);
    if (!isInner || byName.includes(name) || Object.keys(value).length === 0)
      return isShown(name) ? [] : [name];
    return Object.entries(value).flatMap(([key, inner]) => missing(`${name}.${key}`, inner));
  };
  const { resourcePools: __, ...others } = example;
  expect(Object.entries(others).flatMap(([key, value]) => missing(key, value))).toEqual([]);
  expect(Object.fromEntries(lines)).toMatchObject({
    'limits.person.requests_per_minute': '300',
    'resourcePools.licences.capacity': '5',
    mcpServers: 'tickets',
    calendars: 'team',
    webhooks: 'ops.example.com',
    'identity.providers': null,
    tools: null,
  });
  expect(view.access.traces).toBe('http://127.0.0.1:9/');
  const text = JSON.stringify(view);
  for (const secret of ['planted', 'replace-this-secret', 'team.ics'])
    expect(text).not.toContain(secret);
});

it('shows no secret of the environment or the file, also where a server of tools repeats it', async () => {
  const planted: string[] = [];
  const plant = (name: string) => {
    const secret = `planted-${name}-4f9d2c71`;
    planted.push(secret);
    return secret;
  };
  // Prints all its input, as misconfigured programs do.
  const tellAll = 'console.error(process.argv.slice(2).join(" "), JSON.stringify(process.env))';
  const { read, check, instance } = await open(
    {
      mcpServers: {
        tells: {
          command: process.execPath,
          args: [
            '-e',
            tellAll,
            '--',
            '--api-key',
            plant('flag'),
            `--x=${plant('value')}`,
            plant('word'),
            `https://user:${plant('args-user')}@db.example.com/?t=${plant('args-query')}`,
          ],
          env: { TOKEN: plant('env') },
        },
        web: {
          url: `http://me:${plant('url-user')}@127.0.0.1:9/${plant('url-path')}?key=${plant('url-query')}`,
          headers: { authorization: `Bearer ${plant('header')}`, 'x-key': plant('header-two') },
        },
        off: {
          url: `http://127.0.0.1:9/${plant('off-path')}`,
          headers: { a: plant('off') },
          disabled: true,
        },
      },
      calendars: { team: `https://calendar.example.com/${plant('calendar')}/team.ics` },
    },
    {
      OPENAI_API_KEY: plant('openai'),
      OPENAI_BASE_URL: `http://me:${plant('base-user')}@127.0.0.1:9/${plant('base-path')}?k=${plant('base-query')}`,
      COUNTERSIGN_API_TOKEN: plant('api-token'),
      SLACK_BOT_TOKEN: `xoxb-${plant('slack-bot')}`,
      SLACK_SIGNING_SECRET: plant('slack-signing'),
      SLACK_API_URL: `http://127.0.0.1:9/${plant('slack-url')}/`,
      MicrosoftAppId: '11111111-2222-4333-8444-555555555555',
      MicrosoftAppPassword: plant('teams'),
      MicrosoftAppTenantId: '66666666-7777-4888-8999-000000000000',
    },
  );
  onTestFinished(() => instance.close());
  const checked = await Promise.all([
    check({ part: 'tool', tool: 'tells' }),
    check({ part: 'tool', tool: 'web' }),
  ]);
  const text = JSON.stringify([await read(), checked]);
  expect(text).toContain('Last output: ');
  expect(planted.filter((secret) => text.includes(secret))).toEqual([]);
  expect(text).not.toContain(database.url);
});

it('a stored model key that cannot be read leaves the instance without a model', async () => {
  const before = await open({});
  const { db } = before.instance;
  await storeModelAccess(
    db,
    createSeal(Buffer.alloc(32, 1)),
    { OPENAI_API_KEY: 'sk-1' },
    person('ana', 'console'),
  );
  await before.instance.close();
  const { instance, read, connectModel } = await open({});
  onTestFinished(() => instance.close());
  onTestFinished(async () => void (await removeModelAccess(instance.db, person('ana', 'console'))));
  expect((await read()).models.connected).toBeNull();
  await expect(
    connectModel({ base_url: 'http://127.0.0.1:9/v1' }, person('ana', 'console')),
  ).rejects.toMatchObject({
    code: 'invalid_request',
    message: expect.stringContaining('COUNTERSIGN_ENCRYPTION_KEY'),
  });
});

describe('a model that is connected', () => {
  const sealed = { COUNTERSIGN_ENCRYPTION_KEY: Buffer.alloc(32, 1).toString('base64') };

  async function refuseAll() {
    const asked: string[] = [];
    const server = createServer((request, response) => {
      asked.push(request.url ?? '');
      response.writeHead(403, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ error: { message: 'Told by what is inside.' } }));
    });
    const { url, close } = await listenOnLoopback(server);
    onTestFinished(close);
    return { url, asked };
  }

  it('is tested by the interface that the process will use', async () => {
    const { url, asked } = await refuseAll();
    const { instance, connectModel } = await open({}, { OPENAI_API: 'responses', ...sealed });
    onTestFinished(() => instance.close());
    await connectModel({ base_url: `${url}/v1` }, person('ana', 'console'));
    expect(asked).toContain('/v1/responses');
    expect(asked).not.toContain('/v1/chat/completions');
  });

  it.each(['http://169.254.169.254/v1', 'http://[fe80::1]:11434/v1', 'http://[::ffff:a9fe:a9fe]/'])(
    'is never looked for at a link-local address such as %s',
    async (base_url) => {
      const { instance, connectModel } = await open({}, sealed);
      onTestFinished(() => instance.close());
      await expect(connectModel({ base_url }, person('ana', 'console'))).rejects.toMatchObject({
        code: 'address_not_allowed',
      });
    },
  );
});
