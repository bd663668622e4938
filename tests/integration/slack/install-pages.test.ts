// Installation in a browser: one answer, in time, same browser.
import { sql } from 'drizzle-orm';
import Fastify from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import { registerInstall } from '#adapters/slack/install/routes.ts';
import { createSlackLogger } from '#adapters/slack/slack-logger.ts';
import { createSlackInstallations } from '#chat/slack-installations.ts';
import { openDatabase } from '#db/database.ts';
import { createSeal } from '#db/seal.ts';
import manifest from '../../../manifest.json' with { type: 'json' };
import { add, begin, comeBack } from '../../fixtures/slack/browser.ts';
import { createManualClock } from '../../fixtures/slack/clock.ts';
import { startSlack } from '../../fixtures/slack/double.ts';
import { useDatabase } from '../../setup/database.ts';
import { addPlace, stateSecret } from './install-instance.ts';

const database = useDatabase();

async function usePages(changes: { clientSecret?: string; allowed?: string[] } = {}) {
  const slack = await startSlack();
  const clock = createManualClock(Date.parse('2026-11-20T09:00:00Z'));
  const db = openDatabase(database.url, {
    max: 4,
    applicationName: 'install pages',
    onError: () => {},
  });
  await db.query.execute(
    sql`truncate countersign.slack_installations, countersign.slack_oauth_states`,
  );
  const said: string[] = [];
  const warn = (message: string) => said.push(message);
  const now = () => new Date(clock.now());
  const installations = createSlackInstallations({
    db,
    enqueueAll: () => Promise.reject(new Error('Nothing waits here.')),
    seal: createSeal(Buffer.alloc(32, 1)),
    clock: { now },
    installAt: '/slack/install',
  });
  const app = Fastify();
  const { clientId, clientSecret } = slack.app;
  registerInstall(app, {
    workspaces: {
      kind: 'many',
      clientId,
      clientSecret,
      stateSecret,
      encryptionKey: Buffer.alloc(32, 1),
      installAt: '/slack/install',
      allowed: null,
      ...changes,
    },
    apiUrl: slack.apiUrl,
    installations,
    clock: { now },
    logger: createSlackLogger(warn),
    warn,
  });
  const home = await app.listen({ host: '127.0.0.1', port: 0 });
  onTestFinished(async () => {
    await app.close();
    await db.close();
    await slack.end();
  });
  slack.app.redirectUrls = [`${home}/slack/oauth_redirect`];
  const globex = addPlace(slack, 'Globex & <b>Sons</b>');
  const consent = async () => {
    const { asked, cookie } = await begin(home);
    return { cookie, back: await slack.consent(asked, { user: globex.user.id, allow: true }) };
  };
  const kept = () => installations.read(globex.workspace.id);
  return { slack, clock, home, said, globex, consent, kept };
}

test('the first page leads to Slack with the scopes of the manifest and a cookie for this browser alone', async () => {
  const { home, slack } = await usePages();
  const response = await fetch(`${home}/slack/install`, { redirect: 'manual' });
  expect(response.status).toBe(302);
  const asked = new URL(response.headers.get('location') ?? '');
  expect(`${asked.origin}${asked.pathname}`).toBe(slack.authorizeUrl);
  expect(asked.searchParams.get('scope')?.split(',')).toEqual(manifest.oauth_config.scopes.bot);
  const cookie = response.headers.get('set-cookie') ?? '';
  for (const part of [/; Secure/, /; HttpOnly/, /; Max-Age=600/]) expect(cookie).toMatch(part);
  expect(cookie).toContain(`=${asked.searchParams.get('state')};`);
  expect(response.headers.get('cache-control')).toBe('no-store');
});

test('the last page names the workspace, opens Slack there, loads nothing and takes the cookie back', async () => {
  const { slack, home, globex, kept } = await usePages();
  const { status, headers, text } = await add({ slack, home }, globex.user);
  expect(status).toBe(200);
  expect(text).toContain('Countersign was added to Globex &amp; &lt;b&gt;Sons&lt;/b&gt;');
  expect(text).toContain(`href="slack://app?team=${globex.workspace.id}&amp;id=${slack.app.id}"`);
  expect(text).not.toMatch(/<script|src=|url\(/);
  expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'sha256-/);
  expect(headers.get('cache-control')).toBe('no-store');
  expect(headers.get('set-cookie')).toMatch(/slack-app-oauth-state=deleted;.*1970/);
  expect(await kept()).toMatchObject({
    owner: globex.workspace.id,
    generation: 1,
    installed_by: globex.user.id,
    token: slack.installation(globex.workspace.id)?.token,
    scopes: manifest.oauth_config.scopes.bot,
  });
});

test('who cancels in Slack reads so, and nothing is kept', async () => {
  const { slack, home, globex, said, kept } = await usePages();
  const { status, text } = await add({ slack, home }, globex.user, false);
  expect([status, text]).toEqual([200, expect.stringContaining('You cancelled in Slack.')]);
  expect(text).toContain('href="install"');
  expect(await kept()).toBeNull();
  expect(said).toEqual([]);
});

test('what comes back to another browser, or to one without cookies, is not taken', async () => {
  const { home, consent, kept, slack } = await usePages();
  const { back, cookie } = await consent();
  const { cookie: foreign } = await begin(home);
  for (const other of [foreign, '', cookie.replace(/=.*/, '=made-up')]) {
    const { status, text } = await comeBack(back, other);
    expect([status, text]).toEqual([400, expect.stringContaining('started in another browser')]);
  }
  expect(slack.calls.map(({ method }) => method)).not.toContain('oauth.v2.access');
  expect(await kept()).toBeNull();
  expect((await comeBack(back, cookie)).status).toBe(200);
});

test('a state that was made up is not taken, though the cookie says the same', async () => {
  const { home, consent, kept } = await usePages();
  const { back, cookie } = await consent();
  const url = new URL(back);
  const state = url.searchParams.get('state') ?? '';
  const [issued = '', id = '', signature = ''] = state.split('.');
  const later = (Number.parseInt(issued, 36) + 1000).toString(36);
  for (const forged of [
    `${later}.${id}.${signature}`,
    `${issued}.${id}x.${signature}`,
    `${issued}.${id}.`,
    `${issued}.${id}`,
    `${issued}.${id}.${signature.slice(0, -2)}`,
    'x',
  ]) {
    url.searchParams.set('state', forged);
    const { status } = await comeBack(url.href, cookie.replace(/=.*/, `=${forged}`));
    expect([forged, status]).toEqual([forged, 400]);
  }
  url.searchParams.delete('state');
  expect((await comeBack(url.href, cookie)).status).toBe(400);
  expect((await comeBack(`${home}/slack/oauth_redirect`, cookie)).status).toBe(400);
  expect(await kept()).toBeNull();
});

test('the same page opened again installs nothing again', async () => {
  const { consent, kept, slack } = await usePages();
  const { back, cookie } = await consent();
  const both = await Promise.all([comeBack(back, cookie), comeBack(back, cookie)]);
  expect(both.map(({ status }) => status).sort()).toEqual([200, 400]);
  const { status, text } = await comeBack(back, cookie);
  expect([status, text]).toEqual([400, expect.stringContaining('link was already used')]);
  expect(await kept()).toMatchObject({ generation: 1 });
  expect(slack.calls.filter(({ method }) => method === 'oauth.v2.access')).toHaveLength(1);
});

test('ten minutes are enough, and a millisecond more is too much', async () => {
  const { clock, consent, kept } = await usePages();
  const first = await consent();
  clock.advance(600_000);
  expect((await comeBack(first.back, first.cookie)).status).toBe(200);
  const second = await consent();
  clock.advance(600_001);
  const { status, text } = await comeBack(second.back, second.cookie);
  expect([status, text]).toEqual([400, expect.stringContaining('expired after ten minutes')]);
  expect(await kept()).toMatchObject({ generation: 1 });
});

test.each([
  [{ clientSecret: 'the-secret-of-another' }, /SLACK_CLIENT_SECRET doesn’t match the Slack app/],
])(
  'with the wrong secret the person is told little and the operator what to mend',
  async (changes, why) => {
    const { slack, home, globex, said, kept } = await usePages(changes);
    const { status, text } = await add({ slack, home }, globex.user);
    expect([status, text]).toEqual([502, expect.stringContaining('log says what to fix')]);
    expect(said).toEqual([expect.stringMatching(why)]);
    expect(text + said.join('')).not.toContain('the-secret-of-another');
    expect(await kept()).toBeNull();
  },
);

test('scopes that Slack did not grant are named, and the installation is kept', async () => {
  const { slack, home, globex, kept } = await usePages();
  const { asked, cookie } = await begin(home);
  const less = new URL(asked);
  less.searchParams.set('scope', 'chat:write,users:read');
  const back = await slack.consent(less.href, { user: globex.user.id, allow: true });
  const { status, text } = await comeBack(back, cookie);
  expect(status).toBe(200);
  expect(text).toContain('Slack didn&#39;t grant');
  expect(text).toContain('im:history');
  expect(text).not.toContain('chat:write');
  expect(await kept()).toMatchObject({ scopes: ['chat:write', 'users:read'] });
});

test('a workspace that is not among those that may is not kept, and its token is given back', async () => {
  const { slack, home, globex, said, kept } = await usePages({ allowed: ['T0OTHER'] });
  const { status, text } = await add({ slack, home }, globex.user);
  expect([status, text]).toEqual([403, expect.stringContaining('serve your workspace')]);
  expect([await kept(), slack.installation(globex.workspace.id), said]).toEqual([
    null,
    undefined,
    [],
  ]);
  const { home: other, ...rest } = await usePages({ allowed: [globex.workspace.id] });
  expect((await add({ slack: rest.slack, home: other }, rest.globex.user)).status).toBe(200);
});

test('while Slack does not answer, the person is asked to begin again later', async () => {
  const { slack, home, globex, said, kept } = await usePages();
  slack.fail('oauth.v2.access', { hangUp: 'before' });
  const { status, text } = await add({ slack, home }, globex.user);
  expect([status, text]).toEqual([503, expect.stringContaining('Start again in a minute.')]);
  expect(said).toHaveLength(1);
  expect(await kept()).toBeNull();
  expect((await add({ slack, home }, globex.user)).status).toBe(200);
});

test('an address comes back thirty times a minute; one time more Slack is not asked, and a minute later it is', async () => {
  const { slack, home, clock, consent, kept } = await usePages();
  const { back, cookie } = await consent();
  for (let count = 0; count < 30; count++) {
    const { asked, cookie: own } = await begin(home);
    const state = new URL(asked).searchParams.get('state') ?? '';
    const made = `${home}/slack/oauth_redirect?code=made-up&state=${encodeURIComponent(state)}`;
    expect((await comeBack(made, own)).status).toBe(400);
  }
  const exchanged = () => slack.calls.filter(({ method }) => method === 'oauth.v2.access').length;
  const { status, text } = await comeBack(back, cookie);
  expect([status, text]).toEqual([429, expect.stringContaining('Reload this page')]);
  clock.advance(59_999);
  expect((await comeBack(back, cookie)).status).toBe(429);
  expect([exchanged(), await kept()]).toEqual([30, null]);
  clock.advance(1);
  expect((await comeBack(back, cookie)).status).toBe(200);
});
