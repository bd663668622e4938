// Seeing a plan: groups of a large one that open on demand, and a conflict with another plan that is resolved by a press.
import { describe, expect, it } from 'vitest';
import { draftStep } from '../fixtures/steps.ts';
import { bar, page, server, useConsole } from '../setup/console.ts';

useConsole();

describe('a plan of 300 steps', () => {
  const propose = () =>
    server.api.propose({
      title: 'Three hundred letters',
      steps: Array.from({ length: 300 }, (_, n) => ({
        ...draftStep(`letter-${n}`, `Write letter ${n}`, 'workspace_write', {
          path: `letters/${n}.md`,
          content: `Dear customer ${n}`,
        }),
        partition: `batch ${Math.floor(n / 100)}`,
        duration_minutes: 5,
        after: n < 100 ? [] : [`letter-${n - 100}`],
      })),
    });

  it('is a graph of its parts, each of which opens and closes again', async () => {
    const plan = await propose();
    await page.goto(`${server.url}/?plan=${plan.id}&tab=graph`);
    const groups = page.locator('.graph .group');
    await groups.nth(2).waitFor();
    expect(await groups.count()).toBe(3);
    await page.getByText('Critical path: 1 → 101 → 201 (about 15 min)').waitFor();
    expect(await page.locator('.edge-count text').allTextContents()).toEqual(['100', '100']);

    const second = page.getByRole('button', { name: /^batch 1: 100 steps\. Not started/ });
    await second.focus();
    await page.keyboard.press('Enter');
    const steps = page.locator('.opened .step');
    await steps.nth(49).waitFor();
    await page.getByRole('button', { name: 'Show more (50 left)' }).click();
    await steps.nth(99).waitFor();
    await steps.nth(0).getByRole('button').click();
    await page.locator('.opened .step-details').waitFor();
    await page.getByRole('button', { name: 'Close the group' }).click();
    await steps.first().waitFor({ state: 'detached' });

    await page.getByRole('button', { name: 'Stage', exact: true }).click();
    await page.getByRole('button', { name: /^Stage 3: 100 steps/ }).waitFor();
  });
});

describe('a time that another plan has of the same person', () => {
  it('is given up by a press for one that is free, in a new version to approve', async () => {
    await server.api.ask('Ask Ben "Please review notes.md" takes 3 hours.', {
      conversation: 'console-first',
    });
    const { plan_id } = await server.api.ask('Ask Ben "Please review plan.md" takes 2 hours.', {
      conversation: 'console-second',
    });
    await page.goto(`${server.url}/?c=console-second&plan=${plan_id}`);
    // The review bar decides on every tab; the timeline offers its own fixes too.
    await bar()
      .getByRole('button', { name: /^Move to |instead$/ })
      .first()
      .waitFor();
    await page.getByRole('tab', { name: 'Timeline' }).click();
    const conflicts = page.getByRole('region', { name: 'Conflicts with other plans' });
    await conflicts
      .getByText(/“Ask Ben .*” overlaps PLAN-/)
      .first()
      .waitFor();
    await conflicts
      .getByRole('button', { name: /^Move to |instead$/ })
      .first()
      .click();
    await page.locator('.plan-version', { hasText: 'Version 2' }).waitFor();
    await conflicts.waitFor({ state: 'detached' });
    const second = await server.api.plan(String(plan_id));
    expect(second).toMatchObject({ version: 2, status: 'proposed' });
  });
});
