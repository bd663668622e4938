// Microsoft's Teams client in a browser, with the real program.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Playground, startPlayground } from '../fixtures/teams/playground.ts';
import { openBrowser } from '../setup/chromium.ts';
import { useDatabase } from '../setup/database.ts';
import { type Server, usePrograms } from '../setup/process.ts';

const database = useDatabase();
const programs = usePrograms();
let home: string;
let server: Server;
let client: Playground;
let browser: Browser;
let context: BrowserContext;
let page: Page;

beforeAll(async () => {
  home = await programs.home();
  const env = { COUNTERSIGN_TEAMS_LOCAL: 'true' };
  [server, browser] = await Promise.all([
    programs.serve({ home, database: database.url, env }),
    openBrowser(),
  ]);
  client = await startPlayground({ endpoint: `${server.url}/api/messages` });
});
afterAll(async () => {
  await browser?.close();
  await client?.close();
});

beforeEach(async () => {
  context = await browser.newContext({ viewport: { width: 1360, height: 900 } });
  page = await context.newPage();
  page.setDefaultTimeout(30_000);
  // No fonts or animations from elsewhere.
  await page.route(
    ({ hostname }) => hostname !== '127.0.0.1' && hostname !== 'localhost',
    (route) => route.abort(),
  );
  await page.goto(client.url);
  await page.getByRole('button', { name: 'Hide log panel' }).click();
});
afterEach(() => context?.close());

const go = (place: RegExp) => page.getByRole('treeitem', { name: place }).click();
const button = (name: string) => page.getByRole('button', { name, exact: true }).last();
const words = (text: string) => page.getByText(text).last();
const readWorkspace = (path: string) => readFile(join(home, 'workspace', path), 'utf8');

async function say(text: string): Promise<void> {
  await page.getByRole('textbox').last().click();
  await page.keyboard.type(text);
  await page.keyboard.press('Enter');
}

async function post(text: string): Promise<void> {
  await page.getByRole('textbox').last().click();
  await page.keyboard.type('@Coun');
  await page.getByRole('menuitem', { name: 'Countersign' }).click();
  await page.keyboard.type(` ${text}`);
  await button('Post').click();
}

describe('a person in Microsoft’s client', () => {
  it('asks the bot alone, approves on the card, sees it change, and finds the work done', async () => {
    await go(/Personal Chat/);
    await say(
      'Create notes/standup.md saying "Standup at 9:30", then move it to archive/standup.md',
    );
    await button('Approve').waitFor();
    await words('starts when approved').waitFor();
    await words('Waiting for you').waitFor();
    await button('Approve').click();
    await words('Approved by you,').waitFor();
    await words('2 steps done.').waitFor();
    expect(await page.getByRole('button', { name: 'Approve', exact: true }).count()).toBe(0);
    expect(await readWorkspace('archive/standup.md')).toContain('Standup at 9:30');
  });

  it('proposes changes in a channel, reads what changed, and approves that', async () => {
    await go(/Releases/);
    await post('Create draft.txt saying "First"');
    await button('Propose changes').click();
    await button('Send').click();
    await words('Say what should change.').waitFor();
    await page.getByLabel('What should change?').last().fill('use final.txt instead of draft.txt');
    await button('Send').click();
    await words('Changed since version 1').waitFor();
    await button('Approve').click();
    await words('Approved by Ana,').waitFor();
    await words('Created final.txt').waitFor();
    expect(await readWorkspace('final.txt')).toContain('First');
  });

  it('takes a step off in the details, and the rest runs', async () => {
    await go(/Personal Chat/);
    await say('Write "a.txt" to a.txt and write "b.txt" to b.txt and write "c.txt" to c.txt');
    await words('Creates c.txt').waitFor();
    await button('Details').click();
    await page.getByRole('checkbox').last().uncheck();
    await button('Approve the checked steps').click();
    await words('Approved by you,').waitFor();
    await words('Created b.txt').waitFor();
    await expect(readWorkspace('c.txt')).rejects.toThrow('ENOENT');
  });

  it('lists plans, opens one, and comes back', async () => {
    await go(/Personal Chat/);
    await say('plans all');
    await words('All plans').waitFor();
    await button('Details').click();
    await words('Digest').waitFor();
    await button('Back to the list').click();
    await words('All plans').waitFor();
  });
});
