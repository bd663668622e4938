import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { declareAgent, fillManifest } from '#adapters/slack/manifest/main.ts';
import manifest from '../../../../manifest.json' with { type: 'json' };
import { readInstance } from '../../../codebase/modules.ts';
import { findFaults } from '../../../fixtures/slack/manifest-schema.ts';

const root = join(import.meta.dirname, '..', '..', '..', '..');
const main = join(root, 'adapters', 'slack', 'manifest', 'main.ts');

const at = (address: string) => ({ address, socket: false });
const nowhere = { address: null, socket: true };

/** By Slack's reference. */
const eventScopes: Record<string, string | null> = {
  app_home_opened: null,
  app_mention: 'app_mentions:read',
  app_uninstalled: null,
  link_shared: 'links:read',
  'message.channels': 'channels:history',
  'message.groups': 'groups:history',
  'message.im': 'im:history',
  'message.mpim': 'mpim:history',
  subteam_members_changed: 'usergroups:read',
  subteam_updated: 'usergroups:read',
  tokens_revoked: null,
};

/** A scope without an entry is superfluous; an entry without its scope fails in production. */
const uses: Record<string, string> = {
  'app_mentions:read': 'app_mention: asked in a channel',
  'channels:history': 'message.channels: replies in the thread of a plan; conversations.replies',
  'channels:read':
    'conversations.list, conversations.info, conversations.members: posting to a channel by name, where the requester is',
  'chat:write':
    'chat.postMessage, chat.update, chat.postEphemeral: cards and answers; assistant.threads.setStatus, agents.sessions.setStatus: what is being planned',
  commands: '/plans',
  'files:read': 'files.info: files that people attach, when a request needs them',
  'files:write': 'files.uploadV2: text that is too long for a message',
  'groups:history': 'message.groups: replies in the thread of a plan; conversations.replies',
  'groups:read':
    'conversations.list, conversations.info, conversations.members: the same in private channels',
  'im:history':
    'message.im: asked in a direct message; conversations.replies, conversations.history',
  'im:write': 'conversations.open: telling somebody alone what waits for them',
  'links:read': 'link_shared: links to plans in the console',
  'links:write': 'chat.unfurl: what such a link leads to',
  'mpim:history': 'message.mpim: replies in a group message; conversations.replies',
  'usergroups:read':
    'usergroups.list, usergroups.users.list: who is in a user group that approves; subteam_members_changed, subteam_updated',
  'users:read':
    "users.info: a person's name and time zone; users.list: posting to a person by name",
  'users:read.email':
    'users.info: the address by which a person is known elsewhere too; users.lookupByEmail: whom a card asks',
};

const free = /^(auth|apps|oauth|views)\.|^chat\.getPermalink$/;

function findMethods(source: string): string[] {
  const families =
    'agents\\.sessions|apps|assistant\\.threads|auth|chat|conversations|files|oauth|reactions|team|usergroups(?:\\.users)?|users|views';
  return [...source.matchAll(new RegExp(`\\.((?:${families})\\.\\w+)\\(`, 'g'))].map(
    ([, method = '']) => method,
  );
}

/** Slack refuses these for apps that are no agents, without consequences. */
const ofAgents = ['assistant.threads.setSuggestedPrompts'];

const explained = (method: string) =>
  free.test(method) ||
  ofAgents.includes(method) ||
  Object.values(uses).some((use) => use.includes(method));

describe("Slack's own schema", () => {
  const organisation = fillManifest(manifest, nowhere, true);
  test.each([
    ['as it stands', manifest],
    ['for an address', fillManifest(manifest, at('https://bot.example.com'))],
    ['for Socket Mode', fillManifest(manifest, nowhere)],
    ['for both', fillManifest(manifest, { address: 'https://bot.example.com', socket: true })],
    ['for an organisation', organisation],
    ['for an agent', declareAgent(manifest)],
  ])('takes the manifest %s', (_, filled) => {
    expect(findFaults(filled)).toEqual([]);
  });

  test('refuses a name of 36 characters, and a field that it does not know', () => {
    const broken = structuredClone(manifest);
    Object.assign(broken.display_information, { name: 'n'.repeat(36) });
    Object.assign(broken.settings, { shouting: true });
    const faults = findFaults(broken).join('\n');
    expect(faults).toContain('/display_information/name');
    expect(faults).toContain('/settings');
  });
});

describe('the scopes', () => {
  const { bot } = manifest.oauth_config.scopes;

  test('are those whose use is written down, and each is for an event, a command or a method that is called', () => {
    expect(bot).toEqual(Object.keys(uses).sort());
    const adapter = readInstance(root).filter(({ path }) => path.startsWith('adapters/slack/'));
    const called = adapter.flatMap((source) => findMethods(source.text));
    const { bot_events } = manifest.settings.event_subscriptions;
    const alive = [...called, ...bot_events, '/plans'];
    const unused = Object.entries(uses).filter(
      ([, use]) => !alive.some((one) => use.includes(one)),
    );
    expect(unused).toEqual([]);
  });

  test('let every event through that is subscribed to, and no event is missing', () => {
    const { bot_events } = manifest.settings.event_subscriptions;
    expect(bot_events).toEqual(Object.keys(eventScopes).sort());
    const asked = Object.values(eventScopes).filter((scope) => scope !== null);
    expect(asked.filter((scope) => !bot.includes(scope))).toEqual([]);
    for (const [event, scope] of Object.entries(eventScopes))
      if (scope !== null) expect(uses[scope]).toContain(event);
  });

  test('suffice for every method that the adapter calls', () => {
    const planted =
      "await client.chat.postMessage({}); await app.client.reactions.add({ name: 'eyes' });";
    expect(findMethods(planted)).toEqual(['chat.postMessage', 'reactions.add']);
    expect(findMethods(planted).filter((method) => !explained(method))).toEqual(['reactions.add']);
    const adapter = readInstance(root).filter(({ path }) => path.startsWith('adapters/slack/'));
    expect(adapter.length).toBeGreaterThan(0);
    const methods = adapter.flatMap((source) => findMethods(source.text));
    expect(methods.filter((method) => !explained(method))).toEqual([]);
  });

  test('read messages only where a conversation is read whose events we hear', () => {
    const histories = bot.filter((scope) => scope.endsWith(':history'));
    expect(histories.toSorted()).toEqual(
      Object.values(eventScopes)
        .filter((scope) => scope?.endsWith(':history') === true)
        .toSorted(),
    );
  });
});

describe('the manifest at the root', () => {
  test('lets people write to the bot, and opens its home', () => {
    expect(manifest.features.app_home).toEqual({
      home_tab_enabled: true,
      messages_tab_enabled: true,
      messages_tab_read_only_enabled: false,
    });
  });

  test('names every subcommand of /plans in its hint', () => {
    const [plans, ...more] = manifest.features.slash_commands;
    expect(more).toEqual([]);
    expect(plans?.command).toBe('/plans');
    for (const word of ['all', 'mine', 'running', 'stats', 'PLAN-', 'help'])
      expect(plans?.usage_hint).toContain(word);
  });

  test('is of Socket Mode as it stands, so that no placeholder is ever called', () => {
    expect(manifest.settings.socket_mode_enabled).toBe(true);
    const addresses = JSON.stringify(manifest).match(/https:\/\/[^/"]+/g);
    expect(new Set(addresses)).toEqual(new Set(['https://countersign.example.com']));
  });
});

describe('a manifest for an address', () => {
  test.each([
    ['https://bot.example.com', 'https://bot.example.com'],
    ['https://bot.example.com/', 'https://bot.example.com'],
    ['https://example.com:8443/countersign/', 'https://example.com:8443/countersign'],
  ])('sends everything of Slack to %s', (given, base) => {
    const { features, oauth_config, settings } = fillManifest(manifest, at(given));
    expect(features.slash_commands.map(({ url }) => url)).toEqual([`${base}/slack/events`]);
    expect(settings.event_subscriptions.request_url).toBe(`${base}/slack/events`);
    expect(settings.interactivity.request_url).toBe(`${base}/slack/events`);
    expect(oauth_config.redirect_urls).toEqual([`${base}/slack/oauth_redirect`]);
    expect(settings.socket_mode_enabled).toBe(false);
  });

  test('has none of the placeholders left', () => {
    const filled = fillManifest(manifest, at('https://bot.test'));
    expect(JSON.stringify(filled)).not.toContain('example.com');
  });

  test('changes nothing else, and not the one it was made from', () => {
    const before = structuredClone(manifest);
    const filled = fillManifest(manifest, at('https://countersign.example.com'));
    expect(manifest).toEqual(before);
    expect(filled).toEqual({
      ...before,
      settings: { ...before.settings, socket_mode_enabled: false },
    });
  });

  test.each([
    'http://bot.example.com',
    'bot.example.com',
    'https://',
    'https://bot.example.com/?a=b',
    'https://bot.example.com/#a',
    'https://ana@bot.example.com',
    '',
  ])('is refused for "%s"', (given) => {
    expect(() => fillManifest(manifest, at(given))).toThrow(
      /^--url: .*https:\/\/bot\.example\.com/,
    );
  });
});

test('a manifest for Socket Mode has no address at all', () => {
  const filled = fillManifest(manifest, nowhere);
  expect(JSON.stringify(filled)).not.toContain('https://');
  expect(filled.settings.socket_mode_enabled).toBe(true);
});

test('a manifest for Socket Mode at an address has that only for who adds the app to a workspace', () => {
  const filled = fillManifest(manifest, { address: 'https://bot.example.com', socket: true });
  expect(JSON.stringify(filled).match(/https:\/\/[^"]*/g)).toEqual([
    'https://bot.example.com/slack/oauth_redirect',
  ]);
  expect(filled.settings.socket_mode_enabled).toBe(true);
});

test('only a manifest for an organisation lets one install the app for all its workspaces', () => {
  const deploys = (organisation?: boolean) =>
    fillManifest(manifest, nowhere, organisation).settings.org_deploy_enabled;
  expect([manifest.settings.org_deploy_enabled, deploys(), deploys(true)]).toEqual([
    false,
    false,
    true,
  ]);
});

test('a manifest for an agent adds what Slack’s own Stop needs, and nothing else', () => {
  const agent = declareAgent(manifest);
  const added = (more: string[], less: string[]) => more.filter((one) => !less.includes(one));
  expect(added(agent.oauth_config.scopes.bot, manifest.oauth_config.scopes.bot)).toEqual([
    'assistant:write',
  ]);
  const { bot_events: events } = manifest.settings.event_subscriptions;
  expect(added(agent.settings.event_subscriptions.bot_events, events)).toEqual([
    'agent_session_stopped',
  ]);
});

describe('the command', () => {
  const run = (...args: string[]) => promisify(execFile)(process.execPath, [main, ...args]);

  test('prints the manifest and nothing else', async () => {
    const agent = declareAgent(manifest);
    expect(JSON.parse((await run()).stdout)).toEqual(fillManifest(agent, nowhere));
    const plain = await run('--plain');
    expect(JSON.parse(plain.stdout)).toEqual(fillManifest(manifest, nowhere));
    const { stdout } = await run('--url', 'https://bot.example.com');
    expect(JSON.parse(stdout)).toEqual(fillManifest(agent, at('https://bot.example.com')));
    const both = await run('--url', 'https://bot.example.com', '--socket', '--organisation');
    const way = { address: 'https://bot.example.com', socket: true };
    expect(JSON.parse(both.stdout)).toEqual(fillManifest(agent, way, true));
  });

  test('ends with 1 and one line when the address is none', async () => {
    const failed = run('--url', 'bot.example.com');
    await expect(failed).rejects.toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^slack:manifest: --url: .*\n$/),
    });
  });
});
