// Console decisions not covered by tests/e2e: part of a plan, once, and never anything hidden.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { draftStep } from '../fixtures/steps.ts';
import {
  ask,
  bar,
  button,
  home,
  page,
  readWorkspace,
  server,
  shownPlan,
  useConsole,
} from '../setup/console.ts';

useConsole();

describe('a request', () => {
  it('runs no step that is unticked, whether its card is pressed or the word is written', async () => {
    for (const decide of ['press', 'word'] as const) {
      const path = (name: string) => `${decide}/${name}.txt`;
      await ask(`Write "kept" to ${path('kept')} and write "left" to ${path('left')}`);
      await page.getByRole('tab', { name: 'Steps' }).click();
      await page.getByRole('checkbox', { name: /^Approve step .*left/ }).uncheck();
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

  it('shows markup as the text it is, wherever it appears', async () => {
    const markup = '<img src=x onerror="document.title=1"><script>document.title=2</script>';
    await ask(`Create notes/x.md saying '${markup}'`);
    await page.locator('.message[data-author="person"] .said').getByText(markup).waitFor();
    for (const name of ['Graph', 'Timeline', 'Steps', 'Trace', 'Audit', 'Overview']) {
      await page.getByRole('tab', { name }).click();
    }
    await button('Approve').click();
    await page.locator('.plan-state .badge', { hasText: 'Done' }).waitFor();
    expect(await page.locator('#app img:not(.brand img), #app script').count()).toBe(0);
    expect(await page.title()).toMatch(/Done · Countersign$/);
    expect(await readWorkspace('notes/x.md')).toContain('<script>document.title=2</script>');
  });
});

describe('a review', () => {
  const write = (n: number, content = `Text ${n}`, path = `many/${n}.txt`) =>
    draftStep(`w${n}`, `Write ${n}`, 'workspace_write', { path, content });
  const rows = () => page.locator('.rank .step');

  it('shows what a write changes in the file that is there now', async () => {
    await writeFile(join(home, 'workspace', 'times.md'), 'Standup at 9:00\nReview on Friday\n');
    const plan = await server.api.propose({
      title: 'Later',
      conversation: 'later',
      steps: [{ ...write(1, 'Standup at 9:30\nReview on Friday\n', 'times.md'), ask_before: true }],
    });
    await page.goto(`${server.url}/?c=later&plan=${plan.id}&tab=steps`);
    await page.locator('.diff-file').waitFor();
    expect(await rows().first().innerText()).toContain('asks before it runs');
    const lines = (sign: string) => page.locator(`.diff-row[data-sign="${sign}"] .diff-text`);
    expect(await lines('-').allTextContents()).toEqual(['removed: Standup at 9:00']);
    expect(await lines('+').allTextContents()).toEqual(['added: Standup at 9:30']);
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
    expect(await button('Approve').isDisabled()).toBe(true);
    release();
    await rows().nth(1).waitFor();
    expect(await button('Approve').isEnabled()).toBe(true);
  });
});

describe('a plan on the page', () => {});
