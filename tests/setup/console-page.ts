import type { FastifyInstance } from 'fastify';
import pino from 'pino';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import { serve } from '#app/serve.ts';
import { stagedPlanner } from '../fixtures/staged-planner.ts';
import { openContext } from './chromium.ts';
import type { TestInstance } from './instance.ts';
import { useInstance } from './use-instance.ts';

export function useConsolePage() {
  const planner = stagedPlanner(() => instance.db.query);
  const instance: TestInstance = useInstance({ planner });
  let app: FastifyInstance;
  const contexts: BrowserContext[] = [];
  let url: string;
  beforeAll(async () => {
    const config = { ...instance.config, env: { ...instance.config.env, PORT: 0 } };
    const served = await serve(instance, config, pino({ level: 'silent' }));
    app = served.app;
    url = `http://127.0.0.1:${served.port}`;
  });
  afterAll(async () => {
    await Promise.all(contexts.map((context) => context.close()));
    await app?.close();
  });
  async function openPage(conversation: string): Promise<Page> {
    const context = await openContext({ viewport: { width: 1280, height: 1000 } });
    contexts.push(context);
    const page = await context.newPage();
    page.setDefaultTimeout(15_000);
    await page.goto(`${url}/?c=${conversation}`);
    return page;
  }
  return { planner, instance, openPage };
}

export async function askOn(page: Page, text: string): Promise<void> {
  await page.getByLabel('Your message').fill(text);
  await page.keyboard.press('Enter');
}

export const sessionCard = (page: Page) => page.locator('.card[data-run] session-card').last();
export const buttonOf = (page: Page, name: string) =>
  sessionCard(page).getByRole('button', { name, exact: true });
