// What the settings tell of an instance: how its parts are, and never a secret.
import pino from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSettingsFacts, type SettingsFacts } from '#app/settings-facts.ts';
import { SettingsView } from '#domain/settings-view.ts';
import { useDatabase } from '../../setup/database.ts';
import { openTestInstance, type TestInstance } from '../../setup/instance.ts';

const database = useDatabase();
const opened: TestInstance[] = [];
afterAll(() => Promise.all(opened.map((instance) => instance.close())));

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
  opened.push(instance);
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
      calendars: { team: 'https://calendar.example.com/private-1a2b3c/team.ics', own: 'own.ics' },
    });
    await facts.check({ part: 'tool', tool: 'all' });
    view = await facts.read();
  });

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

  it('say that no model is connected, and show calendars without their addresses', () => {
    expect(view.models.connected).toBeNull();
    expect(view.running.calendars).toEqual([
      { name: 'team', kind: 'address' },
      { name: 'own', kind: 'file' },
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

it('shows no secret of the environment or the file, also where a server of tools repeats it', async () => {
  const planted: string[] = [];
  const plant = (name: string) => {
    const secret = `planted-${name}-4f9d2c71`;
    planted.push(secret);
    return secret;
  };
  // A program that says all it was given and stops, as some do when they are set up wrongly.
  const tellAll = 'console.error(process.argv.slice(2).join(" "), JSON.stringify(process.env))';
  const { read, check } = await open(
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
  const checked = await Promise.all([
    check({ part: 'tool', tool: 'tells' }),
    check({ part: 'tool', tool: 'web' }),
  ]);
  const text = JSON.stringify([await read(), checked]);
  expect(text).toContain('Last output: ');
  expect(planted.filter((secret) => text.includes(secret))).toEqual([]);
  expect(text).not.toContain(database.url);
});
