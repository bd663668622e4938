// The console for people who do not see it, or not well: every page and dialog by the rules of WCAG 2.2 AA.
import { describe, it } from 'vitest';
import { expectAccessible } from '../setup/axe.ts';
import { button, page, server, useConsole } from '../setup/console.ts';

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

describe('a plan that waits', () => {
  const tabs = ['overview', 'timeline', 'steps', 'changes', 'trace', 'audit'];
  it.each(tabs)('has no violation of WCAG 2.2 AA in its tab %s', async (tab) => {
    const write = { tool: 'workspace', operation: 'write', description: 'Write' };
    const plan = await server.api.propose({
      title: 'Write and tidy up',
      conversation: 'accessible',
      steps: [
        { ...write, id: 'a', args: { path: 'a.txt', content: 'A' } },
        {
          id: 'b',
          tool: 'workspace',
          operation: 'delete',
          description: 'Tidy up',
          args: { path: 'a.txt' },
          after: ['a'],
        },
      ],
    });
    await page.goto(`${server.url}/?c=accessible&plan=${plan.id}&tab=${tab}`);
    await button('Approve').waitFor();
    await page.locator('#tab-panel .loading').waitFor({ state: 'detached' });
    await expectAccessible(page, tab);
  });
});
