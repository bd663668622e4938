import { expect, test } from 'vitest';
import { askOn, buttonOf, sessionCard, useConsolePage } from '../../setup/console-page.ts';

const { planner, openPage } = useConsolePage();

test('stages are approved by pressing, and a decided card keeps no buttons', async () => {
  const page = await openPage('stages');
  await askOn(page, 'Plan the launch');
  await sessionCard(page).getByText('1.1 Draft news/1.md').waitFor();
  await buttonOf(page, 'Approve').click();
  await sessionCard(page).getByText('The announcement cannot be taken back.').waitFor();
  expect(await page.locator('.card[data-run]').count()).toBe(1);
  await buttonOf(page, 'Approve').click();
  await page
    .locator('.review-bar')
    .getByRole('button', { name: /^Approve/ })
    .waitFor();
  expect(await page.locator('.card[data-run]').count()).toBe(0);
  expect(planner.asked.at(-1)?.decision).toMatchObject({ kind: 'approve', by: 'local' });
});
