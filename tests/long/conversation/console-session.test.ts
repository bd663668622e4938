// A planning session in the console: changes, offers, late presses and names, beside the story in tests/integration.
import type { FastifyInstance } from 'fastify';
import pino from 'pino';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { serve } from '#app/serve.ts';
import { stagedPlanner } from '../../fixtures/staged-planner.ts';
import { draftStep } from '../../fixtures/steps.ts';
import { openBrowser } from '../../setup/chromium.ts';
import { useDatabase } from '../../setup/database.ts';
import { ana, noop, openTestInstance, type TestInstance } from '../../setup/instance.ts';
import { waitFor } from '../../wait.ts';

const database = useDatabase();
let instance: TestInstance;
let app: FastifyInstance;
let browser: Browser;
let url: string;
const planner = stagedPlanner(() => instance.db.query);

beforeAll(async () => {
  instance = await openTestInstance(database.url, { planner });
  const config = { ...instance.config, env: { ...instance.config.env, PORT: 0 } };
  const served = await serve(instance, config, pino({ level: 'silent' }));
  app = served.app;
  url = `http://127.0.0.1:${served.port}`;
  browser = await openBrowser();
});
afterAll(async () => {
  await browser?.close();
  await app?.close();
  await instance?.close();
});

async function openPage(conversation: string): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 1000 } });
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  await page.goto(`${url}/?c=${conversation}`);
  return page;
}

async function ask(page: Page, text: string): Promise<void> {
  await page.getByLabel('Your message').fill(text);
  await page.keyboard.press('Enter');
}

const card = (page: Page) => page.locator('.card[data-run] session-card').last();
const button = (page: Page, name: string) => card(page).getByRole('button', { name, exact: true });

test('changes are typed into the card', async () => {
  const page = await openPage('changes');
  await ask(page, 'Plan the launch');
  await button(page, 'Propose changes').click();
  await page.keyboard.type('Add a test');
  await button(page, 'Send').click();
  await page.getByText('propose changes: Add a test').waitFor();
  // The card that was answered stands there, with its buttons off, until the planner has been asked.
  await waitFor(
    'the planner is asked for the changes',
    () => planner.asked.at(-1)?.decision.kind === 'changes',
  );
  expect(planner.asked.at(-1)?.decision).toMatchObject({ kind: 'changes', feedback: 'Add a test' });
  await card(page)
    .locator('button:enabled', { hasText: /^Approve$/ })
    .waitFor();
});

test('an offer is answered by its button', async () => {
  const page = await openPage('offers');
  await ask(page, 'Ask me');
  await button(page, 'The blue one').click();
  await page.locator('.message[data-author=person]', { hasText: 'The blue one' }).waitFor();
});

test('who asked for a plan and who decided about it stand apart from what is beside their names', async () => {
  const { id } = await instance.service.propose(
    { title: 'Nothing', steps: [noop('1')] },
    { conversation: 'people' },
    ana,
  );
  await instance.service.noteName(ana.id, 'אנה');
  await instance.service.cancel(id, { version: 1 }, ana);
  const page = await openPage(`people&plan=${id}`);
  const facts = page.locator('.facts div');
  await facts.first().waitFor();
  expect(await facts.filter({ hasText: 'Requested by' }).locator('bdi').allInnerTexts()).toEqual([
    '\u2068אנה\u2069',
  ]);
  expect(await facts.filter({ hasText: 'Decided by' }).locator('bdi').allInnerTexts()).toEqual([
    '\u2068אנה\u2069',
  ]);
});

test('no tab of a plan holds a character that turns the text around it: it is spelled out', async () => {
  const turned = 'a\u202Etxt.exe';
  const step = draftStep('1', `Write ${turned}`, 'workspace_write');
  const { id } = await instance.service.propose(
    { title: turned, steps: [{ ...step, args: { path: turned, content: turned } }] },
    { conversation: 'turned' },
    ana,
  );
  const page = await openPage(`turned&plan=${id}`);
  for (const tab of await page.getByRole('tab').all()) {
    await tab.click();
    const panel = page.getByRole('tabpanel');
    await panel.locator(':scope > *').first().waitFor();
    if ((await tab.getAttribute('id')) === 'tab-steps') {
      await panel.locator('.step-head').click();
      await panel.locator('.step-operation').waitFor();
      // The path, the content and the planner's reason.
      expect((await panel.innerText()).split('\\u{202E}').length).toBeGreaterThan(3);
    }
    const text = (await page.locator('body').textContent()) ?? '';
    expect(/.{0,80}\u202E.{0,20}/u.exec(text)?.[0]).toBeUndefined();
  }
});
