// The console's inbox with pages of plans, and with thousands.
import { afterEach, describe, expect, it } from 'vitest';
import type { Inbox } from '#domain/plan/inbox.ts';
import type { Plan } from '#domain/plan/plan.ts';
import { draftStep } from '../fixtures/steps.ts';
import { page, server, useConsole } from '../setup/console.ts';
import { waitFor } from '../wait.ts';

useConsole();

const pageSize = 25;
const step = draftStep('1', 'Wait', 'control_wait', { seconds: 1 });

const propose = (n: number, more: object = {}) =>
  server.api.propose({ ...more, title: `Waiting plan no${n}`, steps: [step] });

async function proposeAll(from: number, to: number): Promise<void> {
  let next = from;
  const work = async () => {
    while (next <= to) {
      const n = next;
      next += 1;
      await propose(n);
    }
  };
  await Promise.all(Array.from({ length: 8 }, work));
}

const entries = () => page.locator('.group[data-group="needs_you"] .entry');
const more = () => page.locator('.group[data-group="needs_you"] .more');
const focused = () => page.locator('.entry-main:focus .entry-title').innerText();
const read = async () => {
  const path = '/api/plans?status=proposed,needs_review&limit=100';
  return (await server.api.get<{ plans: Plan[] }>(path)).body.plans;
};

describe('a group of the inbox', () => {
  afterEach(async () => {
    for (let plans = await read(); plans.length > 0; plans = await read()) {
      await Promise.all(
        plans.map(({ id, version }) => server.api.post(`/api/plans/${id}/reject`, { version })),
      );
    }
  });

  it('goes on by the keyboard alone, and keeps what was paged to when it is read again', async () => {
    const total = pageSize + 3;
    await proposeAll(1, total);
    await page.goto(server.url);
    await entries()
      .nth(pageSize - 1)
      .waitFor();
    expect(await entries().count()).toBe(pageSize);
    expect(await more().innerText()).toMatch(/Show more\s*3/);
    await entries().first().getByRole('button').focus();
    await page.keyboard.press('End');
    const last = await focused();
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowDown');
    expect(await focused()).toBe(last);
    await more().focus();
    await page.keyboard.press('Enter');
    await entries()
      .nth(total - 1)
      .waitFor();
    const there = await focused();
    expect(await entries().nth(pageSize).innerText()).toContain(there);
    expect(await more().count()).toBe(0);

    // Longest waiting first, so a new plan comes last.
    await propose(total + 1);
    await entries().nth(total).waitFor();
    expect(await focused()).toBe(there);
  });
});

describe('with 2,000 plans the inbox', () => {
  it('draws a page of them, is there within two seconds, and moves without a pause', async () => {
    const { body } = await server.api.get<Inbox>('/api/inbox?group=needs_you&limit=1');
    // For retries.
    await proposeAll((body.groups[0]?.total ?? 0) + 1, 2000);
    const began = Date.now();
    await page.goto(server.url);
    await entries()
      .nth(pageSize - 1)
      .waitFor();
    expect(Date.now() - began).toBeLessThan(2000);
    expect(await entries().count()).toBe(pageSize);
    expect(await page.locator('#group-needs_you').innerText()).toMatch(/2,000/);
    await waitFor('the title', async () => (await page.title()).startsWith('(2,000)'));

    for (let pages = 2; pages <= 8; pages++) {
      await more().click();
      await entries()
        .nth(pages * pageSize - 1)
        .waitFor();
    }
    await entries().first().getByRole('button').focus();
    // Drawing each press first makes a pause visible.
    const slowest = await page.evaluate<number>(`(async () => {
      let slowest = 0;
      for (let n = 0; n < 60; n++) {
        const at = performance.now();
        document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: 'j', bubbles: true }));
        await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
        slowest = Math.max(slowest, performance.now() - at);
      }
      return slowest;
    })()`);
    expect(slowest).toBeLessThan(200);

    const at = Date.now();
    await page.getByLabel('Search the plans').fill('plan no1777');
    await waitFor('what was searched', async () => (await entries().count()) === 1);
    expect(await entries().first().innerText()).toContain('Waiting plan no1777');
    expect(Date.now() - at).toBeLessThan(2000);
  });
});
