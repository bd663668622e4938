// A plan of 100,000 steps in the console: a step is found by its name within two seconds, and groups open at once.
import { expect, it } from 'vitest';
import { draftStep } from '../fixtures/steps.ts';
import { page, server, useConsole } from '../setup/console.ts';

useConsole();

const size = 100_000;

/** Milliseconds until `happens`, told in the test's output. */
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
