// Editing a waiting plan in place, with mouse and keyboard.
import { expect, it } from 'vitest';
import { draftStep } from '../fixtures/steps.ts';
import { button, column, page, server, useConsole } from '../setup/console.ts';
import { waitFor } from '../wait.ts';

useConsole();

async function openSteps() {
  const plan = await server.api.propose({
    title: 'Two files and a question',
    steps: [
      draftStep('a', 'Write a.txt', 'workspace_write', { path: 'a.txt', content: 'A {{x}}' }),
      draftStep('b', 'Write b.txt', 'workspace_write', {
        path: 'b.txt',
        content: 'Got {{a/path}}',
      }),
      draftStep('q', 'Ask', 'human_confirm', { question: 'Fine?', assignee: 'ben' }, 'b'),
    ],
  });
  await page.goto(`${server.url}/?plan=${plan.id}`);
  await page.getByRole('tab', { name: 'Steps' }).click();
  await column().getByRole('button', { name: 'Edit step 1', exact: true }).waitFor();
  return plan;
}

const form = (step: number) => column().getByRole('form', { name: `Edit step ${step}` });

it('changes a text, a person and an order, keeps comments, and shows the difference', async () => {
  const plan = await openSteps();
  await column().getByRole('button', { name: 'Comment on step 1', exact: true }).click();
  await column().getByLabel('Comment on step 1').fill('Is this the right file?');
  await column().getByRole('button', { name: 'Add comment' }).click();
  await column().getByRole('button', { name: 'Edit step 2', exact: true }).click();
  const content = form(2).getByLabel('Content', { exact: true });
  expect(await content.inputValue()).toBe('Got {{a/path}}');
  await content.fill('Has {{a/path}}');
  await form(2).getByRole('button', { name: 'Save change' }).click();
  await column().locator('.step-edited ins', { hasText: 'Has {{a/path}}' }).waitFor();
  await column().getByRole('button', { name: 'Edit step 3', exact: true }).click();
  await form(3).getByLabel('Assignee', { exact: true }).fill('local');
  await form(3).getByLabel('Step 2').uncheck();
  await form(3).getByLabel('Step 1').check();
  await form(3).getByRole('button', { name: 'Save change' }).click();
  await button('Propose 2 changes').waitFor();
  expect(await button('Approve').count()).toBe(0);
  await page.reload();
  await page.getByRole('tab', { name: 'Steps' }).click();
  await button('Propose 2 changes').click();
  await waitFor('the next version', async () => (await server.api.plan(plan.id)).version === 2);
  const steps = new Map((await server.api.steps(plan.id)).map((one) => [one.id, one]));
  expect(steps.get('b')?.args).toEqual({
    path: 'b.txt',
    content: { $template: ['Has ', { $from: 'a', path: '/path' }] },
  });
  expect(steps.get('q')?.args.assignee).toBe('local');
  expect(steps.get('q')?.after.map(({ id }) => id)).toEqual(['a']);
  expect(steps.get('a')?.args).toEqual({ path: 'a.txt', content: 'A {{x}}' });
  await column().locator('.comment', { hasText: 'Is this the right file?' }).waitFor();
  await column().getByText('Not sent').waitFor({ state: 'detached' });
  await button('Approve').waitFor();
  await page.getByRole('tab', { name: 'Changes' }).click();
  await column().getByText('Has').first().waitFor();
});
