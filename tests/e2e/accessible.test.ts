// The console for people who do not see it, or not well: every page and dialog by the rules of WCAG 2.2 AA.
import { describe, it } from 'vitest';
import { expectAccessible } from '../setup/axe.ts';
import { page, server, useConsole } from '../setup/console.ts';

useConsole();

describe('settings', () => {
  it('have no violation of WCAG 2.2 AA', async () => {
    await page.goto(server.url);
    await page.getByRole('button', { name: 'Settings' }).click();
    await page.locator('dialog.settings').waitFor();
    await expectAccessible(page, 'settings');
  });
});
