// Settings → Access for signed-in people, with a real provider.
import type { FastifyInstance } from 'fastify';
import pino from 'pino';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { serve } from '#app/serve.ts';
import { freePort, type OpenIdDouble, startOpenId } from '../fixtures/open-id.ts';
import { expectAccessibleOnce } from '../setup/axe.ts';
import { openContext } from '../setup/chromium.ts';
import { useDatabase } from '../setup/database.ts';
import { openTestInstance, type TestInstance } from '../setup/instance.ts';

const database = useDatabase();
let openId: OpenIdDouble;
let instance: TestInstance;
let app: FastifyInstance;
let site: string;

beforeAll(async () => {
  const port = await freePort();
  site = `http://127.0.0.1:${port}`;
  openId = await startOpenId([`${site}/sign-in/corp/callback`]);
  instance = await openTestInstance(database.url, {
    work: false,
    settings: {
      identity: { providers: { corp: { ...openId.provider, allowed_domains: ['corp.example'] } } },
    },
    env: { COUNTERSIGN_PUBLIC_URL: site, PORT: String(port) },
  });
  app = (await serve(instance, instance.config, pino({ level: 'silent' }))).app;
});
afterAll(async () => {
  await app?.close();
  await instance?.close();
  await openId?.close();
});

const callWith = (token: string) =>
  fetch(`${site}/api/me`, { headers: { authorization: `Bearer ${token}` } });

it('makes a token that works until it is revoked, and signs its owner out', async () => {
  openId.expect({ sub: 'b1', name: 'Ben', email: 'ben@corp.example', email_verified: true });
  const context = await openContext({ permissions: ['clipboard-read', 'clipboard-write'] });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(error.message));
  await page.goto(site);
  await page.getByRole('link', { name: 'Continue with corp' }).click();
  await page.getByRole('button', { name: 'Settings' }).click();
  await page.getByRole('button', { name: 'Access' }).click();

  const access = page.getByRole('region', { name: 'Access' });
  await access.getByText('ben@corp.example', { exact: true }).waitFor();
  await access.getByText('A sign-in', { exact: true }).waitFor();
  // Settings are the operator's; one's own identity is not.
  await access.getByText('The settings could not be read').waitFor();
  expect(await access.getByLabel('Role').locator('option').allTextContents()).toEqual([
    'viewer',
    'requester',
  ]);

  await access.getByLabel('Name').fill('CI');
  await access.getByLabel('Role').selectOption('viewer');
  await access.getByRole('button', { name: 'Create token' }).click();
  const token = await access.getByLabel('New token').and(access.getByRole('textbox')).inputValue();
  expect(await (await callWith(token)).json()).toMatchObject({
    ...{ account: 'ben@corp.example', role: 'viewer', by: 'token' },
  });
  await access.getByRole('button', { name: 'Copy token' }).click();
  await access.getByRole('button', { name: 'Copied' }).waitFor();
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(token);
  await expectAccessibleOnce(page, 'the section Access with a new token');

  await access.getByRole('button', { name: 'Revoke CI' }).click();
  expect((await callWith(token)).status).toBe(200);
  await access.getByRole('button', { name: 'Yes, revoke' }).click();
  await access.getByText('There are no tokens.').waitFor();
  expect((await callWith(token)).status).toBe(401);

  await access.getByRole('button', { name: 'Sign out', exact: true }).click();
  await page.getByRole('link', { name: 'Continue with corp' }).waitFor();
  expect((await context.request.get(`${site}/api/me`)).status()).toBe(401);
  await context.close();
  expect(faults).toEqual([]);
});
