// A planning session in the console: a real browser presses what a scripted planner shows.
import type { FastifyInstance } from 'fastify';
import pino from 'pino';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { serve } from '#app/serve.ts';
import { stagedPlanner } from '../../fixtures/staged-planner.ts';
import { openBrowser } from '../../setup/chromium.ts';
import { useDatabase } from '../../setup/database.ts';
import { openTestInstance, type TestInstance } from '../../setup/instance.ts';

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

test('stages are approved by pressing, and a decided card keeps no buttons', async () => {
  const page = await openPage('stages');
  await ask(page, 'Plan the launch');
  await card(page).getByText('1.1 Draft news/1.md').waitFor();
  await button(page, 'Approve').click();
  await card(page).getByText('The announcement cannot be taken back.').waitFor();
  expect(await page.locator('.card[data-run]').count()).toBe(1);
  await button(page, 'Approve').click();
  await page
    .locator('.review-bar')
    .getByRole('button', { name: /^Approve/ })
    .waitFor();
  expect(await page.locator('.card[data-run]').count()).toBe(0);
  expect(planner.asked.at(-1)?.decision).toMatchObject({ kind: 'approve', by: 'local' });
});
