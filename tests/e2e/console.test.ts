// The console's stories: what is shown is what is approved, and what is approved runs.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  ask,
  button,
  card,
  home,
  page,
  readWorkspace,
  server,
  shownPlan,
  useConsole,
} from '../setup/console.ts';

useConsole();

describe('a request', () => {
  it('is planned, changed, approved and carried out, in sight all the way', async () => {
    await ask('Create notes/standup.md saying Standup at 9:30, then move it to archive/standup.md');
    await card().getByText('Move notes/standup.md to archive/standup.md').first().waitFor();

    await button('Propose changes').click();
    await page.keyboard.type('change "Standup at 9:30" to "Daily at 9:15"');
    await button('Send').click();
    await page.locator('.plan-version', { hasText: 'Version 2' }).waitFor();
    await card().getByText('version 2').waitFor();
    const second = await shownPlan();
    expect(second).toMatchObject({ version: 2, status: 'proposed' });

    await page.getByRole('tab', { name: 'Changes' }).click();
    await page.locator('.diff [data-sign]').first().waitFor();

    await page.getByRole('tab', { name: 'Overview' }).click();
    await button('Approve').click();
    await page.locator('.plan-state .badge', { hasText: 'Done' }).waitFor();
    await card().getByText('Approved by local').waitFor();
    const { total_steps: total } = second;
    await page.getByText(`${total} of ${total} steps done`).waitFor();
    expect(await card().getByRole('button').count()).toBe(0);
    expect(await readWorkspace('archive/standup.md')).toBe('Daily at 9:15');
  });

  it('runs without the steps that were taken off, once they are closed under what they need', async () => {
    await ask('Create part/one.txt saying One, then copy it to part/two.txt');
    const plan = await shownPlan();
    await page.getByRole('tab', { name: 'Steps' }).click();
    const ticks = page.getByRole('checkbox');
    await ticks.first().waitFor();
    const total = await ticks.count();
    expect(total).toBe(plan.total_steps);
    const rest = button(`Approve ${total - 1} of ${total} steps`);
    await ticks.first().uncheck();
    await rest.click();
    await page.getByRole('alert').getByText('The steps you approved need').first().waitFor();
    expect((await shownPlan()).status).toBe('proposed');
    await ticks.first().check();
    await page.getByRole('checkbox', { name: /^Approve step 3: / }).uncheck();
    await rest.click();
    await page.locator('.plan-state .badge', { hasText: 'Done' }).waitFor();
    expect((await shownPlan()).counts).toMatchObject({ succeeded: total - 1, cancelled: 1 });
    expect(await ticks.count()).toBe(0);
  });

  it('runs no step that is unticked, whether its card is pressed or the word is written', async () => {
    for (const decide of ['press', 'word'] as const) {
      const path = (name: string) => `${decide}/${name}.txt`;
      await ask(`Write two files ${path('kept')} and ${path('left')} each containing its own name`);
      await page.getByRole('tab', { name: 'Steps' }).click();
      await page.getByRole('checkbox', { name: /left/ }).uncheck();
      const total = (await shownPlan()).total_steps;
      await button(`Approve ${total - 1} of ${total} steps`).waitFor();
      expect(await button('Approve').count()).toBe(0);
      if (decide === 'press') await button(`Approve ${total - 1} of ${total} steps`).click();
      else {
        await page.getByText('“approve” leaves out 1 unselected step').waitFor();
        await page.getByLabel('Your message').fill('approve');
        await page.keyboard.press('Enter');
      }
      await page.locator('.plan-state .badge', { hasText: 'Done' }).waitFor();
      expect((await shownPlan()).counts).toMatchObject({ succeeded: total - 1, cancelled: 1 });
      expect(await readWorkspace(path('kept'))).toContain('kept');
      await expect(readWorkspace(path('left'))).rejects.toMatchObject({ code: 'ENOENT' });
    }
  });

  it('is not approved by a word that was written while another version came', async () => {
    await ask('Create slow.txt saying Slow');
    const plan = await shownPlan();
    const path = `**/api/plans/${plan.id}/card*`;
    // The page has not read the new version yet when the word is sent.
    await page.route(path, () => {});
    await server.api.post(`/api/plans/${plan.id}/patches`, {
      base_revision: plan.revision,
      operations: [
        {
          op: 'add_step',
          step: { id: 'x', description: 'Slip in', tool: 'control', operation: 'noop', args: {} },
        },
      ],
    });
    expect((await server.api.plan(plan.id)).version).toBe(2);
    await page.getByLabel('Your message').fill('approve');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('This plan changed while you were reading').waitFor();
    expect((await server.api.plan(plan.id)).status).toBe('proposed');
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  });

  it('shows markup as the text it is, wherever it appears', async () => {
    const markup = '<img src=x onerror="document.title=1"><script>document.title=2</script>';
    await ask(`Create notes/x.md saying '${markup}'`);
    await page.locator('.message[data-author="person"] .said').getByText(markup).waitFor();
    const title = await page.title();
    for (const name of ['Graph', 'Timeline', 'Steps', 'Trace', 'Audit', 'Overview']) {
      await page.getByRole('tab', { name }).click();
    }
    await button('Approve').click();
    await page.locator('.plan-state .badge', { hasText: 'Done' }).waitFor();
    expect(await page.locator('#app img:not(.brand img), #app script').count()).toBe(0);
    expect(await page.title()).toBe(title);
    expect(await readWorkspace('notes/x.md')).toContain('<script>document.title=2</script>');
  });
});

describe('a review', () => {
  const write = (n: number, content = `Text ${n}`, path = `many/${n}.txt`) => ({
    id: `w${n}`,
    description: `Write ${n}`,
    tool: 'workspace',
    operation: 'write',
    args: { path, content },
  });
  const remove = {
    id: 'tidy',
    description: 'Tidy up',
    tool: 'workspace',
    operation: 'delete',
    args: { path: 'payroll.csv' },
  };
  const bar = () => page.locator('.review-bar');
  const rows = () => page.locator('.rank .step');

  const openReview = async (title: string, steps: object[]) => {
    const plan = await server.api.propose({ title, conversation: `review-${title}`, steps });
    await page.goto(`${server.url}/?c=${plan.conversation}&plan=${plan.id}`);
    await button('Review').click();
    await bar().waitFor();
    return plan;
  };

  it('is what Review opens: the dangerous call of sixty first, every value whole, and Approve for exactly this version', async () => {
    await writeFile(join(home, 'workspace', 'payroll.csv'), 'name,salary');
    const long = `Begin ${'and so on '.repeat(400)}end`;
    const steps: object[] = Array.from({ length: 59 }, (_, n) =>
      write(n, n === 20 ? long : undefined),
    );
    const plan = await openReview('sixty', steps.toSpliced(36, 0, remove));
    expect(await rows().first().innerText()).toContain('deletes payroll.csv');
    expect(await rows().first().innerText()).toContain('cannot be undone');
    expect(await bar().innerText()).toContain('The first 50 of 60 steps');
    expect(await page.getByText(long, { exact: true }).isVisible()).toBe(true);
    await page.getByRole('button', { name: 'Show more' }).click();
    await rows().nth(59).waitFor();
    expect(await rows().locator('.effect').allInnerTexts()).toEqual(
      expect.arrayContaining([expect.stringContaining('Text 58')]),
    );
    const sent = page.waitForRequest((request) => request.url().endsWith('/api/press'));
    await bar().getByRole('button', { name: 'Approve', exact: true }).click();
    const { version, digest } = plan;
    expect((await sent).postDataJSON()).toMatchObject({ button: { version, digest } });
    await page.locator('.plan-state .badge', { hasText: 'Done' }).waitFor();
    expect(await bar().count()).toBe(0);
  });

  it('shows what a write changes in the file that is there now', async () => {
    await writeFile(join(home, 'workspace', 'times.md'), 'Standup at 9:00\nReview on Friday\n');
    const plan = await server.api.propose({
      title: 'Later',
      conversation: 'later',
      steps: [{ ...write(1, 'Standup at 9:30\nReview on Friday\n', 'times.md'), ask_before: true }],
    });
    await page.goto(`${server.url}/?c=later&plan=${plan.id}&tab=steps`);
    await page.locator('.difference').waitFor();
    expect(await rows().first().innerText()).toContain('asks before it runs');
    const lines = (sign: string) => page.locator(`.difference [data-sign="${sign}"]`);
    expect(await lines('-').allInnerTexts()).toEqual(['-Standup at 9:00']);
    expect(await lines('+').allInnerTexts()).toEqual(['+Standup at 9:30']);
  });

  it('offers no approval beside the steps of a version that is gone', async () => {
    const plan = await server.api.propose({
      title: 'Changing',
      conversation: 'changing',
      steps: [write(1)],
    });
    await page.goto(`${server.url}/?c=changing&plan=${plan.id}&tab=steps`);
    await bar().waitFor();
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route('**/steps?*', async (route) => {
      await held;
      await route.continue();
    });
    await server.api.post(`/api/plans/${plan.id}/patches`, {
      base_revision: plan.revision,
      operations: [{ op: 'add_step', step: write(2) }],
    });
    await page.locator('.plan-version', { hasText: 'Version 2' }).waitFor();
    expect(await bar().count()).toBe(0);
    release();
    await bar().waitFor();
    expect(await rows().count()).toBe(2);
  });
});

describe('a plan on the page', () => {
  it('is approved once, however often the button is pressed', async () => {
    await ask('Create notes/once.md saying Hello');
    await shownPlan();
    const sent: string[] = [];
    page.on('request', (request) => {
      if (request.method() === 'POST') sent.push(new URL(request.url()).pathname);
    });
    await button('Approve').dblclick();
    await page.locator('.plan-state .badge', { hasText: 'Done' }).waitFor();
    expect(sent).toEqual(['/api/press']);
  });

  it('says who was first when it was decided elsewhere, and shows how it stands now', async () => {
    await ask('Create notes/race.md saying Mine');
    const plan = await shownPlan();
    // This page hears nothing of the decision: its events are cut off.
    await page.route('**/events', (route) => route.abort());
    await page.reload();
    await button('Approve').waitFor();
    await server.api.post(`/api/plans/${plan.id}/reject`, { version: 1, user: 'local' });
    await button('Approve').click();
    await page.getByRole('alert').filter({ hasText: /local/ }).waitFor();
    await card().getByText('Rejected').first().waitFor();
    expect(await button('Approve').count()).toBe(0);
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
    expect(await card().innerText()).toContain('Enter a number of at least 0.');
    expect(await card().innerText()).toContain('Choose one.');

    await card().getByLabel('Price per night').fill('120.5');
    await card().getByRole('combobox', { name: 'Room' }).selectOption('Green');
    await card().getByLabel('Yes').check();
    const answer = { version: 1, steps: { key: 'done' }, user: 'ben' };
    await server.api.post(`/api/plans/${plan.id}/resume`, answer);
    await card().getByText('Waiting for ben').waitFor({ state: 'detached' });
    expect(await card().getByLabel('Yes').isChecked()).toBe(true);
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
