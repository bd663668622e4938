// Reviewing: read, comment, approve, answer, settle unknown outcomes.
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { listenOnLoopback } from '../fixtures/loopback.ts';
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
  startAgain,
  useConsole,
} from '../setup/console.ts';
import { waitFor } from '../wait.ts';

useConsole({ executor: { lease_seconds: 2 }, http: { allowPrivate: ['127.0.0.1'] } });

const comment = async (label: string, text: string) => {
  await page.getByRole('button', { name: `Comment on step ${label}` }).click();
  await page.locator('.comment-form textarea:focus').waitFor();
  await page.keyboard.type(text);
  await page.keyboard.press('Control+Enter');
  await page.locator('.comment', { hasText: text }).waitFor();
};

it('is read, commented on step by step, changed, and approved in part', async () => {
  await writeFile(join(home, 'workspace', 'times.md'), 'Standup at 9:00\nReview on Friday\n');
  await ask(
    'Create b.md saying "Two" and create c.md saying "Three" and create times.md saying "Standup at 9:30", then copy it to kept/times.md',
  );
  await page.getByRole('tab', { name: 'Steps' }).click();
  const lines = (sign: string) => page.locator(`.diff-row[data-sign="${sign}"] .diff-text`);
  await lines('-').first().waitFor();
  expect(await lines('-').allTextContents()).toEqual([
    'removed: Standup at 9:00',
    'removed: Review on Friday',
  ]);

  const labelOf = async (file: string) =>
    (await page.locator('.step', { hasText: file }).locator('.step-number').innerText()).trim();
  const [b, c] = [await labelOf('b.md'), await labelOf('c.md')];
  await comment(b, 'change "Two" to "Second"');
  await comment(c, 'call it d.md instead');
  await bar().getByText('2 comments').waitFor();
  await page.reload();
  await bar().getByText('2 comments').waitFor();

  await button('Propose changes').click();
  await bar().getByText('call it d.md instead').waitFor();
  await button('Send').click();
  await page.locator('.plan-version', { hasText: 'Version 2' }).waitFor();
  await page.locator('.step', { hasText: 'd.md' }).waitFor();
  expect(await page.locator('.comment').count()).toBe(0);
  const second = await shownPlan();
  expect(second.rejection_history.at(-1)?.comments).toHaveLength(2);

  await page.getByRole('tab', { name: 'Overview' }).click();
  const [changed] = await page.locator('.tab-panel .section').all();
  expect(await changed?.innerText()).toMatch(/^Changed since version 1.*Two.*Second/s);
  await changed?.getByRole('button', { name: 'Compare' }).click();
  await page.getByRole('button', { name: 'Side by side' }).click();
  await page.locator('.side ins', { hasText: 'Second' }).waitFor();
  await page.locator('.side del', { hasText: 'Two' }).waitFor();

  await page.getByRole('tab', { name: 'Steps' }).click();
  const tick = (what: RegExp) => page.getByRole('checkbox', { name: what });
  await tick(/Overwrites times\.md/).uncheck();
  // The copy depends on it.
  await page.getByText('Also leaves out 2, which needs it.').waitFor();
  expect(await tick(/Copies times\.md/).isChecked()).toBe(false);
  const total = second.total_steps;
  await button(`Approve ${total - 2} of ${total} steps`).click();
  await page.locator('.plan-state .badge', { hasText: 'Done' }).waitFor();
  expect(await readWorkspace('d.md')).toBe('Three');
  expect(await readWorkspace('b.md')).toBe('Second');
  expect(await readWorkspace('times.md')).toContain('9:00');
  await expect(readWorkspace('kept/times.md')).rejects.toMatchObject({ code: 'ENOENT' });
  expect((await shownPlan()).counts).toMatchObject({ succeeded: total - 2, cancelled: 2 });
  await page.getByRole('tab', { name: 'Overview' }).click();
  await column().getByText('Approved by you').waitFor();
  expect(await bar().count()).toBe(0);

  await column().getByRole('button', { name: 'Run again…' }).click();
  const field = page.getByLabel('Your message');
  const written = `run ${second.id} again with `;
  await waitFor('the request', async () => (await field.inputValue()) === written);
  await page.keyboard.type('d.md=e.md');
  await page.keyboard.press('Enter');
  await column().getByText('e.md').first().waitFor();
  expect(await shownPlan()).toMatchObject({ version: 1, status: 'proposed' });
});

it('is tried against today’s files, and another version is not taken for the one tried', async () => {
  await writeFile(join(home, 'workspace', 'stale.md'), 'Yesterday');
  await ask('Create fresh.md saying "One" and create stale.md saying "Two"');
  const tried = page.locator('.section', { hasText: 'Try it' });
  await tried.getByRole('button', { name: 'Dry run' }).click();
  const result = tried.getByRole('status');
  await result.waitFor();
  expect(await result.getByRole('listitem').allInnerTexts()).toEqual([
    expect.stringMatching(/fresh\.md.*new$/s),
    expect.stringMatching(/stale\.md.*overwritten$/s),
  ]);
  expect(await result.innerText()).toContain('Nothing was called.');
  expect(await readWorkspace('stale.md')).toBe('Yesterday');
  const plan = await shownPlan();
  expect(plan).toMatchObject({ status: 'proposed', version: 1 });
  await server.api.post(`/api/plans/${plan.id}/patches`, {
    base_revision: plan.revision,
    operations: [{ op: 'add_step', step: draftStep('x', 'More', 'control_noop', {}) }],
  });
  await result.waitFor({ state: 'detached' });
  await tried.getByRole('button', { name: 'Dry run' }).click();
  await result.getByRole('listitem').nth(2).waitFor();
});

it('asks before it approves while comments are not sent', async () => {
  await ask('Create unsent.md saying "Unsent"');
  await page.getByRole('tab', { name: 'Steps' }).click();
  await comment('1', 'call it sent.md instead');
  await button('Approve').click();
  await bar().getByText('1 comment not sent yet.').waitFor();
  expect((await shownPlan()).status).toBe('proposed');
  await button('Back').click();
  await button('Approve').click();
  await button('Approve anyway').click();
  await page.locator('.plan-state .badge', { hasText: 'Done' }).waitFor();
});

it('keeps a comment on a version that is gone, and says of which it was', async () => {
  await ask('Create kept.md saying "Kept"');
  await page.getByRole('tab', { name: 'Steps' }).click();
  await comment('1', 'call it other.md instead');
  const plan = await shownPlan();
  await server.api.post(`/api/plans/${plan.id}/patches`, {
    base_revision: plan.revision,
    operations: [
      {
        op: 'add_step',
        step: draftStep('x', 'More', 'control_noop', {}),
      },
    ],
  });
  await page.locator('.older-comments').getByText('From version 1').waitFor();
  expect(await bar().getByText('1 comment').count()).toBe(0);
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

it('gives up a time that another plan has of the same person by a press, in a new version to approve', async () => {
  await server.api.ask('Ask Ben "Please review notes.md" takes 3 hours.', {
    conversation: 'console-first',
  });
  const { plan_id } = await server.api.ask('Ask Ben "Please review plan.md" takes 2 hours.', {
    conversation: 'console-second',
  });
  await page.goto(`${server.url}/?c=console-second&plan=${plan_id}`);
  // The timeline has buttons of the same name.
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

it('recovers a call whose answer was lost by a press, and makes it no second time', async () => {
  let calls = 0;
  // The program is killed while this call is unanswered.
  const hook = await listenOnLoopback(createServer(() => void calls++));
  onTestFinished(() => hook.close());
  const plan = await server.api.propose({
    title: 'Tell the site, then note it',
    conversation: 'lost',
    steps: [
      draftStep('tell', 'Tell the site', 'http_request', {
        url: `${hook.url}/deploys`,
        method: 'POST',
        body: { version: '2.4' },
      }),
      draftStep(
        'note',
        'Note it',
        'workspace_write',
        { path: 'told.md', content: 'The site knows.' },
        'tell',
      ),
    ],
  });
  await page.goto(`${server.url}/?c=lost&plan=${plan.id}`);
  await button('Approve').click();
  await button('Approve and run').click();
  await waitFor('the call', () => calls === 1);
  const { port } = new URL(server.url);
  await server.stop('SIGKILL');
  await startAgain({ PORT: port });

  const asked = bar().getByRole('region', { name: /outcome unknown/ });
  await asked.waitFor();
  const known = await asked.innerText();
  for (const words of [
    `${hook.url}/deploys`,
    '"2.4"',
    'Attempt 1',
    'its result was never recorded',
  ])
    expect(known).toContain(words);
  for (const name of ['Mark failed', 'Retry', 'Mark done'])
    expect(await button(name).isEnabled()).toBe(true);
  await button('Mark done').click();
  await page.locator('.plan-state .badge', { hasText: 'Done' }).waitFor();
  expect(await readWorkspace('told.md')).toBe('The site knows.');
  expect((await shownPlan()).counts).toMatchObject({ succeeded: 2 });
  expect(calls).toBe(1);
});

it('fits three parallel steps and the compared options on a screen of 1440 pixels', async () => {
  await page.setViewportSize({ width: 1440, height: 900 });
  const long = 'quarterly-report-of-the-northern-region';
  await ask(
    `Create ${long}-1.md saying "One" and create ${long}-2.md saying "Two" and create ${long}-3.md saying "Three", then delete ${long}-1.md`,
  );
  const hidden = (selector: string) =>
    page.evaluate<number[]>(
      `[...document.querySelectorAll('${selector}')].map((one) => one.scrollWidth - one.clientWidth)`,
    );
  await page.getByRole('tab', { name: 'Graph' }).click();
  await page.locator('.graph .node').nth(3).waitFor();
  expect(await hidden('.canvas')).toEqual([0]);
  const outside = await page.evaluate<
    number[]
  >(`[...document.querySelectorAll('.graph .node')].map((node) => {
    const { right } = node.querySelector('rect').getBoundingClientRect();
    return [...node.querySelectorAll('text')].filter((text) => text.getBoundingClientRect().right > right - 4).length;
  })`);
  expect(outside).toEqual([0, 0, 0, 0]);
  await page.getByRole('tab', { name: 'Timeline' }).click();
  await page.getByText('Options compared').waitFor();
  expect(await hidden('.tab-panel .table-scroll')).toEqual([0]);
});
