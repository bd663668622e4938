// The console as a person uses it: a real browser, the real program, real files. What the page asks of other servers, or logs as an
// error, fails the test.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { openBrowser } from './chromium.ts';
import { type FreshDatabase, useDatabase } from './database.ts';
import { type Server, usePrograms } from './process.ts';

export let home: string;
export let server: Server;
export let context: BrowserContext;
export let page: Page;
export let programs: ReturnType<typeof usePrograms>;
export let database: FreshDatabase;
let browser: Browser;
/** Everything that went wrong in the page, or left for another server. */
let faults: string[];
export const here = new Set<string>();

/**
 * Gives the surrounding file a program with a console, and each of its tests a page of it.
 * @param settings its countersign.json
 */
export function useConsole(settings: object = {}): void {
  database = useDatabase();
  programs = usePrograms();
  beforeAll(async () => {
    home = await programs.home(settings);
    [server, browser] = await Promise.all([
      programs.serve({ home, database: database.url }),
      openBrowser(),
    ]);
    here.add(new URL(server.url).host);
  });
  afterAll(() => browser?.close());
  beforeEach(async () => {
    faults = [];
    context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
    page = await openPage();
  });
  afterEach(async () => {
    await context.close();
    expect(faults).toEqual([]);
  });
}

/** Starts the program anew, after it was stopped. */
export async function startAgain(env: Record<string, string>): Promise<void> {
  server = await programs.serve({ home, database: database.url, env });
}

export async function openPage(): Promise<Page> {
  const opened = await context.newPage();
  opened.setDefaultTimeout(15_000);
  opened.on('pageerror', (error) => faults.push(error.message));
  // The policy of the page is broken nowhere, by whatever a test opens. It is logged as an error, which is a fault below.
  await opened.addInitScript(`addEventListener('securitypolicyviolation', (event) => {
    console.error('policy broken: ' + event.violatedDirective + ' ' + event.blockedURI + ' ' + event.sourceFile);
  })`);
  opened.on('console', (message) => {
    // A refusal by the API is answered to the person; the browser logs it on its own account.
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

/** The column of the shown plan, and the bar of decisions at its foot. */
export const column = (of: Page = page) => of.locator('section.plan');
export const bar = (of: Page = page) => of.locator('.review-bar');
/** A button of the bar. `Approve` approves all steps, however many they are. */
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

/** The plan of the shown card. */
export async function shownPlan(of: Page = page) {
  const id = await of.locator('.card').last().getAttribute('data-plan');
  return server.api.plan(id ?? '');
}

export const readWorkspace = (path: string) => readFile(join(home, 'workspace', path), 'utf8');
