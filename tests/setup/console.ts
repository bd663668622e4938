// The console in a real browser; foreign requests and logged errors fail.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import { afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { openContext } from './chromium.ts';
import { type FreshDatabase, useDatabase } from './database.ts';
import { type Server, usePrograms } from './process.ts';

export let home: string;
export let server: Server;
export let context: BrowserContext;
export let page: Page;
export let programs: ReturnType<typeof usePrograms>;
export let database: FreshDatabase;
let faults: string[];
export const here = new Set<string>();

export function useConsole(settings: object = {}): void {
  database = useDatabase();
  programs = usePrograms();
  beforeAll(async () => {
    home = await programs.home(settings);
    server = await programs.serve({ home, database: database.url });
    here.add(new URL(server.url).host);
  });
  beforeEach(async () => {
    faults = [];
    context = await openContext({ viewport: { width: 1280, height: 900 } });
    page = await openPage();
  });
  afterEach(async () => {
    await context.close();
    expect(faults).toEqual([]);
  });
}

export async function startAgain(env: Record<string, string>): Promise<void> {
  server = await programs.serve({ home, database: database.url, env });
}

export async function openPage(): Promise<Page> {
  const opened = await context.newPage();
  opened.setDefaultTimeout(15_000);
  opened.on('pageerror', (error) => faults.push(error.message));
  // A policy violation is logged as an error, which is a fault below.
  await opened.addInitScript(`addEventListener('securitypolicyviolation', (event) => {
    console.error('policy broken: ' + event.violatedDirective + ' ' + event.blockedURI + ' ' + event.sourceFile);
  })`);
  opened.on('console', (message) => {
    // The browser logs API refusals, which the page shows.
    const refused = message.text().includes('Failed to load resource');
    if (message.type() === 'error' && !refused) faults.push(message.text());
  });
  opened.on('request', (request) => {
    const { protocol, host } = new URL(request.url());
    if (protocol !== 'data:' && protocol !== 'blob:' && !here.has(host))
      faults.push(`asked ${request.url()}`);
  });
  return opened;
}

export const column = (of: Page = page) => of.locator('section.plan');
export const bar = (of: Page = page) => of.locator('.review-bar');
/** `Approve` approves any number of steps. */
export const button = (name: string, of: Page = page) =>
  bar(of).getByRole('button', {
    name: name === 'Approve' ? /^Approve( [\d,]+ steps?)?$/ : name,
    exact: true,
  });

export async function ask(text: string): Promise<void> {
  await page.goto(server.url);
  await page.getByLabel('Your message').fill(text);
  await page.keyboard.press('Enter');
  await button('Approve').waitFor();
}

export async function shownPlan(of: Page = page) {
  const id = await of.locator('.card').last().getAttribute('data-plan');
  return server.api.plan(id ?? '');
}

export const readWorkspace = (path: string) => readFile(join(home, 'workspace', path), 'utf8');
