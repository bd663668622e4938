// The console as a person uses it: a real browser, the real program, real files. What the page shows is compared
// with what the API and the workspace say.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Plan } from '#domain/plan/plan.ts';
import { openBrowser } from '../setup/chromium.ts';
import { useDatabase } from '../setup/database.ts';
import { type Server, usePrograms } from '../setup/process.ts';
import { waitFor } from '../wait.ts';

const database = useDatabase();
const programs = usePrograms();
let home: string;
let server: Server;
let browser: Browser;
let context: BrowserContext;
let page: Page;
/** Everything that went wrong in the page, or left for another server. */
let faults: string[];
const here = new Set<string>();

beforeAll(async () => {
  home = await programs.home();
  [server, browser] = await Promise.all([
    programs.serve({ home, database: database.url }),
    openBrowser(),
  ]);
  here.add(new URL(server.url).host);
});
afterAll(() => browser?.close());

async function openPage(): Promise<Page> {
  const opened = await context.newPage();
  opened.setDefaultTimeout(15_000);
  opened.on('pageerror', (error) => faults.push(error.message));
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

beforeEach(async () => {
  faults = [];
  context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  page = await openPage();
});
afterEach(async () => {
  await context.close();
  expect(faults).toEqual([]);
});

const card = (of: Page = page) => of.locator('plan-card').last();
const button = (name: string, of: Page = page) =>
  card(of).getByRole('button', { name, exact: true });

async function ask(text: string): Promise<void> {
  await page.goto(server.url);
  await page.getByLabel('Your message').fill(text);
  await page.keyboard.press('Enter');
  await button('Approve').waitFor();
}

/** The plan of the shown card. */
async function shownPlan(of: Page = page) {
  const id = await of.locator('.card').last().getAttribute('data-plan');
  return server.api.plan(id ?? '');
}

const readWorkspace = (path: string) => readFile(join(home, 'workspace', path), 'utf8');

describe('a request', () => {
  it('is planned, changed, approved and carried out, in sight all the way', async () => {
    await ask('Create notes/standup.md saying Standup at 9:30, then move it to archive/standup.md');
    await card().getByText('Move notes/standup.md to archive/standup.md').first().waitFor();

    await button('Propose changes').click();
    await page.keyboard.type('change "Standup at 9:30" to "Daily at 9:15"');
    await button('Send').click();
    await page.locator('.plan-version', { hasText: 'Version 2' }).waitFor();
    await card().getByText('version 2').waitFor();
    const second = await shownPlan();
    expect(second).toMatchObject({ version: 2, status: 'proposed' });

    await page.getByRole('tab', { name: 'Changes' }).click();
    await page.locator('.diff [data-sign]').first().waitFor();

    await page.getByRole('tab', { name: 'Overview' }).click();
    await button('Approve').click();
    await page.locator('.plan-state .badge', { hasText: 'Done' }).waitFor();
    await card().getByText('Approved by local').waitFor();
    const { total_steps: total } = second;
    await page.getByText(`${total} of ${total} steps done`).waitFor();
    expect(await card().getByRole('button').count()).toBe(0);
    expect(await readWorkspace('archive/standup.md')).toBe('Daily at 9:15');
  });

  it('runs without the steps that were taken off, once they are closed under what they need', async () => {
    await ask('Create part/one.txt saying One, then copy it to part/two.txt');
    const plan = await shownPlan();
    await page.getByRole('tab', { name: 'Steps' }).click();
    const ticks = page.getByRole('checkbox');
    await ticks.first().waitFor();
    const total = await ticks.count();
    expect(total).toBe(plan.total_steps);
    const rest = button(`Approve ${total - 1} of ${total} steps`);
    await ticks.first().uncheck();
    await rest.click();
    await page.getByRole('alert').getByText('The steps you approved need').first().waitFor();
    expect((await shownPlan()).status).toBe('proposed');
    await ticks.first().check();
    await page.getByRole('checkbox', { name: /^Approve step 3: / }).uncheck();
    await rest.click();
    await page.locator('.plan-state .badge', { hasText: 'Done' }).waitFor();
    expect((await shownPlan()).counts).toMatchObject({ succeeded: total - 1, cancelled: 1 });
    expect(await ticks.count()).toBe(0);
  });

  it('runs no step that is unticked, whether its card is pressed or the word is written', async () => {
    for (const decide of ['press', 'word'] as const) {
      const path = (name: string) => `${decide}/${name}.txt`;
      await ask(`Write two files ${path('kept')} and ${path('left')} each containing its own name`);
      await page.getByRole('tab', { name: 'Steps' }).click();
      await page.getByRole('checkbox', { name: /left/ }).uncheck();
      const total = (await shownPlan()).total_steps;
      await button(`Approve ${total - 1} of ${total} steps`).waitFor();
      expect(await button('Approve').count()).toBe(0);
      if (decide === 'press') await button(`Approve ${total - 1} of ${total} steps`).click();
      else {
        await page.getByText('“approve” leaves out 1 unselected step').waitFor();
        await page.getByLabel('Your message').fill('approve');
        await page.keyboard.press('Enter');
      }
      await page.locator('.plan-state .badge', { hasText: 'Done' }).waitFor();
      expect((await shownPlan()).counts).toMatchObject({ succeeded: total - 1, cancelled: 1 });
      expect(await readWorkspace(path('kept'))).toContain('kept');
      await expect(readWorkspace(path('left'))).rejects.toMatchObject({ code: 'ENOENT' });
    }
  });

  it('is approved whole again once every step is ticked', async () => {
    await ask('Write two files again/a.txt and again/b.txt each containing its own name');
    await page.getByRole('tab', { name: 'Steps' }).click();
    await page.getByRole('checkbox').last().uncheck();
    await button('Approve').waitFor({ state: 'detached' });
    await page.getByRole('checkbox').last().check();
    await button('Approve').waitFor();
  });

  it('is not approved by a word that was written while another version came', async () => {
    await ask('Create slow.txt saying Slow');
    const plan = await shownPlan();
    const path = `**/api/plans/${plan.id}/card*`;
    // The page has not read the new version yet when the word is sent.
    await page.route(path, () => {});
    await server.api.post(`/api/plans/${plan.id}/patches`, {
      base_revision: plan.revision,
      operations: [
        {
          op: 'add_step',
          step: { id: 'x', description: 'Slip in', tool: 'control', operation: 'noop', args: {} },
        },
      ],
    });
    expect((await server.api.plan(plan.id)).version).toBe(2);
    await page.getByLabel('Your message').fill('approve');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('This plan changed while you were reading').waitFor();
    expect((await server.api.plan(plan.id)).status).toBe('proposed');
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  });

  it('shows its steps in every tab, and its decision in the audit', async () => {
    await ask('Write three files a.txt, b.txt and c.txt each containing its own name');
    await button('Approve').click();
    await page.locator('.plan-state .badge', { hasText: 'Done' }).waitFor();

    await page.getByRole('tab', { name: 'Overview' }).focus();
    await page.keyboard.press('ArrowRight');
    await page.locator('.graph .node[data-status="succeeded"]').nth(2).waitFor();
    await page.keyboard.press('ArrowRight');
    await page.locator('.gantt .span[data-kind="actual"]').nth(2).waitFor();
    await page.keyboard.press('ArrowRight');
    await page.getByRole('button', { name: /Creates b\.txt/ }).click();
    await page.locator('.call .json', { hasText: 'b.txt' }).waitFor();
    await page.getByRole('tab', { name: 'Audit' }).click();
    await page.getByRole('row', { name: /local Approve console 1/ }).waitFor();
    await page.getByRole('tab', { name: 'Trace' }).click();
    await page.getByRole('row', { name: 'Collect context' }).first().waitFor();
    await page.getByText('Planner: offline planner').waitFor();
    await page.getByText(/In all: /).waitFor();
  });

  it('is answered without a plan when it only asks', async () => {
    await page.goto(server.url);
    await page.getByLabel('Your message').fill('What is in the workspace?');
    await page.keyboard.press('Enter');
    await page.locator('.message[data-author="bot"] .said').waitFor();
    expect(await page.locator('plan-card').count()).toBe(0);
  });

  it('can be taken from the examples and sent with the button', async () => {
    await page.goto(server.url);
    await page.getByRole('button', { name: /Create notes\/standup\.md/ }).click();
    await page.getByRole('button', { name: 'Send' }).click();
    await button('Approve').waitFor();
  });

  it('shows markup as the text it is, wherever it appears', async () => {
    const markup = '<img src=x onerror="document.title=1"><script>document.title=2</script>';
    await ask(`Create notes/x.md saying '${markup}'`);
    await page.locator('.message[data-author="person"] .said').getByText(markup).waitFor();
    const title = await page.title();
    for (const name of ['Graph', 'Timeline', 'Steps', 'Trace', 'Audit', 'Overview']) {
      await page.getByRole('tab', { name }).click();
    }
    await button('Approve').click();
    await page.locator('.plan-state .badge', { hasText: 'Done' }).waitFor();
    expect(await page.locator('#app img:not(.brand img), #app script').count()).toBe(0);
    expect(await page.title()).toBe(title);
    expect(await readWorkspace('notes/x.md')).toContain('<script>document.title=2</script>');
  });
});

describe('a review', () => {
  const write = (n: number, content = `Text ${n}`, path = `many/${n}.txt`) => ({
    id: `w${n}`,
    description: `Write ${n}`,
    tool: 'workspace',
    operation: 'write',
    args: { path, content },
  });
  const remove = {
    id: 'tidy',
    description: 'Tidy up',
    tool: 'workspace',
    operation: 'delete',
    args: { path: 'payroll.csv' },
  };
  const bar = () => page.locator('.review-bar');
  const rows = () => page.locator('.rank .step');

  const openReview = async (title: string, steps: object[]) => {
    const plan = await server.api.propose({ title, conversation: `review-${title}`, steps });
    await page.goto(`${server.url}/?c=${plan.conversation}&plan=${plan.id}`);
    await button('Review').click();
    await bar().waitFor();
    return plan;
  };

  it('is what Review opens: the dangerous call of sixty first, every value whole, and Approve for exactly this version', async () => {
    await writeFile(join(home, 'workspace', 'payroll.csv'), 'name,salary');
    const long = `Begin ${'and so on '.repeat(400)}end`;
    const steps: object[] = Array.from({ length: 59 }, (_, n) =>
      write(n, n === 20 ? long : undefined),
    );
    const plan = await openReview('sixty', steps.toSpliced(36, 0, remove));
    expect(await rows().first().innerText()).toContain('deletes payroll.csv');
    expect(await rows().first().innerText()).toContain('cannot be undone');
    expect(await bar().innerText()).toContain('The first 50 of 60 steps');
    expect(await page.getByText(long, { exact: true }).isVisible()).toBe(true);
    await page.getByRole('button', { name: 'Show more' }).click();
    await rows().nth(59).waitFor();
    expect(await rows().locator('.effect').allInnerTexts()).toEqual(
      expect.arrayContaining([expect.stringContaining('Text 58')]),
    );
    const sent = page.waitForRequest((request) => request.url().endsWith('/approve'));
    await bar().getByRole('button', { name: 'Approve', exact: true }).click();
    const { version, digest } = plan;
    expect((await sent).postDataJSON()).toMatchObject({ version, digest });
    await page.locator('.plan-state .badge', { hasText: 'Done' }).waitFor();
    expect(await bar().count()).toBe(0);
  });

  it('begins at its top, however far another tab was scrolled', async () => {
    const steps = Array.from({ length: 20 }, (_, n) => write(n));
    const plan = await server.api.propose({ title: 'Scrolled', conversation: 'scrolled', steps });
    await page.goto(`${server.url}/?c=scrolled&plan=${plan.id}`);
    await button('Review').click();
    await rows().nth(19).waitFor();
    await page.getByRole('tab', { name: 'Overview' }).click();
    await page.getByText('Latest events').scrollIntoViewIfNeeded();
    await button('Review').click();
    await rows().nth(19).waitFor();
    expect(await page.evaluate("document.getElementById('tab-panel').scrollTop")).toBe(0);
  });

  it('shows what a write changes in the file that is there now', async () => {
    await writeFile(join(home, 'workspace', 'times.md'), 'Standup at 9:00\nReview on Friday\n');
    const plan = await server.api.propose({
      title: 'Later',
      conversation: 'later',
      steps: [{ ...write(1, 'Standup at 9:30\nReview on Friday\n', 'times.md'), ask_before: true }],
    });
    await page.goto(`${server.url}/?c=later&plan=${plan.id}&tab=steps`);
    await page.locator('.difference').waitFor();
    expect(await rows().first().innerText()).toContain('asks before it runs');
    const lines = (sign: string) => page.locator(`.difference [data-sign="${sign}"]`);
    expect(await lines('-').allInnerTexts()).toEqual(['-Standup at 9:00']);
    expect(await lines('+').allInnerTexts()).toEqual(['+Standup at 9:30']);
  });

  it('says on every Approve what it approves, and offers none where no step is ticked', async () => {
    const steps = [write(1), write(2), write(3)];
    const plan = await server.api.propose({ title: 'Three', conversation: 'ticked', steps });
    await page.goto(`${server.url}/?c=ticked&plan=${plan.id}&tab=steps`);
    const ticks = page.getByRole('checkbox');
    await ticks.nth(2).waitFor();
    await ticks.nth(2).uncheck();
    await bar().getByRole('button', { name: 'Approve 2 of 3 steps' }).waitFor();
    await button('Approve 2 of 3 steps').waitFor();
    await ticks.nth(1).uncheck();
    await ticks.nth(0).uncheck();
    for (const place of [bar(), card()]) {
      const off = place.getByRole('button', { name: 'No steps selected' });
      await off.waitFor();
      expect(await off.isDisabled()).toBe(true);
    }
    await ticks.nth(1).check();
    await bar().getByRole('button', { name: 'Approve 1 of 3 steps' }).click();
    await page.locator('.plan-state .badge', { hasText: 'Done' }).waitFor();
    expect((await server.api.plan(plan.id)).counts).toMatchObject({ succeeded: 1, cancelled: 2 });
  });

  it('offers no approval beside the steps of a version that is gone', async () => {
    const plan = await server.api.propose({
      title: 'Changing',
      conversation: 'changing',
      steps: [write(1)],
    });
    await page.goto(`${server.url}/?c=changing&plan=${plan.id}&tab=steps`);
    await bar().waitFor();
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route('**/steps?*', async (route) => {
      await held;
      await route.continue();
    });
    await server.api.post(`/api/plans/${plan.id}/patches`, {
      base_revision: plan.revision,
      operations: [{ op: 'add_step', step: write(2) }],
    });
    await page.locator('.plan-version', { hasText: 'Version 2' }).waitFor();
    expect(await bar().count()).toBe(0);
    release();
    await bar().waitFor();
    expect(await rows().count()).toBe(2);
  });
});

describe('a plan on the page', () => {
  const slow = {
    title: 'Wait a while',
    steps: [1, 2].map((n) => ({
      id: String(n),
      description: `Wait ${n}`,
      tool: 'control',
      operation: 'wait',
      args: { seconds: 1.5 },
      after: n === 1 ? [] : ['1'],
    })),
  };

  it('shows its progress while it runs', async () => {
    const plan = await server.api.propose({ ...slow, conversation: 'console-slow' });
    await page.goto(`${server.url}/?plan=${plan.id}`);
    await button('Approve').click();
    await card().getByText('0 of 2').waitFor();
    await card().getByText('1 of 2').waitFor();
    await page.getByText('2 of 2 steps done').waitFor();
  });

  it('comes back after a reload with its conversation and its tab', async () => {
    await ask('Create notes/reload.md saying Still here');
    await page.getByRole('tab', { name: 'Steps' }).click();
    await page.locator('.step').first().waitFor();
    const { id } = await shownPlan();
    await page.reload();
    await page.locator('.step').first().waitFor();
    await page.getByText('Create notes/reload.md saying Still here').waitFor();
    await button('Approve').waitFor();
    expect((await shownPlan()).id).toBe(id);
  });

  it('is approved once, however often the button is pressed', async () => {
    await ask('Create notes/once.md saying Hello');
    const { id } = await shownPlan();
    const sent: string[] = [];
    page.on('request', (request) => {
      if (request.method() === 'POST') sent.push(new URL(request.url()).pathname);
    });
    await button('Approve').dblclick();
    await page.locator('.plan-state .badge', { hasText: 'Done' }).waitFor();
    expect(sent).toEqual([`/api/plans/${id}/approve`]);
  });

  it('says who was first when it was decided elsewhere, and shows how it stands now', async () => {
    await ask('Create notes/race.md saying Mine');
    const plan = await shownPlan();
    // This page hears nothing of the decision: its events are cut off.
    await page.route('**/events', (route) => route.abort());
    await page.reload();
    await button('Approve').waitFor();
    await server.api.post(`/api/plans/${plan.id}/reject`, { version: 1, user: 'local' });
    await button('Approve').click();
    await page.getByRole('alert').filter({ hasText: /local/ }).waitFor();
    await card().getByText('Rejected').first().waitFor();
    expect(await button('Approve').count()).toBe(0);
  });

  it('keeps what a person is typing on its card while other things change', async () => {
    await ask('Create notes/typed.md saying Typed');
    await button('Propose changes').click();
    await card().locator('textarea:focus').waitFor();
    await page.keyboard.type('half a sent');
    // Another colour scheme draws every card anew.
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.keyboard.type('ence');
    const field = card().getByRole('textbox');
    expect(await field.inputValue()).toBe('half a sentence');
  });

  it('brings into sight what a button opened, where the card is taller than the column', async () => {
    await ask('Create notes/tall.md saying Tall, then copy it to notes/taller.md');
    const boxOf = async (part: Locator) => {
      const box = await part.boundingBox();
      if (box === null) throw new Error('It is not drawn.');
      return { top: box.y, bottom: box.y + box.height };
    };
    const list = page.locator('#messages');
    // The column ends just under the buttons, so that they are pressed without scrolling.
    const column = await boxOf(list);
    const { top } = await boxOf(page.locator('.message').last());
    const { bottom } = await boxOf(button('Propose changes'));
    const spare = column.bottom - column.top - (bottom - top) - 40;
    await page.setViewportSize({ width: 1280, height: Math.round(900 - spare) });
    await button('Propose changes').click();
    await card().locator('textarea:focus').waitFor();
    const isSeen = async () => (await boxOf(button('Send'))).bottom <= (await boxOf(list)).bottom;
    await waitFor('the form to be in sight', isSeen);
    // What is drawn anew there takes it from nobody's sight.
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.evaluate('new Promise(requestAnimationFrame)');
    expect(await isSeen()).toBe(true);
  });

  it('calls a step in its list what its card calls it', async () => {
    await ask(
      'Create n/one.md saying 1, then create n/two.md saying 2 and create n/three.md saying 3',
    );
    await page.getByRole('tab', { name: 'Steps' }).click();
    await page.getByRole('checkbox', { name: /^Approve step 2b: / }).waitFor();
    const names = await page.locator('.step-number').allInnerTexts();
    expect(names).toEqual(['1', '2a', '2b']);
    expect(await card().getByText('2b', { exact: true }).count()).toBe(1);
  });

  it('is found in the list of pending plans and decided there without its conversation', async () => {
    const plan = await server.api.propose({ ...slow, title: 'Nobody spoke of this' });
    await page.goto(server.url);
    await page.getByRole('button', { name: /Pending/ }).click();
    await page.getByRole('button', { name: /Nobody spoke of this/ }).click();
    await button('Reject').click();
    await card().getByRole('button', { name: 'Reject', exact: true }).last().click();
    await waitFor(
      'the rejection',
      async () => (await server.api.plan(plan.id)).status === 'rejected',
    );
    await card().getByText('Rejected').first().waitFor();
  });
});

describe('the list of what waits', () => {
  const total = 52;
  const propose = (n: number, more: object = {}) =>
    server.api.propose({
      ...more,
      title: `Waiting plan ${n}`,
      steps: [
        { id: '1', description: 'Wait', tool: 'control', operation: 'wait', args: { seconds: 1 } },
      ],
    });
  const readWaiting = async () => {
    const path = '/api/plans?status=proposed,needs_review&limit=100';
    return (await server.api.get<{ plans: Plan[] }>(path)).body.plans;
  };

  // What other tests have proposed waits no longer: each begins with an empty list.
  beforeEach(async () => {
    for (let plans = await readWaiting(); plans.length > 0; plans = await readWaiting()) {
      const rejected = plans.map(({ id, version }) =>
        server.api.post(`/api/plans/${id}/reject`, { version }),
      );
      expect((await Promise.all(rejected)).map(({ status }) => status)).toEqual(
        plans.map(() => 200),
      );
    }
  });

  const rows = () => page.locator('.pending-row');
  const focused = () => page.locator('.pending-row:focus .pending-title').innerText();

  it('goes on to older ones by the keyboard alone, and keeps them when it is read again', async () => {
    for (let n = 1; n <= total; n++) await propose(n);
    await page.goto(server.url);
    const open = page.getByRole('button', { name: /Pending/ });
    await open.getByText('50+').waitFor();
    await open.focus();
    await page.keyboard.press('Enter');
    await rows().nth(49).waitFor();
    expect(await rows().count()).toBe(50);
    expect(await rows().first().innerText()).toContain(`Waiting plan ${total}`);
    await rows().first().focus();
    await page.keyboard.press('End');
    expect(await focused()).toBe('Waiting plan 3');
    await page.keyboard.press('ArrowUp');
    expect(await focused()).toBe('Waiting plan 4');
    await page.keyboard.press('End');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.locator('.pending-row:focus').getByText('Waiting plan 2').waitFor();
    expect(await rows().count()).toBe(total);
    expect(await page.getByRole('button', { name: 'Show older' }).count()).toBe(0);
    // One more is proposed while the list is open: it is read again, whole.
    await propose(total + 1);
    await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
    await rows()
      .getByText(`Waiting plan ${total + 1}`)
      .waitFor({ timeout: 30_000 });
    expect(await rows().count()).toBe(total + 1);
    expect(await focused()).toBe('Waiting plan 2');
    await page.keyboard.press('Escape');
    await page.locator('#pending').waitFor({ state: 'detached' });
    await page.locator('#pending-button:focus').waitFor();
  });

  it('says why older ones could not be read, and can be asked again', async () => {
    for (let n = 1; n <= total; n++) await propose(n);
    await page.goto(server.url);
    const older = page.getByRole('button', { name: 'Show older' });
    await page.getByRole('button', { name: /Pending/ }).click();
    await older.waitFor();
    await page.route('**/api/plans?*', (route) => route.abort());
    await older.click();
    await page.locator('#pending [role="alert"]').waitFor();
    await page.unroute('**/api/plans?*');
    await older.click();
    await rows()
      .nth(total - 1)
      .waitFor();
    expect(await page.locator('#pending [role="alert"]').count()).toBe(0);
  });

  it('is read once more for all that happens while it is read, and leads on to what comes below it', async () => {
    const added = 20;
    const conversation = 'console-busy';
    for (let n = 1; n <= total; n++) await propose(n);
    await page.goto(`${server.url}/?c=${conversation}`);
    await page.getByRole('button', { name: /Pending/ }).click();
    await rows().nth(49).waitFor();
    let reads = 0;
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route('**/api/plans?*', async (route) => {
      reads += 1;
      if (reads === 1) await held;
      await route.continue();
    });
    for (let n = total + 1; n <= total + added; n++) await propose(n, { conversation });
    await page
      .locator('plan-card')
      .nth(added - 1)
      .waitFor();
    await page.getByRole('button', { name: 'Show older' }).click();
    expect(reads).toBe(1);
    release();
    await page.locator('.pending-row:focus').waitFor();
    expect(await focused()).toBe('Waiting plan 2');
    expect(await rows().count()).toBe(total + added);
    // Two pages each: the one reading after it, and what the shown plan and a timer may have asked for beside it.
    expect(reads).toBeLessThanOrEqual(7);
  });

  it('says so where nothing waits', async () => {
    await page.route('**/api/plans?*', (route) =>
      route.fulfill({ json: { plans: [], next_cursor: null } }),
    );
    await page.goto(server.url);
    await page.getByRole('button', { name: /Pending/ }).click();
    await page.getByText('Nothing is waiting').waitFor();
    expect(await page.getByRole('button', { name: 'Show older' }).count()).toBe(0);
  });
});

describe('the connection', () => {
  it('is taken up again after the program was away, and nothing that was said is missing', async () => {
    const port = String(new URL(server.url).port);
    await page.goto(`${server.url}/?c=console-away`);
    await page.getByText('What should be done?').first().waitFor();
    await server.stop();
    await page.getByText(/Reconnecting/).waitFor();
    server = await programs.serve({ home, database: database.url, env: { PORT: port } });
    await server.api.post('/api/conversations/console-away/messages', {
      text: 'What is in the workspace?',
    });
    await page.locator('.message[data-author="bot"] .said').waitFor();
    await waitFor(
      'the notice to go',
      async () => (await page.getByText(/Reconnecting/).count()) === 0,
    );
  });

  it('asks for the token once, and remembers it in this tab', async () => {
    const token = 'a-token-for-the-console';
    const guarded = await programs.serve({
      home: await programs.home(),
      database: database.url,
      verb: 'gateway',
      env: { COUNTERSIGN_API_TOKEN: token },
    });
    here.add(new URL(guarded.url).host);
    await page.goto(guarded.url);
    await page.getByLabel('Token').fill('not the token at all');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByLabel('Token').fill(token);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('What should be done?').first().waitFor();
    await page.reload();
    await page.locator('.welcome').waitFor();
    expect(await page.locator('dialog').count()).toBe(0);
    await guarded.stop();
  });
});

describe('a step for a person', () => {
  it('is filled in on its card: what is wrong is said beside the field, and nothing typed is lost', async () => {
    const form = [
      { name: 'price', label: 'Price per night', type: 'number', required: true, min: 0 },
      { name: 'room', type: 'choice', required: true, options: ['Blue', 'Green'] },
      { name: 'day', label: 'First night', type: 'date' },
      { name: 'paid', label: 'Is it paid?', type: 'boolean' },
    ];
    const human = { tool: 'human', operation: 'task', description: 'Ask' };
    const plan = await server.api.propose({
      title: 'Book a room',
      conversation: 'rooms',
      steps: [
        { ...human, id: 'quote', args: { question: 'What does it cost?', form } },
        { ...human, id: 'key', args: { question: 'Bring the key.', assignee: 'ben' } },
      ],
    });
    await server.api.approve(plan);
    await page.goto(`${server.url}?c=rooms&plan=${plan.id}`);
    await button('Done').first().click();
    expect(await card().innerText()).toContain('Enter a number of at least 0.');
    expect(await card().innerText()).toContain('Choose one.');

    await card().getByLabel('Price per night').fill('120.5');
    await card().getByRole('combobox', { name: 'Room' }).selectOption('Green');
    await card().getByLabel('Yes').check();
    const answer = { version: 1, steps: { key: 'done' }, user: 'ben' };
    await server.api.post(`/api/plans/${plan.id}/resume`, answer);
    await card().getByText('Waiting for ben').waitFor({ state: 'detached' });
    expect(await card().getByLabel('Yes').isChecked()).toBe(true);
    const sent = page.waitForRequest(
      (request) => request.method() === 'POST' && request.url().endsWith('/resume'),
    );
    await button('Done').click();
    const { about } = z.object({ about: z.unknown() }).parse((await sent).postDataJSON());
    expect(about).toEqual({ quote: { attempt: 1, status: 'waiting' } });

    await server.api.reach(plan.id, 'completed');
    const [quote] = await server.api.steps(plan.id);
    expect(quote?.output).toMatchObject({
      fields: { price: 120.5, room: 'Green', day: null, paid: true },
      by: 'local',
    });
  });
});
