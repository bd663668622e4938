import { describe, expect, test } from 'vitest';
import { chooseWay } from '#adapters/slack/manifest/main.ts';
import { loadConfig } from '#app/config.ts';
import { createLinks } from '#app/links.ts';

const token = 'a-token-of-sixteen';
const load = (variables: Record<string, string>) => loadConfig(variables, '/nowhere');

describe('COUNTERSIGN_PUBLIC_URL', () => {
  test.each([
    ['https://bot.example.com', 'https://bot.example.com'],
    ['https://bot.example.com/', 'https://bot.example.com'],
    ['https://example.com:8443/countersign/', 'https://example.com:8443/countersign'],
    ['HTTPS://Bot.Example.com', 'https://bot.example.com'],
    ['http://localhost:3978', 'http://localhost:3978'],
    ['http://127.0.0.1:3978', 'http://127.0.0.1:3978'],
    ['http://[::1]:3978', 'http://[::1]:3978'],
  ])('%s is taken as %s', (text, url) => {
    expect(load({ COUNTERSIGN_PUBLIC_URL: text }).env.COUNTERSIGN_PUBLIC_URL).toBe(url);
  });

  test.each([
    'bot.example.com',
    'http://bot.example.com',
    'http://127.0.0.1.example.com',
    'ftp://bot.example.com',
    'javascript:alert(1)',
    'https://ana:secret@bot.example.com',
    'https://bot.example.com/?plan=1',
    'https://bot.example.com/#plan',
    'https://bot.example.com/?',
    'https://',
  ])('%s is refused in one sentence', (text) => {
    expect(() => load({ COUNTERSIGN_PUBLIC_URL: text })).toThrow(
      /^COUNTERSIGN_PUBLIC_URL: must be an address such as https:\/\/bot\.example\.com: https \(or http on this machine\), with nothing after its path$/,
    );
  });
});

describe('A link to a plan', () => {
  const links = (variables: Record<string, string>) => {
    const { linkTo, chatLinkTo } = createLinks(
      load({ COUNTERSIGN_API_TOKEN: token, ...variables }),
      () => 'http://127.0.0.1:3978',
    );
    return [linkTo('PLAN-1'), chatLinkTo('PLAN-1')];
  };
  const here = 'http://127.0.0.1:3978/?plan=PLAN-1';

  test('leads to the public address, everywhere', () => {
    const there = 'https://example.com/countersign/?plan=PLAN-1';
    expect(links({ COUNTERSIGN_PUBLIC_URL: 'https://example.com/countersign/' })).toEqual([
      there,
      there,
    ]);
  });

  test.each(['127.0.0.1', 'localhost', '::1', '127.0.0.2', '0.0.0.0', '::'])(
    'is left out in chats, and there at the machine, where the server listens on %s',
    (HOST) => {
      expect(links({ HOST })).toEqual([here, null]);
    },
  );

  test('leads to the server where that has a name of its own', () => {
    expect(links({ HOST: 'bot.internal' })).toEqual([here, here]);
  });
});

describe("The manifest of Slack's app", () => {
  const set = { COUNTERSIGN_PUBLIC_URL: 'https://bot.example.com' };

  const own = 'https://bot.example.com';
  const other = 'https://other.example.com';
  const token = { SLACK_APP_TOKEN: 'xapp-1' };

  test.each([
    ['the address that was given', { url: other }, set, { address: other, socket: false }],
    ['the address that is set', {}, set, { address: own, socket: false }],
    ['Socket Mode where asked for', { socket: true }, set, { address: own, socket: true }],
    ['both when asked for', { socket: true, url: other }, set, { address: other, socket: true }],
    ['Socket Mode with its token', {}, { ...set, ...token }, { address: own, socket: true }],
    ['an address before the token', { url: other }, token, { address: other, socket: false }],
    ['Socket Mode where nothing is set', {}, {}, { address: null, socket: true }],
    [
      'Socket Mode where Slack cannot call',
      {},
      { COUNTERSIGN_PUBLIC_URL: 'http://localhost:1' },
      { address: null, socket: true },
    ],
  ])('is for %s', (_, options, env, way) => {
    expect(chooseWay(options, env)).toEqual(way);
  });
});
