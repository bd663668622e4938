// Accessibility of a page as axe sees it: no violation of WCAG 2.2 at level AA, in light and dark, on a screen and a phone.
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** WCAG 2.0 to 2.2, levels A and AA. */
const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

let source: Promise<string> | null = null;

/** The page's policy keeps foreign scripts out, so axe comes through the debugger, not as an element. */
async function injectAxe(page: Page): Promise<void> {
  if (await page.evaluate('"axe" in window')) return;
  source ??= readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  await page.evaluate(await source);
}

/** What axe objects to, one line each: the rule, what it says, and where. Half-faded things have no contrast to speak of. */
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

/**
 * Expects that what `page` shows now has no violation on a screen or a phone, in light or dark. The page keeps its state;
 * afterwards it has the size it had.
 * @param what for the failure
 */
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

/** The same in one look, which its name decides: `npm test` looks at a thing once, the long tests in all looks. */
export async function expectAccessibleOnce(page: Page, what: string): Promise<void> {
  const at = what.length % looks.length;
  await expectAccessible(page, what, looks.slice(at, at + 1));
}
