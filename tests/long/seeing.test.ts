// Large plans in the console: groups, and search within two seconds.
import { describe, expect, it } from 'vitest';
import { draftStep } from '../fixtures/steps.ts';
import { page, server, useConsole } from '../setup/console.ts';

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

const size = 100_000;

// Milliseconds, also printed.
async function time(what: string, happens: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await happens();
  const took = Math.round(performance.now() - start);
  console.info(`${what}: ${took} ms`);
  return took;
}

it('finds a step by name in a plan of 100,000 steps within two seconds, and opens its groups', async () => {
  const plan = await server.api.propose({
    title: 'A hundred thousand letters',
    steps: Array.from({ length: size }, (_, n) => ({
      ...draftStep(`letter-${n}`, `Write the letter to customer ${n}`, 'workspace_write', {
        path: `letters/${n}.md`,
        content: `Dear customer ${n}, thank you for your order.`,
      }),
      partition: `letters-${String(Math.floor(n / 1000)).padStart(3, '0')}`,
      duration_minutes: 1,
      after: n < 1000 ? [] : [`letter-${n - 1000}`],
    })),
  });
  await page.goto(`${server.url}/?plan=${plan.id}&tab=steps`);
  const search = page.getByLabel('Search the steps');
  await search.waitFor();
  await page.locator('.steps .step').first().waitFor();

  const found = await time('found by its name', async () => {
    await search.fill('letter-99123');
    await page.locator('.step-head', { hasText: 'letters/99123.md' }).waitFor();
  });
  expect(found).toBeLessThan(2000);
  await page.getByText('1 step found').waitFor();
  await search.press('ArrowDown');
  await page.locator('.step-head:focus').waitFor();
  await search.fill('no such letter');
  await page.getByText('No step matches “no such letter”').waitFor();
  await search.press('Escape');
  await page.locator('.steps .step').nth(10).waitFor();

  await page.getByRole('tab', { name: 'Graph' }).click();
  await time('drew its groups', () => page.locator('.group-tile').nth(99).waitFor());
  await page.getByText(/Critical path: 1 → 1001 → .* \(100 steps, about 1 h 40 min\)/).waitFor();
  const tile = page.getByRole('button', { name: /^letters-055/ });
  await time('opened a group', async () => {
    await tile.click();
    await page.locator('.opened .step').nth(49).waitFor();
  });
  expect(await page.locator('.opened .step').count()).toBe(50);
  await page.getByRole('tab', { name: 'Timeline' }).click();
  await time('drew its timeline', () =>
    page.locator('.gantt-row[data-row="group"]').nth(99).waitFor(),
  );
}, 240_000);
