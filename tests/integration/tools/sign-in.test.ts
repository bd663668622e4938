// Signing in at hosted MCP servers through a real gateway.
import { createServer } from 'node:http';
import { sql } from 'drizzle-orm';
import pino from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { serve } from '#app/serve.ts';
import { agreeAt, type HostedServer, startHostedServer } from '../../fixtures/hosted-server.ts';
import { listenOnLoopback } from '../../fixtures/loopback.ts';
import { draftStep } from '../../fixtures/steps.ts';
import { useDatabase } from '../../setup/database.ts';
import { ana, openTestInstance, reach, runPlan, type TestInstance } from '../../setup/instance.ts';
import { toolContext } from '../../unit/tools/tool-bench.ts';
import { waitFor } from '../../wait.ts';

const database = useDatabase();
const key = 'a'.repeat(64);
let hosted: HostedServer;
let instances: TestInstance[];

beforeEach(async () => {
  hosted = await startHostedServer();
  instances = [];
});
afterEach(async () => {
  await Promise.all(instances.map((instance) => instance.close()));
  await hosted.close();
});

async function open(
  options: { work?: boolean; key?: string | null; allowPrivate?: string[] } = {},
): Promise<TestInstance> {
  const instance = await openTestInstance(database.url, {
    settings: {
      mcpServers: { hosted: { url: hosted.url } },
      executor: { backoff_seconds: 0 },
      http: { allowPrivate: options.allowPrivate ?? [] },
    },
    env: {
      PORT: '0',
      ...(options.key === null ? {} : { COUNTERSIGN_ENCRYPTION_KEY: options.key ?? key }),
    },
    work: options.work ?? false,
    awaitTools: false,
  });
  instances.push(instance);
  await instance.signIns?.forget('hosted');
  return instance;
}

const statusOf = ({ registry }: TestInstance) =>
  registry.status().find(({ tool }) => tool === 'hosted');

async function signIn({ signIns }: TestInstance): Promise<void> {
  if (signIns === null) throw new Error('there is nobody to sign in at');
  const how = { redirect: 'http://127.0.0.1:9/oauth/mcp/callback', browser: 'b', by: 'ana' };
  const { url } = await signIns.begin('hosted', { ...how, account: null, metadata: null });
  await signIns.finish((await agreeAt(url)).searchParams, 'b', async () => {});
}

const isUp = (instance: TestInstance) =>
  waitFor('the server to be connected', () => statusOf(instance)?.ok);

function note({ registry }: TestInstance, line: string) {
  const operation = registry.of(null).get('hosted_note');
  if (operation === undefined) throw new Error('the tool is not known');
  return operation.call({ line }, toolContext());
}

describe('a hosted server', () => {
  it('is signed in at by the browser that began, for every process, and its tokens are stored sealed', async () => {
    const gateway = await open();
    const other = await open();
    expect(statusOf(gateway)?.reason).toMatch(
      /^The MCP server hosted needs you to sign in: No one has signed in\. Open Settings → Tools .*countersign mcp login hosted/,
    );
    expect(statusOf(gateway)?.health?.sign_in).toBe('needed');
    const { app, port } = await serve(gateway, gateway.config, pino({ level: 'silent' }));
    try {
      const at = `http://127.0.0.1:${port}`;
      const path = `${at}/api/settings/tools/hosted/sign-in`;
      const json = { 'content-type': 'application/json' };
      const begun = await fetch(path, { method: 'POST', headers: json, body: '{}' });
      const cookie = begun.headers.get('set-cookie') ?? '';
      expect(cookie).toMatch(/HttpOnly; SameSite=Lax/);
      const { url } = (await begun.json()) as { url: string };
      const back = await agreeAt(url);
      const stranger = await fetch(back, { redirect: 'manual' });
      expect(stranger.status).toBe(403);
      expect(statusOf(gateway)?.ok).toBe(false);
      // The stranger's return has used up the state.
      const begunAgain = await fetch(path, { method: 'POST', headers: json, body: '{}' });
      const own = (begunAgain.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
      const again = await agreeAt(((await begunAgain.json()) as { url: string }).url);
      const done = await fetch(again, { redirect: 'manual', headers: { cookie: own } });
      expect([done.status, done.headers.get('location')]).toEqual([303, '/?settings=tools']);
      const twice = await fetch(again, { redirect: 'manual', headers: { cookie: own } });
      expect(twice.status).toBe(403);
      await isUp(gateway);
      await isUp(other);
      expect(statusOf(other)?.health?.sign_in).toBe('done');
      expect(await note(other, 'one')).toMatchObject({ summary: 'Noted one.' });
      const { rows } = await gateway.db.query.execute(
        sql`select sealed, signed_in_by from countersign.mcp_sign_ins`,
      );
      expect(JSON.stringify(rows)).not.toMatch(/access_token/);
      await fetch(path, { method: 'DELETE' });
      await waitFor('the sign-out', () => statusOf(other)?.health?.sign_in === 'needed');
    } finally {
      await app.close();
    }
  });

  it('is not signed in at where nothing could be kept', async () => {
    const instance = await open({ key: null });
    await expect(signIn(instance)).rejects.toThrow(/Set COUNTERSIGN_ENCRYPTION_KEY/);
  });
});

describe('a private address that a hosted server names', () => {
  let asked: string[];
  let other: { url: string; close(): Promise<void> };
  beforeEach(async () => {
    asked = [];
    other = await listenOnLoopback(
      createServer((request, response) => {
        asked.push(request.url ?? '');
        response.writeHead(404).end();
      }),
    );
  });
  afterEach(() => other.close());

  it('is not asked for metadata, unless http.allowPrivate lists it', async () => {
    hosted.names = { authorization: other.url };
    const refused = /127\.0\.0\.1 is a private or local address.*http\.allowPrivate/;
    await expect(signIn(await open())).rejects.toThrow(refused);
    expect(asked).toEqual([]);
    await expect(signIn(await open({ allowPrivate: ['127.0.0.0/8'] }))).rejects.toThrow();
    expect(asked).toContain('/.well-known/oauth-authorization-server');
  });

  it('is not asked for tokens', async () => {
    const instance = await open();
    hosted.names = { token: other.url };
    await expect(signIn(instance)).rejects.toThrow(/is a private or local address/);
    hosted.names = {};
    await signIn(instance);
    await isUp(instance);
    hosted.names = { token: other.url };
    hosted.expire();
    await expect(note(instance, 'one')).rejects.toThrow(
      /could not be renewed \(127\.0\.0\.1 is a private or local address/,
    );
    expect(asked).toEqual([]);
  });
});

describe('an access token that has ended', () => {
  it('is refreshed once when two processes notice at once, and nothing is lost', async () => {
    const [one, two] = [await open(), await open()];
    await signIn(one);
    await isUp(one);
    await isUp(two);
    for (const round of [1, 2, 3]) {
      hosted.expire();
      const done = await Promise.all([
        note(one, `a${round}`),
        note(two, `b${round}`),
        note(two, 'c'),
      ]);
      expect(done).toHaveLength(3);
      expect([hosted.refreshed, hosted.reused]).toEqual([round, 0]);
    }
    expect(hosted.notes).toHaveLength(9);
  });
});

describe('a plan whose server ends the sign-in', () => {
  const plan = {
    title: 'Note two lines',
    steps: ['first', 'second'].map((line, index) => ({
      ...draftStep(String(index + 1), `Note ${line}`, 'hosted_note', { line }),
      ...(index === 0 ? {} : { depends_on: ['1'] }),
    })),
  };

  it('waits before the call that was refused, says who has to do what, and goes on after the sign-in', async () => {
    const instance = await open({ work: true });
    await signIn(instance);
    await isUp(instance);
    hosted.afterNote = hosted.revoke;
    const { id } = await runPlan(instance, plan, ana);
    const blocked = await waitFor('the plan to say what it waits for', async () => {
      const { blocked } = await instance.service.overview(id);
      return blocked.some(({ reason }) => reason.includes('sign in')) ? blocked : null;
    });
    expect(blocked[0]?.reason).toMatch(
      /the MCP server hosted needs someone to sign in\. The sign-in is no longer accepted\. .*`countersign mcp login hosted`/,
    );
    expect(hosted.notes).toEqual(['first']);
    hosted.afterNote = () => undefined;
    expect((await instance.service.getPlan(id)).status).toBe('executing');
    await signIn(instance);
    await reach(instance, id, 'completed');
    expect(hosted.notes).toEqual(['first', 'second']);
  });

  it('waits for more rights where the server asks for them, and the next sign-in asks for these', async () => {
    const instance = await open({ work: true });
    await signIn(instance);
    await isUp(instance);
    hosted.scope = 'notes:write';
    await expect(note(instance, 'x')).rejects.toMatchObject({
      code: 'tool_unavailable',
      details: { outcome: 'none' },
      message: expect.stringContaining('asks for the rights “notes:write”'),
    });
    expect(statusOf(instance)?.health?.sign_in).toBe('needed');
    await signIn(instance);
    await isUp(instance);
    expect(await note(instance, 'x')).toMatchObject({ summary: 'Noted x.' });
  });
});
