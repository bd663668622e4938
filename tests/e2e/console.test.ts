// The console's stories: what is shown is what is approved, and what is approved runs. More of them are in tests/long.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { draftStep } from '../fixtures/steps.ts';
import {
  ask,
  bar,
  button,
  column,
  home,
  page,
  readWorkspace,
  server,
  shownPlan,
  useConsole,
} from '../setup/console.ts';
import { waitFor } from '../wait.ts';

useConsole();

describe('a request', () => {
  it('is planned, changed, approved and carried out, in sight all the way', async () => {
    await ask(
      'Create notes/standup.md saying "Standup at 9:30", then move it to archive/standup.md',
    );
    await page.getByText('Move notes/standup.md to archive/standup.md').first().waitFor();

    await button('Propose changes').click();
    await page.keyboard.type('change "Standup at 9:30" to "Daily at 9:15"');
    await button('Send').click();
    await page.locator('.plan-version', { hasText: 'Version 2' }).waitFor();
    await page.locator('.plan-ref').getByText('version 2').waitFor();
    const second = await shownPlan();
    expect(second).toMatchObject({ version: 2, status: 'proposed' });

    await page.getByRole('tab', { name: 'Changes' }).click();
    await page.locator('.diff [data-sign]').first().waitFor();

    await page.getByRole('tab', { name: 'Overview' }).click();
    await button('Approve').click();
    await page.locator('.plan-state .badge', { hasText: 'Done' }).waitFor();
    await column().getByText('Approved by you').waitFor();
    const { total_steps: total } = second;
    await column().getByText(`${total} steps done.`).waitFor();
    expect(await bar().count()).toBe(0);
    expect(await readWorkspace('archive/standup.md')).toBe('Daily at 9:15');

    await column().getByRole('button', { name: 'Run again…' }).click();
    const field = page.getByLabel('Your message');
    const written = `run ${second.id} again with `;
    await waitFor('the request', async () => (await field.inputValue()) === written);
    await page.keyboard.type('standup.md=weekly.md');
    await page.keyboard.press('Enter');
    await page.getByText('Move notes/weekly.md to archive/weekly.md').first().waitFor();
    expect(await shownPlan()).toMatchObject({ version: 1, status: 'proposed' });
  });
});

describe('a review', () => {
  const write = (n: number, content = `Text ${n}`, path = `many/${n}.txt`) =>
    draftStep(`w${n}`, `Write ${n}`, 'workspace_write', { path, content });
  const remove = draftStep('tidy', 'Tidy up', 'workspace_delete', { path: 'payroll.csv' });
  const rows = () => page.locator('.rank .step');

  const openReview = async (title: string, steps: object[]) => {
    const plan = await server.api.propose({ title, conversation: `review-${title}`, steps });
    await page.goto(`${server.url}/?c=${plan.conversation}&plan=${plan.id}`);
    await button('Review').click();
    await bar().waitFor();
    return plan;
  };

  it('is what Review opens: the dangerous call of sixty first, every value whole, and Approve asks once more, for exactly this version', async () => {
    await writeFile(join(home, 'workspace', 'payroll.csv'), 'name,salary');
    const long = `Begin ${'and so on '.repeat(400)}end`;
    const steps: object[] = Array.from({ length: 59 }, (_, n) =>
      write(n, n === 20 ? long : undefined),
    );
    const plan = await openReview('sixty', steps.toSpliced(36, 0, remove));
    expect(await rows().first().innerText()).toContain('deletes payroll.csv');
    expect(await rows().first().innerText()).toContain('cannot be undone');
    expect(await page.locator('.review-intro').innerText()).toContain('The first 50 of 60 steps');
    expect(await page.locator('.diff-text', { hasText: long }).isVisible()).toBe(true);
    await page.getByRole('button', { name: 'Show more' }).click();
    await rows().nth(59).waitFor();
    expect(await rows().locator('.effect').allInnerTexts()).toEqual(
      expect.arrayContaining([expect.stringContaining('Text 58')]),
    );
    const sent = page.waitForRequest((request) => request.url().endsWith('/api/press'));
    await button('Approve').click();
    await bar().getByText('Guarded: Permanently deletes payroll.csv').waitFor();
    await button('Approve and run').click();
    const { version, digest } = plan;
    expect((await sent).postDataJSON()).toMatchObject({ button: { version, digest } });
    await page.locator('.plan-state .badge', { hasText: 'Done' }).waitFor();
    expect(await bar().count()).toBe(0);
  });
});

describe('a step for a person', () => {
  it('is filled in on its card: what is wrong is said beside the field, and nothing typed is lost', async () => {
    const form = [
      { name: 'price', label: 'Price per night', type: 'number', required: true, min: 0 },
      { name: 'room', type: 'choice', required: true, options: ['Blue', 'Green'] },
      { name: 'day', label: 'First night', type: 'date' },
      { name: 'paid', label: 'Is it paid?', type: 'boolean' },
    ];
    const human = { tool: 'human', operation: 'task', description: 'Ask' };
    const plan = await server.api.propose({
      title: 'Book a room',
      conversation: 'rooms',
      steps: [
        { ...human, id: 'quote', args: { question: 'What does it cost?', form } },
        { ...human, id: 'key', args: { question: 'Bring the key.', assignee: 'ben' } },
      ],
    });
    await server.api.approve(plan);
    await page.goto(`${server.url}?c=rooms&plan=${plan.id}`);
    await button('Done').first().click();
    expect(await bar().innerText()).toContain('Enter a number of at least 0.');
    expect(await bar().innerText()).toContain('Choose one.');

    await bar().getByLabel('Price per night').fill('120.5');
    await bar().getByRole('combobox', { name: 'Room' }).selectOption('Green');
    await bar().getByLabel('Yes').check();
    const answer = { version: 1, steps: { key: 'done' }, user: 'ben' };
    await server.api.post(`/api/plans/${plan.id}/resume`, answer);
    await bar().getByText('asks ben').waitFor({ state: 'detached' });
    expect(await bar().getByLabel('Yes').isChecked()).toBe(true);
    const sent = page.waitForRequest(
      (request) => request.method() === 'POST' && request.url().endsWith('/api/press'),
    );
    await button('Done').click();
    expect((await sent).postDataJSON()).toMatchObject({
      button: { step_id: 'quote', attempt: 1, stood: 'waiting' },
    });

    await server.api.reach(plan.id, 'completed');
    const [quote] = await server.api.steps(plan.id);
    expect(quote?.output).toMatchObject({
      fields: { price: 120.5, room: 'Green', day: null, paid: true },
      by: 'local',
    });
  });
});
