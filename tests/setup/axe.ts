// Checks a page with axe, in all looks.
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

let source: Promise<string> | null = null;

/** The page's policy blocks foreign scripts, so axe is injected through the debugger. */
async function injectAxe(page: Page): Promise<void> {
  if (await page.evaluate('"axe" in window')) return;
  source ??= readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  await page.evaluate(await source);
}

/** Half-faded elements have no meaningful contrast. */
async function listViolations(page: Page): Promise<string[]> {
  await injectAxe(page);
  await page.evaluate(`Promise.all(
    document.getAnimations().filter(({ effect }) => effect.getTiming().iterations !== Infinity).map(({ finished }) => finished),
  ).catch(() => {})`);
  const { violations } = await page.evaluate<AxeResults>(
    `axe.run(document, { runOnly: ${JSON.stringify(rules)}, resultTypes: ['violations'] })`,
  );
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => {
      const why = (failureSummary ?? '').split('\n').slice(1).join('; ').trim();
      return `${id}: ${target.join(' ')}: ${why}`;
    }),
  );
}

export type Look = { scheme: 'light' | 'dark'; width: number };
export const looks: Look[] = [
  { scheme: 'light', width: 1440 },
  { scheme: 'dark', width: 1440 },
  { scheme: 'light', width: 390 },
  { scheme: 'dark', width: 390 },
];

/** @param what names the page in a failure */
export async function expectAccessible(
  page: Page,
  what: string,
  looked: Look[] = looks,
): Promise<void> {
  const size = page.viewportSize();
  const found: string[] = [];
  for (const { scheme, width } of looked) {
    await page.emulateMedia({ colorScheme: scheme });
    await page.setViewportSize({ width, height: 900 });
    for (const line of await listViolations(page))
      found.push(`${what}, ${width} ${scheme}: ${line}`);
  }
  await page.emulateMedia({ colorScheme: null });
  if (size !== null) await page.setViewportSize(size);
  expect(found).toEqual([]);
}

/** One look, chosen by name: the long tests check all. */
export async function expectAccessibleOnce(page: Page, what: string): Promise<void> {
  const at = what.length % looks.length;
  await expectAccessible(page, what, looks.slice(at, at + 1));
}
