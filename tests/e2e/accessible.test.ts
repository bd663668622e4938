// The console for people who do not see it, or not well: every page and dialog by the rules of WCAG 2.2 AA.
import { describe, it } from 'vitest';
import { expectAccessible } from '../setup/axe.ts';
import { page, server, useConsole } from '../setup/console.ts';

useConsole();

describe('settings', () => {
  const sections = ['preferences', 'tools', 'approvals', 'models', 'running', 'chats', 'access'];
  it.each(sections)('%s have no violation of WCAG 2.2 AA', async (section) => {
    await page.goto(`${server.url}/?settings=${section}`);
    await page
      .locator('#settings .settings-body h3, #settings legend, #settings h4')
      .first()
      .waitFor();
    const details = page.locator('#settings summary').first();
    if ((await details.count()) > 0) await details.click();
    await expectAccessible(page, section);
  });
});
