// The console's tabs, lists, keyboard and connection in detail.
import { describe, expect, it } from 'vitest';
import { draftStep } from '../fixtures/steps.ts';
import {
  ask,
  bar,
  button,
  column,
  database,
  here,
  page,
  programs,
  server,
  shownPlan,
  useConsole,
} from '../setup/console.ts';

useConsole();

describe('a request', () => {
  it('shows its steps in every tab, and its decision in the audit', async () => {
    // For retries.
    const folder = `tabs-${Date.now()}`;
    const files = ['a', 'b', 'c'].map((name) => `${folder}/${name}.txt`);
    await ask(files.map((file) => `write "${file.split('/').at(-1)}" to ${file}`).join(' and '));
    await button('Approve').click();
    await page.locator('.plan-state .badge', { hasText: 'Done' }).waitFor();

    await page.getByRole('tab', { name: 'Overview' }).focus();
    await page.keyboard.press('ArrowRight');
    await page.locator('.graph .node[data-status="succeeded"]').nth(2).waitFor();
    await page.keyboard.press('ArrowRight');
    await page.locator('.gantt .span[data-kind="actual"]').nth(2).waitFor();
    await page.keyboard.press('ArrowRight');
    await page.getByRole('button', { name: new RegExp(`Creates ${files[1]}`) }).click();
    await page.locator('.diff-text', { hasText: 'b.txt' }).waitFor();
    await page.getByRole('tab', { name: 'Audit' }).click();
    await page.getByRole('row', { name: /You Approved via console 1/ }).waitFor();
    await page.getByRole('tab', { name: 'Trace' }).click();
    await page.getByRole('row', { name: 'Collect context' }).first().waitFor();
    await page.getByText('Planner: offline planner').waitFor();
    await page.getByText(/In all: /).waitFor();
  });
});

describe('a plan on the page', () => {
  const slow = {
    title: 'Wait a while',
    steps: [1, 2].map((n) => ({
      ...draftStep(String(n), `Wait ${n}`, 'control_wait', { seconds: 1.5 }),
      after: n === 1 ? [] : ['1'],
    })),
  };

  it('shows its progress while it runs', async () => {
    const plan = await server.api.propose({ ...slow, conversation: 'console-slow' });
    await page.goto(`${server.url}/?plan=${plan.id}`);
    await button('Approve').click();
    await bar().getByText('0 of 2').waitFor();
    await bar().getByText('1 of 2').waitFor();
    await column().getByText('2 steps done.').waitFor();
  });

  it('comes back after a reload with its conversation and its tab', async () => {
    await ask('Create notes/reload.md saying "Still here"');
    await page.getByRole('tab', { name: 'Steps' }).click();
    await page.locator('.step').first().waitFor();
    const { id } = await shownPlan();
    await page.reload();
    await page.locator('.step').first().waitFor();
    await page.getByText('Create notes/reload.md saying "Still here"').waitFor();
    await button('Approve').waitFor();
    expect((await shownPlan()).id).toBe(id);
  });

  it('keeps what a person is typing on its card while other things change', async () => {
    await ask('Create notes/typed.md saying "Typed"');
    await button('Propose changes').click();
    await bar().locator('textarea:focus').waitFor();
    await page.keyboard.type('half a sent');
    await page.evaluate("document.getElementById('tab-steps').click()");
    await page.locator('.step').first().waitFor();
    await page.keyboard.type('ence');
    const field = bar().getByRole('textbox');
    expect(await field.inputValue()).toBe('half a sentence');
  });

  it('keeps the decisions in sight, however little room there is', async () => {
    await ask('Create notes/tall.md saying "Tall", then copy it to notes/taller.md');
    for (const height of [900, 480]) {
      await page.setViewportSize({ width: 1280, height });
      for (const tab of ['Overview', 'Graph', 'Steps', 'Audit']) {
        await page.getByRole('tab', { name: tab }).click();
        const box = await button('Approve').boundingBox();
        expect(box === null ? height : box.y + box.height).toBeLessThan(height);
      }
    }
    await button('Propose changes').click();
    await bar().locator('textarea:focus').waitFor();
    await page.keyboard.press('Escape');
    await bar()
      .getByRole('button', { name: 'Propose changes' })
      .and(page.locator(':focus'))
      .waitFor();
  });
});

describe('the connection', () => {
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
