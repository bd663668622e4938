// The console's inbox, decided by keyboard, singly or together.
import type { Locator } from 'playwright-core';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Plan } from '#domain/plan/plan.ts';
import { draftStep } from '../fixtures/steps.ts';
import { expectAccessibleOnce } from '../setup/axe.ts';
import { ask, page, server, useConsole } from '../setup/console.ts';
import { waitFor } from '../wait.ts';

useConsole();

const noop = draftStep('1', 'Do it', 'control_noop', {});
const write = (path: string) =>
  draftStep('w', 'Write it', 'workspace_write', { path, content: 'Words' });
const remove = draftStep('d', 'Tidy up', 'workspace_delete', { path: 'not/there.txt' });
const task = (assignee: string) =>
  draftStep('t', 'Ask', 'human_task', { assignee, question: 'Are the numbers right?' });

const propose = (title: string, steps: object[], more: object = {}) =>
  server.api.propose({ title, steps, ...more });

async function start(title: string, steps: object[]): Promise<Plan> {
  const plan = await propose(title, steps);
  expect((await server.api.approve(plan)).status).toBe(200);
  return plan;
}

const group = (name: string): Locator => page.getByRole('region', { name: new RegExp(`^${name}`) });
// Excludes ended plans of earlier tests.
const entry = (title: string): Locator =>
  page.locator('.group:not([data-group="done"]) .entry', { hasText: title });
const titles = (of: Locator) => of.locator('.entry-title').allInnerTexts();
const focused = () => page.locator('.entry-main:focus .entry-title').innerText();
const keys = async (...pressed: string[]) => {
  await page.evaluate('if (document.activeElement?.id === "say") document.activeElement.blur()');
  for (const key of pressed) await page.keyboard.press(key);
};

beforeEach(async () => {
  const path =
    '/api/plans?status=proposed,needs_review,approved,executing,stalled,rejected&limit=100';
  const { plans } = (await server.api.get<{ plans: Plan[] }>(path)).body;
  // A rejection's reason may get a question.
  const open = plans.filter(({ status, revising }) => status !== 'rejected' || revising);
  for (const { id, version } of open) await server.api.post(`/api/plans/${id}/cancel`, { version });
});

describe('the inbox', () => {
  it('has every plan in one of five groups, and a task that waits for me is the first thing I see', async () => {
    const asked = await start('Check the numbers', [task('local')]);
    const running = await start('Wait for Ben', [noop, { ...task('ben'), after: ['1'] }]);
    await propose('Mine to approve', [write('mine.txt')]);
    await propose('For Ben to approve', [write('ben.txt')], {
      approvers: { kind: 'named', people: ['ben'] },
    });
    const failed = await start('Delete what is not there', [remove]);
    const done = await start('Over at once', [noop]);
    await server.api.reach(failed.id, 'failed');
    await server.api.reach(done.id, 'completed');
    await waitFor('the tasks', async () => {
      const plans = await Promise.all([asked, running].map(({ id }) => server.api.plan(id)));
      return plans.every(({ counts }) => counts.waiting === 1);
    });
    await page.goto(server.url);
    await entry('Check the numbers').waitFor();

    const mine = group('Needs you');
    expect((await titles(mine)).toSorted()).toEqual(['Check the numbers', 'Mine to approve']);
    expect(await entry('Check the numbers').innerText()).toContain('Your task');
    expect(await entry('Mine to approve').innerText()).toContain('Your approval');
    expect(await titles(group('Running'))).toEqual(['Wait for Ben']);
    expect(await entry('Wait for Ben').innerText()).toMatch(/Running\s+1 of 2/);
    expect(await titles(group('Failed'))).toContain('Delete what is not there');
    expect(await entry('Delete what is not there').getByText('has guarded steps').count()).toBe(1);
    expect(await titles(group('Waiting on others'))).toEqual(['For Ben to approve']);
    const ended = group('Done').getByRole('button', { name: /^Done/ });
    if ((await ended.getAttribute('aria-expanded')) === 'false') await ended.click();
    expect(await titles(group('Done'))).toContain('Over at once');
    expect(await mine.getByRole('heading').innerText()).toMatch(/Needs you\s*2/);
    await waitFor('the title', async () => (await page.title()) === '(2) Countersign');

    const unread = page.locator('.entry[data-unread="true"]', { hasText: 'Check the numbers' });
    expect(await unread.count()).toBe(1);
    await entry('Check the numbers').getByRole('button').click();
    await page.getByText('Are the numbers right?').first().waitFor();
    expect(await unread.count()).toBe(0);
    await waitFor(
      'the title of the open plan',
      async () => (await page.title()) === '(2) Check the numbers · Waiting for you · Countersign',
    );
    expect(await page.locator('.entry-main[aria-current="true"]').innerText()).toContain(
      'Check the numbers',
    );
    // The page's refreshes queue behind people's requests.
    const refreshed = page.waitForRequest(
      (one) =>
        one.url().endsWith(`/api/plans/${asked.id}/overview`) && one.headers().priority === 'u=7',
    );
    await page.locator('.review-bar').getByRole('button', { name: 'Send' }).click();
    await server.api.reach(asked.id, 'completed');
    await refreshed;
    await waitFor('the group to shrink', async () => (await titles(mine)).length === 1);
    await expectAccessibleOnce(page, 'the inbox');
  });

  it('finds plans by words, by person and by tool, and says how where it finds none', async () => {
    await propose('Update the March figures', [write('march.txt')], {
      user: 'Ana',
      approvers: { kind: 'anyone' },
    });
    await propose('Update the April figures', [write('april.txt')]);
    await propose('Delete the old files', [remove]);
    await page.goto(server.url);
    await entry('April').waitFor();
    const shown = group('Needs you');
    const expectFound = (...wanted: string[]) =>
      waitFor(
        `${wanted} to be found`,
        async () => (await titles(shown)).toSorted().join() === wanted.toSorted().join(),
      );
    await keys('/');
    await page.keyboard.type('figures march');
    await expectFound('Update the March figures');
    const field = page.getByLabel('Search the plans');
    await field.fill('from:Ana');
    await expectFound('Update the March figures');
    await field.fill('april tool:workspace_write');
    await expectFound('Update the April figures');
    await field.fill('nobody ever said this');
    await page.getByText('No plan matches “nobody ever said this”').waitFor();
    await page.locator('.rail-list').getByRole('button', { name: 'Clear the search' }).click();
    await entry('April').waitFor();
    expect(await field.inputValue()).toBe('');
    await field.fill('figures');
    await expectFound('Update the March figures', 'Update the April figures');
    await page.keyboard.press('Escape');
    await waitFor('the field to be empty', async () => (await field.inputValue()) === '');
    await entry('Delete the old files').waitFor();
  });

  it('opens an earlier conversation again', async () => {
    const first = 'Create notes/first.md saying "First"';
    await ask(first);
    const { url } = { url: page.url() };
    await keys('n');
    await page.getByText('What should be done?').first().waitFor();
    await page.locator('#say:focus').waitFor();
    await page.getByRole('button', { name: 'Conversations' }).click();
    await page.getByRole('button', { name: new RegExp(first) }).click();
    await page.locator('.message-text', { hasText: first }).waitFor();
    expect(new URL(page.url()).searchParams.get('c')).toBe(new URL(url).searchParams.get('c'));
    await page.goBack();
    await page.locator('.welcome').waitFor();
    await page.goForward();
    await page.locator('.message-text', { hasText: first }).waitFor();
  });
});

describe('the keyboard', () => {
  it('goes from the inbox to an approval, which it never gives unseen', async () => {
    const [first, second] = [
      await propose('First to decide', [write('first.txt')]),
      await propose('Second to decide', [write('second.txt')]),
    ];
    await page.goto(server.url);
    await entry('First to decide').waitFor();
    await page.getByLabel('Your message').fill('j');
    await page.keyboard.type('jax?');
    expect(await page.getByLabel('Your message').inputValue()).toBe('jjax?');
    await page.getByLabel('Your message').fill('');

    await keys('j');
    const top = await focused();
    await keys('j');
    const next = await focused();
    expect([top, next].toSorted()).toEqual(['First to decide', 'Second to decide']);
    await keys('k', 'ArrowDown', 'ArrowUp');
    expect(await focused()).toBe(top);
    await keys('Enter');
    await page.getByRole('heading', { name: top }).waitFor();
    const plan = top === first.title ? first : second;
    await page.locator('.review-bar').waitFor();
    await keys('a');
    const approve = page.locator('.review-bar .primary:focus');
    await approve.waitFor();
    expect((await server.api.plan(plan.id)).status).toBe('proposed');
    await keys('r');
    await page.locator('.review-bar textarea:focus').waitFor();
    await page.keyboard.press('Escape');
    await keys('a');
    await approve.waitFor();
    await keys('a');
    await server.api.reach(plan.id, 'completed');
  });

  it('lists its shortcuts, and can be told to leave single keys alone', async () => {
    await page.goto(server.url);
    await page.locator('.rail-list').waitFor();
    await keys('?');
    const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await dialog.waitFor();
    await dialog.getByRole('checkbox').uncheck();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await keys('/');
    expect(await page.locator('#inbox-search:focus').count()).toBe(0);
    await page.getByRole('button', { name: 'Keyboard shortcuts' }).click();
    await dialog.getByRole('checkbox').check();
    await dialog.getByRole('button', { name: 'Close' }).click();
    await keys('/');
    await page.locator('#inbox-search:focus').waitFor();
  });
});

describe('several plans decided together', () => {
  it('are each approved as they were read: what changed meanwhile is shown again, what is guarded is read first', async () => {
    const [one, two] = [
      await propose('One of several', [write('one.txt')]),
      await propose('Two of several', [write('two.txt')]),
    ];
    const guarded = await propose('Guarded one', [remove]);
    await page.goto(server.url);
    await entry('Guarded one').waitFor();
    for (const title of ['One of several', 'Two of several', 'Guarded one']) {
      await entry(title).hover();
      await entry(title).getByRole('checkbox').check();
    }
    await page.getByRole('button', { name: 'Approve 3' }).click();
    const dialog = page.getByRole('dialog', { name: 'Approve 3 plans' });
    const row = (title: string) => dialog.locator('.triage-row', { hasText: title });
    await dialog.getByRole('button', { name: 'Approve 2 plans' }).waitFor();
    await row('Guarded one').getByText('Has guarded steps').waitFor();
    expect(await row('Guarded one').getByRole('checkbox').isDisabled()).toBe(true);
    expect(await row('One of several').innerText()).toContain('1 step · 1 change');
    expect(await row('One of several').innerText()).toContain('one.txt');

    const patch = { op: 'add_step', step: { ...write('more.txt'), id: 'more' } };
    const { status } = await server.api.post(`/api/plans/${two.id}/patches`, {
      base_revision: two.revision,
      operations: [patch],
    });
    expect(status).toBe(200);
    await dialog.getByRole('button', { name: 'Approve 2 plans' }).click();
    await row('One of several').getByText('Approved', { exact: true }).waitFor();
    await row('Two of several').getByText('version 2 is below').waitFor();
    await row('Two of several').getByText('more.txt').waitFor();
    expect((await server.api.plan(two.id)).status).toBe('proposed');
    expect((await server.api.plan(guarded.id)).status).toBe('proposed');
    await server.api.reach(one.id, 'completed');

    await row('Two of several').getByRole('checkbox').check();
    await dialog.getByRole('button', { name: 'Approve 1 plan' }).click();
    await row('Two of several').getByText('Approved', { exact: true }).waitFor();
    await server.api.reach(two.id, 'completed');

    await row('Guarded one').getByRole('button', { name: 'Open' }).click();
    await page.getByRole('heading', { name: 'Guarded one' }).waitFor();
    await page.getByRole('button', { name: 'Approve 1', exact: true }).click();
    const again = page.getByRole('dialog', { name: 'Approve 1 plan' });
    await again.getByRole('button', { name: 'Approve 1 plan' }).click();
    await waitFor(
      'it to run',
      async () => (await server.api.plan(guarded.id)).status !== 'proposed',
    );
  });

  it('lose nothing when the connection fails, and are decided once when they are sent again', async () => {
    const plans = [
      await propose('Lost one', [write('l1.txt')]),
      await propose('Lost two', [write('l2.txt')]),
    ];
    await page.goto(server.url);
    await entry('Lost one').waitFor();
    await keys('j', 'x', 'j', 'x');
    await page.getByRole('button', { name: 'Reject 2' }).click();
    const dialog = page.getByRole('dialog', { name: 'Reject 2 plans' });
    await dialog.getByLabel('Reason').fill('Not this week');
    // The first succeeds, and its answer is lost.
    let lost = 0;
    await page.route('**/reject', async (route) => {
      lost += 1;
      if (lost === 1) await route.fetch();
      await route.abort();
    });
    await dialog.getByRole('button', { name: 'Reject 2 plans' }).click();
    await dialog.getByText('answering').nth(1).waitFor();
    await page.unroute('**/reject');
    await dialog.getByRole('button', { name: 'Reject 2 plans' }).click();
    await dialog.getByText('2 of 2 plans rejected').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    for (const { id } of plans) {
      const { status, rejection_history: history } = await server.api.plan(id);
      expect(status).toBe('rejected');
      expect(history.map(({ feedback }) => feedback)).toEqual(['Not this week']);
    }
    expect(await page.locator('.triage-bar').count()).toBe(0);
  });
});

describe('on narrower screens', () => {
  // Except inside horizontal scrollers.
  const findClipped = () =>
    page.evaluate<string[]>(`[...document.querySelectorAll('#app *')]
      .filter((one) => one.checkVisibility() && !one.closest('svg, .visually-hidden, .tabs, .table-scroll, .graph, .gantt'))
      .filter((one) => { const { left, right, width } = one.getBoundingClientRect(); return width > 1 && (left < -0.5 || right > innerWidth + 0.5); })
      .map((one) => one.tagName + '.' + one.className)`);

  it('shows one part at a time on a phone, with nothing clipped', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    for (let n = 1; n <= 12; n++) {
      await propose(
        `Waiting plan number ${n} with averylongwordwithoutanyspacethatcannotbreak${n}`,
        [write(`n${n}.txt`)],
      );
    }
    await page.goto(server.url);
    await page.getByLabel('Your message').waitFor();
    const bar = page.getByRole('navigation', { name: 'What to show' });
    await bar.getByText('12').first().waitFor();
    const look = async (part: string) => {
      await bar.getByRole('button', { name: part }).click();
      expect(await findClipped()).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    };
    await look('Conversation');
    expect(await page.getByRole('button', { name: 'Send' }).isVisible()).toBe(true);
    await look('Inbox');
    await entry('number 7 ').getByRole('button').click();
    await page.locator('.review-bar').waitFor();
    await look('Plan');
    await page.goBack();
    await entry('number 7 ').waitFor();
    expect(await page.locator('.rail').isVisible()).toBe(true);
  });
});
