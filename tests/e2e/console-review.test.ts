// The review as a person does it: read what changes, say what should be different, approve what is left, answer, and settle what nobody
// knows the outcome of.
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { listenOnLoopback } from '../fixtures/loopback.ts';
import { draftStep } from '../fixtures/steps.ts';
import {
  ask,
  bar,
  button,
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
  // They are kept until they are sent.
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

  await page.getByRole('tab', { name: 'Changes' }).click();
  await page.getByRole('button', { name: 'Side by side' }).click();
  await page.locator('.side ins', { hasText: 'Second' }).waitFor();
  await page.locator('.side del', { hasText: 'Two' }).waitFor();

  await page.getByRole('tab', { name: 'Steps' }).click();
  const tick = (what: RegExp) => page.getByRole('checkbox', { name: what });
  await tick(/Overwrites times\.md/).uncheck();
  // The copy is left out with it.
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

it('recovers a call whose answer was lost by a press, and makes it no second time', async () => {
  let calls = 0;
  // It takes the call, and the program is killed before it answers.
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
