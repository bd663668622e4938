import { mkdtempSync, rmSync, unwatchFile, watchFile, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadConfig } from '#app/config.ts';
import { followRules, readRulesAgain } from '#app/follow-rules.ts';
import { logOptions } from '#app/logging.ts';
import { createScrub } from '#app/secrets.ts';
import { waitFor } from '../../wait.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'countersign-config-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const v = (name: string) => `\${${name}}`;

function load(file: unknown, variables: Record<string, string> = {}) {
  const path = join(folder, 'countersign.json');
  writeFileSync(path, JSON.stringify(file));
  return loadConfig({ COUNTERSIGN_HOME: folder, ...variables }, folder);
}

it.each([
  ['UTF-8 with a mark', Buffer.from('\ufeff{"calendars":{"büro":"a.ics"}}\r\n')],
  [
    'UTF-16 as PowerShell writes it',
    Buffer.from('\ufeff{"calendars":{"büro":"a.ics"}}', 'utf16le'),
  ],
  ['Latin-1', Buffer.from('{"calendars":{"büro":"a.ics"}}', 'latin1')],
])('countersign.json may be in %s', (_, bytes) => {
  writeFileSync(join(folder, 'countersign.json'), bytes);
  const { settings } = loadConfig({ COUNTERSIGN_HOME: folder }, folder);
  expect(settings.calendars).toEqual({ büro: { at: 'a.ics' } });
});

describe('a variable in countersign.json', () => {
  it('is filled in wherever a text stands, and is a secret from then on', () => {
    const config = load(
      {
        mcpServers: {
          web: {
            url: `https://${v('SITE')}/mcp`,
            headers: { authorization: `Bearer ${v('TOKEN')}`, plain: `$${v('TOKEN')}` },
          },
          own: {
            command: `${v('PROGRAM:-node')}`,
            args: ['--key', `${v('env:TOKEN')}`],
            cwd: `${v('HERE:-')}`,
          },
        },
        calendars: { team: `https://calendar.example.com/${v('TOKEN')}.ics` },
      },
      { TOKEN: 'planted-4f9d2c71', SITE: 'tickets.example.com' },
    );
    const { web, own } = config.settings.mcpServers;
    expect(web).toMatchObject({
      url: 'https://tickets.example.com/mcp',
      headers: { authorization: 'Bearer planted-4f9d2c71', plain: `${v('TOKEN')}` },
    });
    expect(own).toMatchObject({ command: 'node', args: ['--key', 'planted-4f9d2c71'], cwd: '' });
    expect(config.settings.calendars.team?.at).toContain('/planted-4f9d2c71.ics');
    expect(config.secrets).toEqual(['tickets.example.com', 'planted-4f9d2c71']);
  });

  it('that is not set or empty stops the start with its key and its name', () => {
    const file = {
      mcpServers: { web: { url: 'https://x.example', headers: { a: `${v('TOKEN')}` } } },
    };
    for (const variables of [{}, { TOKEN: '' }])
      expect(() => load(file, variables)).toThrow(
        /mcpServers\.web\.headers\.a: the variable TOKEN is not set\. Set it, or write \$\{TOKEN:-default\}\./,
      );
  });

  it('needs no value where its server is switched off', () => {
    const server = { url: `${v('SITE')}/mcp`, headers: { a: `${v('TOKEN')}` }, disabled: true };
    expect(load({ mcpServers: { web: server } }).settings.mcpServers.web?.disabled).toBe(true);
  });

  it('of another kind is refused with what to write instead', () => {
    expect(() => load({ calendars: { a: `${v('input:api-key')}` } })).toThrow(
      /calendars\.a: \$\{input:api-key\} is not a variable of the environment\. Write \$\{NAME\}/,
    );
  });

  it('is shown neither in an error about the file nor in a line of the log', () => {
    const TOKEN = 'planted"4f9d2c71';
    const wrong = { mcpServers: { web: { command: 'x', url: `https://${v('TOKEN')}` } } };
    expect(() => load(wrong, { TOKEN })).toThrow(/^(?!.*4f9d2c71)/s);
    const lines: string[] = [];
    const log = pino(logOptions('info', createScrub([TOKEN])), {
      write: (line: string) => lines.push(line),
    });
    log.warn({ about: { said: `no ${TOKEN}` } }, `denied ${TOKEN}`);
    expect(lines.join('')).toContain('denied …');
    expect(lines.join('')).not.toContain('4f9d2c71');
  });
});

describe('a webhook', () => {
  const webhook = { url: 'https://x.example/hook', secret: 'a-secret-of-24-characters' };

  it.each([
    [{ headers: { authorization: `Bearer ${v('TOKEN')}` } }, /headers\.authorization: has a line/],
    [{ headers: { 'two words': 'x' } }, /two words/],
    [{ url: `https://ana:${v('WORD')}@x.example` }, /url: has a user name or password in it/],
  ])(
    'that could never be sent stops the start, and its secrets are not shown %#',
    (part, reason) => {
      const file = { webhooks: [{ ...webhook, ...part }] };
      const start = () => load(file, { TOKEN: 'planted\n4f9d2c71', WORD: '4f9d2c71' });
      expect(start).toThrow(reason);
      expect(start).toThrow(/^(?!.*4f9d2c71)/s);
    },
  );
});

describe('an MCP server that was copied from another client', () => {
  const read = (entry: object, variables: Record<string, string> = {}) => {
    const { settings, settingsFile } = load({ mcpServers: { web: entry } }, variables);
    return { server: settings.mcpServers.web, settings, warnings: settingsFile.warnings };
  };

  it.each([
    ['Claude Desktop', { command: 'npx', args: ['-y', 'x'], env: { A: 'b' } }, { command: 'npx' }],
    ['Cursor', { url: 'https://x.example/mcp', type: 'streamable-http' }, { type: 'http' }],
    ['Windsurf', { serverUrl: 'https://x.example/mcp' }, { url: 'https://x.example/mcp' }],
    ['Gemini', { httpUrl: 'https://x.example/mcp' }, { url: 'https://x.example/mcp' }],
    ['an old server', { url: 'https://x.example/sse', transport: 'sse' }, { type: 'sse' }],
    ['Codex', { command: 'x', enabled: false, tool_timeout_sec: 30 }, { timeout_ms: 30_000 }],
    [
      'Claude Code',
      { url: 'https://x.example/mcp', oauth: { clientId: 'a', scopes: ['b', 'c'] } },
      { oauth: { client_id: 'a', scope: 'b c' } },
    ],
  ])('(%s) is understood without a warning', (_, entry, expected) => {
    const { server, warnings } = read(entry);
    expect(server).toMatchObject(expected);
    expect(warnings).toEqual([]);
  });

  it('takes a token from the variable that Codex names', () => {
    const entry = { url: 'https://x.example/mcp', bearer_token_env_var: 'TOKEN' };
    const { server } = read(entry, { TOKEN: 'abcdef' });
    expect(server?.headers).toEqual({ authorization: 'Bearer abcdef' });
  });

  it('warns of keys that are not known, by key and server, and never refuses them', () => {
    const { server, warnings } = read({ command: 'x', timeout: 60, icon: 'a.png' });
    expect(server?.timeout_ms).toBe(60_000);
    expect(warnings).toEqual([
      expect.stringMatching(/^mcpServers\.web\.timeout is ignored.*"timeout_ms" in milliseconds/),
      'mcpServers.web.icon is not known here and is ignored.',
    ]);
  });

  it.each(['autoApprove', 'alwaysAllow', 'trust'])('never lets %s weaken the review', (key) => {
    const { server, warnings } = read({ command: 'x', [key]: ['delete_all'] });
    expect(server).toMatchObject({ trusted: false, effects: {} });
    expect(warnings).toEqual([
      `mcpServers.web.${key} is ignored: here, a call that changes something runs only in a plan that a person has approved.`,
    ]);
  });

  it('keeps tools switched off that the other client has switched off', () => {
    const { settings } = read({ command: 'x', disabled_tools: ['purge'] });
    expect(settings.disabledTools).toEqual(['web_purge']);
  });

  it('may stand under the key of its client, and be named as it likes where that is unambiguous', () => {
    const { settings, settingsFile } = load({
      servers: { 'my files/v2.0': { command: 'x' } },
      inputs: [],
    });
    expect(Object.keys(settings.mcpServers)).toEqual(['my-files-v2-0']);
    expect(settingsFile.warnings).toEqual([
      '"servers" is read as "mcpServers".',
      expect.stringMatching(/^"inputs" is ignored/),
      'mcpServers: the server "my files/v2.0" is called my-files-v2-0 here; its operations begin with my-files-v2-0_.',
    ]);
    expect(() => load({ mcpServers: { a_b: { command: 'x' }, 'a b': { command: 'y' } } })).toThrow(
      /"a_b" and "a b" would both be called a-b\. Rename one of them\./,
    );
  });

  it('does not make the rest of the file less strict', () => {
    expect(() => load({ mcpServers: {}, approvrs: [] })).toThrow(/approvrs/);
  });
});

describe('rules that are read again', () => {
  const rules = {
    approvers: ['ana'],
    guardedTools: ['workspace_delete'],
    identity: { blocked: ['mallory@example.com'] },
    delegates: { ana: ['ben'] },
  };

  it('hold when the file is away, as while another takes its place', () => {
    const config = load(rules);
    rmSync(config.settingsFile.path);
    expect(() => readRulesAgain(config)).toThrow(
      expect.objectContaining({ code: 'invalid_configuration' }),
    );
    expect(config.settings).toMatchObject(rules);
    load({ ...rules, approvers: ['cleo'] });
    readRulesAgain(config);
    expect(config.settings.approvers).toEqual(['cleo']);
  });

  it('say nothing of a file that was never there, and are read when it comes', async () => {
    const config = loadConfig({}, folder);
    const news: string[] = [];
    const stop = followRules(config, {
      info: (text) => void news.push(text),
      warn: (text) => void news.push(text),
    });
    const looked = Promise.withResolvers<void>();
    // Every listener hears of a missing file once.
    watchFile(config.settingsFile.path, () => looked.resolve());
    try {
      await looked.promise;
      load(rules);
      await waitFor('the rules', () => config.settings.approvers.length > 0);
      expect(news).toEqual([expect.stringContaining('has changed')]);
    } finally {
      stop();
      unwatchFile(config.settingsFile.path);
    }
  });

  it('name delegates too, in the record that everybody holds', () => {
    const config = load(rules);
    const { delegates } = config.settings;
    load({ ...rules, delegates: { ana: ['cleo'] } });
    readRulesAgain(config);
    expect(delegates).toEqual({ ana: ['cleo'] });
    load({ ...rules, delegates: {} });
    readRulesAgain(config);
    expect(delegates).toEqual({});
  });
});
