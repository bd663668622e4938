// Everything without a pointer; focus is always visible.
import { beforeEach, expect, it } from 'vitest';
import { draftStep } from '../fixtures/steps.ts';
import { column, page, readWorkspace, server, shownPlan, useConsole } from '../setup/console.ts';
import { waitFor } from '../wait.ts';

useConsole();

// Records frames without focus, once something had it.
const recorder = `
  globalThis.lost = [];
  let last = null;
  const look = () => {
    const { activeElement: active, body } = document;
    if (active !== null && active !== body) last = active.id || active.className || active.tagName;
    else if (last !== null) { lost.push('after ' + last); last = null; }
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);`;

beforeEach(() => page.addInitScript(recorder));

const readFocus = () =>
  page.evaluate<{ name: string; seen: boolean; id: string }>(`(() => {
    const one = document.activeElement;
    const { left, top, right, bottom } = one.getBoundingClientRect();
    const onScreen = right > 0 && bottom > 0 && left < innerWidth && top < innerHeight;
    const marked = [one, one.closest('.composer-box')].some((part) => {
      if (part === null) return false;
      const { outlineStyle, boxShadow } = getComputedStyle(part);
      return outlineStyle !== 'none' || boxShadow !== 'none';
    });
    const name = (one.getAttribute('aria-label') ?? one.labels?.[0]?.innerText ?? one.innerText ?? '').trim();
    return { name, id: one.id, seen: one !== document.body && onScreen && marked };
  })()`);

const isFocused = async (id: string) => (await readFocus()).id === id;

async function press(...keys: string[]): Promise<void> {
  for (const key of keys) {
    await page.keyboard.press(key);
    await page.evaluate(
      'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))',
    );
    const { seen, name, id } = await readFocus();
    expect(seen, `the focus after ${key}: ${id} ${name}`).toBe(true);
    expect(await page.evaluate('lost')).toEqual([]);
  }
}

async function tabTo(name: RegExp, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  const passed: string[] = [];
  for (let presses = 0; presses < 60; presses++) {
    await press(key);
    const focus = await readFocus();
    if (name.test(focus.name)) return;
    passed.push(focus.name.slice(0, 40));
  }
  throw new Error(`Tab does not come to ${name}: ${passed.join(' | ')}`);
}

const state = (words: string) => page.locator('.plan-state .badge', { hasText: words }).waitFor();

it('asks, reads, comments, approves in part, answers a task and finds the result', async () => {
  // For retries.
  const folder = `keys-${Date.now()}`;
  await page.goto(server.url);
  await waitFor('the field to be ready', () => isFocused('say'));
  await page.keyboard.type(
    `Create ${folder}/a.txt saying "One" and create ${folder}/b.txt saying "Two" and create ${folder}/c.txt saying "Three" and ask local "Are all right?"`,
  );
  await press('Enter');
  await page.locator('.review-bar').waitFor();

  await tabTo(/^Overview$/);
  await press('ArrowRight', 'ArrowRight', 'ArrowRight');
  expect((await readFocus()).name).toBe('Steps');
  await page.locator('.rank .tick').nth(3).waitFor();
  await tabTo(/^Approve step 1b: /);
  await tabTo(/^Comment on step 1b$/);
  await press('Enter');
  await page.keyboard.type('change "Two" to "Second"');
  await press('Control+Enter');
  await page.locator('.comment', { hasText: 'Second' }).waitFor();
  expect((await readFocus()).name).toBe('Edit');

  await press('r');
  await page.locator('.bar-comments').waitFor();
  await press('Control+Enter');
  await page.locator('.plan-version', { hasText: 'Version 2' }).waitFor();
  await press('g', 'p');
  expect((await readFocus()).id).toBe('tab-panel');

  await page.locator('.step', { hasText: 'Second' }).waitFor();
  await tabTo(/^Approve step 1c: /);
  await press('Space');
  const total = (await shownPlan()).total_steps;
  await press('a');
  expect((await readFocus()).name).toBe(`Approve ${total - 1} of ${total} steps`);
  expect((await shownPlan()).status).toBe('proposed');
  await press('Enter');

  await page.locator('.bar-ask', { hasText: 'Are all right?' }).waitFor();
  await press('g', 'p');
  await tabTo(/Your answer/);
  await page.keyboard.type('All but c, which is left out');
  await tabTo(/^Send$/);
  await press('Enter');
  await state('Done');
  await press('g', 'p');
  const { id } = await shownPlan();

  await press('n');
  await page.locator('.welcome').waitFor();
  await press('Shift+Tab', '/');
  await page.keyboard.type(folder);
  await waitFor('what was searched', async () => (await page.locator('.entry').count()) === 1);
  await press('ArrowDown', 'Enter', 'g', 'p');
  await state('Done');
  expect((await readFocus()).id).toBe('tab-panel');
  expect((await shownPlan()).id).toBe(id);
  expect(await page.locator('#tab-panel').innerText()).toContain(`Created ${folder}/b.txt`);
  await tabTo(/^Overview$/, 'Shift+Tab');
  await press('ArrowRight', 'ArrowRight', 'ArrowRight');
  await page.locator('.steps .step').nth(3).waitFor();
  await tabTo(/^1b/);
  await press('Enter');
  await column().locator('.step-details', { hasText: 'Created' }).waitFor();
  expect(await readWorkspace(`${folder}/b.txt`)).toBe('Second');
  await expect(readWorkspace(`${folder}/c.txt`)).rejects.toMatchObject({ code: 'ENOENT' });
});

it('goes back to where it was when a dialog closes, however that comes', async () => {
  const titles = ['First of two', 'Second of two'];
  for (const title of titles) {
    const args = { path: `${title}.txt`, content: title };
    const step = draftStep('w', 'Write', 'workspace_write', args);
    await server.api.propose({ title, steps: [step] });
  }
  await page.goto(server.url);
  await page.locator('.entry').nth(1).waitFor();
  await waitFor('the field to be ready', () => isFocused('say'));
  await tabTo(/^Settings$/, 'Shift+Tab');
  await press('Enter');
  await page.locator('#settings[open]').waitFor();
  await press('Escape');
  expect((await readFocus()).name).toBe('Settings');

  await press('j', 'x', 'j', 'x');
  await press('?');
  await page.locator('#shortcuts[open]').waitFor();
  await press('Escape');
  expect((await readFocus()).name).toContain('of two');
  await tabTo(/^Approve 2$/);
  await press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Approve 2 plans' });
  await dialog.getByText('Version').nth(1).waitFor();
  await tabTo(/^Approve 2 plans$/);
  await press('Enter');
  await dialog.getByText('2 of 2 plans approved').waitFor();
  await press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await waitFor(
    'the inbox to be read again',
    async () => (await page.locator('.triage-bar').count()) === 0,
  );
  expect((await readFocus()).seen).toBe(true);
  expect(await page.evaluate('lost')).toEqual([]);
});
