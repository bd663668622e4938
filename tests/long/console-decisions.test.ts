// Console decisions not covered by tests/e2e: part of a plan, once, and never anything hidden.
import { describe, expect, it } from 'vitest';
import { draftStep } from '../fixtures/steps.ts';
import {
  ask,
  bar,
  button,
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
});

describe('a review', () => {
  const write = (n: number, content = `Text ${n}`, path = `many/${n}.txt`) =>
    draftStep(`w${n}`, `Write ${n}`, 'workspace_write', { path, content });
  const rows = () => page.locator('.rank .step');

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
