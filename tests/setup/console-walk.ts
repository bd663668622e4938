// Walks through the whole console, calling `look` at each stop.
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import type { Plan } from '#domain/plan/plan.ts';
import { draftStep } from '../fixtures/steps.ts';
import { waitFor } from '../wait.ts';
import type { Client } from './http-client.ts';

type Pane = 'Inbox' | 'Conversation' | 'Plan';

export type Walk = {
  page: Page;
  url: string;
  story: Story;
  look(what: string, pane?: Pane): Promise<void>;
};

export type Story = Record<
  'waiting' | 'task' | 'running' | 'failed' | 'done' | 'others' | 'large',
  Plan
>;

const write = (id: string, path: string, content: string, more: object = {}) => ({
  ...draftStep(id, `Write ${path}`, 'workspace_write', { path, content }),
  ...more,
});
const remove = (id: string, path: string, more: object = {}) => ({
  ...draftStep(id, 'Tidy up', 'workspace_delete', { path }),
  ...more,
});

const form = [
  { name: 'price', label: 'Price per night', type: 'number', required: true, min: 0 },
  { name: 'room', type: 'choice', required: true, options: ['Blue', 'Green'] },
  { name: 'day', label: 'First night', type: 'date' },
  { name: 'paid', label: 'Is it paid?', type: 'boolean' },
];

/** Waits for approval before a plan exists. */
const phases =
  'Plan Launch:\nPhase Preparation:\n- create launch/kickoff.md saying "go"\nPhase Publish after 2 days:\n- post "We launch"\nmilestone: Launch is done';

/** Fills all five groups of the inbox. */
export async function tellStory(api: Client): Promise<Story> {
  const start = async (title: string, steps: object[], more: object = {}) => {
    const plan = await api.propose({ title, steps, ...more });
    expect((await api.approve(plan)).status).toBe(200);
    return plan;
  };
  const done = await start('Write the times', [write('t', 'times.md', 'Standup at 9:00\n')]);
  await api.reach(done.id, 'completed');
  const [failed, running, task] = await Promise.all([
    start('Delete what is not there', [
      remove('d', 'not/there.txt'),
      write('x', 'x.txt', 'X', { after: ['d'] }),
    ]),
    start('Watch for a while', [
      write('first', 'first.txt', 'First'),
      draftStep('wait', 'Wait', 'control_wait', { seconds: 3000 }, 'first'),
      write('last', 'last.txt', 'Last', { after: ['wait'] }),
    ]),
    start('Book a room', [
      draftStep('ask', 'Ask', 'human_task', { question: 'What does it cost?', form }),
    ]),
  ]);
  const first = await api.propose({
    title: 'Change the times and tidy up',
    summary: 'The standup is half an hour later, and what is old is gone.',
    conversation: 'walk',
    steps: [
      draftStep('look', 'See what is there', 'workspace_list', {}),
      write('a', 'times.md', 'Standup at 9:30\n', { after: ['look'] }),
      remove('b', 'first.txt', { after: ['a'] }),
      draftStep(
        'post',
        'Tell the site',
        'http_request',
        { method: 'POST', url: 'https://hooks.example.com/release', body: '{"ok":true}' },
        'a',
      ),
    ],
    risks: ['The site may be down'],
  });
  const patch = { op: 'add_step', step: write('c', 'c.txt', 'C', { after: ['b'] }) };
  await api.post(`/api/plans/${first.id}/patches`, {
    base_revision: first.revision,
    operations: [patch],
  });
  const waiting = await api.plan(first.id);
  expect(waiting.version).toBe(2);
  await api.propose({ title: 'Another to approve', steps: [write('o', 'o.txt', 'O')] });
  const others = await api.propose({
    title: 'For Ben to approve',
    steps: [write('ben', 'ben.txt', 'Ben')],
    approvers: { kind: 'named', people: ['ben'] },
  });
  const large = await api.propose({
    title: 'Three hundred letters',
    steps: Array.from({ length: 300 }, (_, n) =>
      write(`letter-${n}`, `letters/${n}.md`, `Dear customer ${n}`, {
        partition: `batch ${Math.floor(n / 100)}`,
        after: n < 100 ? [] : [`letter-${n - 100}`],
        duration_minutes: 5,
      }),
    ),
  });
  await api.ask('What is in the workspace?', { conversation: 'walk-talk' });
  await api.ask(phases, {
    conversation: 'walk-session',
    interaction_policy: { approval_policy: 'milestone_approvals' },
  });
  await api.reach(failed.id, 'failed');
  await waitFor('the wait and the task', async () => {
    const [now, asked] = await Promise.all([running, task].map(({ id }) => api.plan(id)));
    return now?.counts.succeeded === 1 && asked?.counts.waiting === 1;
  });
  return { waiting, task, running, failed, done, others, large };
}

const tabs = ['Overview', 'Graph', 'Timeline', 'Steps', 'Changes', 'Trace', 'Audit'] as const;
type Tab = (typeof tabs)[number];

async function openTab(page: Page, tab: Tab): Promise<void> {
  await page.getByRole('tab', { name: tab }).click();
  await page.locator('#tab-panel .loading').waitFor({ state: 'detached' });
  await page.locator('#tab-panel > *').first().waitFor();
}

async function openPlan({ page, url }: Walk, { id, conversation }: Plan): Promise<void> {
  const talk = conversation === null ? '' : `&c=${conversation}`;
  await page.goto(`${url}/?plan=${id}${talk}`);
  await page.locator('.plan-head').waitFor();
  await page.locator('#tab-panel .loading').waitFor({ state: 'detached' });
}

async function walkInbox({ page, url, look }: Walk): Promise<void> {
  await page.goto(url);
  await page.locator('.welcome').waitFor();
  await look('a new conversation', 'Conversation');
  const rail = page.getByRole('navigation', { name: 'Inbox' });
  await rail.locator('.group').nth(4).waitFor();
  const done = rail.getByRole('button', { name: /^Done/ });
  if ((await done.getAttribute('aria-expanded')) === 'false') await done.click();
  const select = (title: string) => rail.getByRole('checkbox', { name: `Select ${title}` });
  await select('Change the times and tidy up').check();
  await select('Another to approve').check();
  await look('the inbox with two plans selected', 'Inbox');
  for (const act of ['Approve', 'Reject']) {
    await rail.getByRole('button', { name: `${act} 2` }).click();
    const dialog = page.getByRole('dialog', { name: `${act} 2 plans` });
    await dialog.getByText('Version').nth(1).waitFor();
    await look(`the dialog to ${act.toLowerCase()} two plans`);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
  }
  await page.getByLabel('Search the plans').fill('nobody ever said this');
  await page.getByText('No plan matches').waitFor();
  await look('a search that finds nothing', 'Inbox');
  await page.keyboard.press('Escape');
  await rail.getByRole('button', { name: 'Conversations' }).click();
  await rail.locator('.talk').first().waitFor();
  await look('earlier conversations', 'Inbox');
  await page.locator('.talk', { hasText: 'What is in the workspace?' }).click();
  await page.locator('.message[data-author="bot"] .message-text').waitFor();
  await look('a conversation', 'Conversation');
  await page.locator('.talk', { hasText: 'Plan Launch' }).click();
  const session = page.locator('session-card');
  await session.getByRole('button', { name: 'Propose changes' }).click();
  await session.getByRole('button', { name: 'Send' }).waitFor();
  await look('an outline to approve', 'Conversation');
  await page.getByRole('button', { name: 'Keyboard shortcuts' }).click();
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
  await look('the shortcuts');
}

async function walkBuilder({ page, url, story, look }: Walk): Promise<void> {
  await page.goto(url);
  await page.getByRole('button', { name: 'Build a plan', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Build a plan' });
  await dialog.getByRole('option').first().waitFor();
  await look('the palette of operations');
  const add = dialog.getByRole('button', { name: 'Add step' });
  for (const [name, field, value] of [
    ['workspace_read', 'Path', 'times.md'],
    ['human_task', 'Question', 'Is this right?'],
  ] as const) {
    await dialog.locator('#operation-search').fill(name.replaceAll('_', ' '));
    await dialog
      .getByRole('option')
      .filter({ has: page.locator('code', { hasText: new RegExp(`^${name}$`) }) })
      .click();
    await add.click();
    await dialog.locator('.field-missing').first().waitFor();
    await look(`the form of ${name}, with something missing`);
    await dialog.getByLabel(field, { exact: true }).fill(value);
    await add.click();
  }
  await dialog.locator('.built-step .headline', { hasText: 'Asks' }).waitFor();
  await look('a plan that is built');
  await page.keyboard.press('Escape');
  await page.goto(`${url}/?plan=${story.done.id}`);
  await page.getByRole('button', { name: 'Save as a playbook' }).click();
  const saving = page.getByRole('dialog', { name: 'Save as a playbook' });
  await saving.getByRole('button', { name: 'Add a parameter' }).click();
  await look('a plan to save as a playbook');
  await saving.getByLabel('Text 1 in the plan').fill('times');
  await saving.getByLabel('Parameter 1').fill('name');
  await saving.getByRole('button', { name: 'Save' }).click();
  const gallery = page.getByRole('dialog', { name: 'Playbooks' });
  await gallery.locator('.playbook').first().waitFor();
  await look('the playbooks');
  await gallery.locator('.playbook').first().click();
  await gallery.getByLabel('name', { exact: true }).waitFor();
  await look('the parameters of a playbook');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Reminders and recurring steps' }).click();
  await page.getByRole('dialog', { name: 'Reminders and recurring steps' }).waitFor();
  await look('reminders and recurring steps');
  await page.keyboard.press('Escape');
}

async function walkWaiting(walk: Walk): Promise<void> {
  const { page, story, look } = walk;
  await openPlan(walk, story.waiting);
  for (const tab of tabs) {
    await openTab(page, tab);
    if (tab === 'Graph') await page.locator('.graph .node').first().click();
    if (tab === 'Steps') {
      await page.locator('.rank .step-head').first().click();
      await page.locator('.step-details').waitFor();
    }
    await look(`a waiting plan, ${tab}`, 'Plan');
  }
  await openTab(page, 'Changes');
  await page.getByRole('button', { name: 'Side by side' }).click();
  await page.locator('.side').first().waitFor();
  await look('versions side by side', 'Plan');
  await openTab(page, 'Steps');
  await page
    .getByRole('button', { name: /^Comment on step / })
    .first()
    .click();
  await page.locator('.comment-form textarea').fill('Not this one');
  await look('a comment that is being written', 'Plan');
  await page.getByRole('button', { name: 'Add comment' }).click();
  await page.locator('.comment').waitFor();
  await page
    .getByRole('button', { name: /^Edit step / })
    .first()
    .click();
  const form = page.locator('[data-place="editing"]');
  await form.waitFor();
  await look('a step that is being edited', 'Plan');
  await form.locator('input[type="datetime-local"]').fill('2031-01-02T09:00');
  await form.getByRole('button', { name: 'Save change' }).click();
  await page.locator('.step-edited').waitFor();
  await look('a review with a change of a step', 'Plan');
  await page.getByRole('button', { name: /^Remove the change of step / }).click();
  await page.getByRole('checkbox', { name: /^Approve step 4/ }).uncheck();
  await page.getByRole('button', { name: 'Propose changes' }).click();
  await page.locator('.bar-comments').waitFor();
  await look('a review with a comment, and the changes to propose', 'Plan');
}

async function walkOthers(walk: Walk): Promise<void> {
  const { page, story, look } = walk;
  const { task, running, failed, done, others } = story;
  const seen: [string, Plan][] = [
    ['a plan with a task', task],
    ['a running plan', running],
    ['a failed plan', failed],
    ['a plan that is done', done],
    ['a plan for others to approve', others],
  ];
  for (const [what, plan] of seen) {
    await openPlan(walk, plan);
    for (const tab of tabs) {
      await openTab(page, tab);
      const step = page.locator('.steps .step-head').first();
      if (tab === 'Steps' && (await step.count()) > 0) await step.click();
      await look(`${what}, ${tab}`, 'Plan');
    }
  }
}

async function walkLarge(walk: Walk): Promise<void> {
  const { page, story, look } = walk;
  await openPlan(walk, story.large);
  await openTab(page, 'Graph');
  await page.locator('.graph .group').nth(1).click();
  await page.locator('.opened .step').nth(9).waitFor();
  await look('a large plan as a graph of groups', 'Plan');
  await openTab(page, 'Timeline');
  await page.locator('.gantt-row[data-row="member"]').nth(9).waitFor();
  await look('a large plan as a timeline of groups', 'Plan');
  await openTab(page, 'Steps');
  await page.locator('.partition').first().waitFor();
  await look('the review of a large plan', 'Plan');
}

async function walkSettings({ page, url, look }: Walk): Promise<void> {
  await page.goto(`${url}/?settings=preferences`);
  const dialog = page.getByRole('dialog', { name: 'Settings' });
  await dialog.waitFor();
  const sections = dialog.getByRole('navigation').getByRole('button');
  const count = await sections.count();
  expect(count).toBe(7);
  for (let at = 0; at < count; at++) {
    await sections.nth(at).click();
    await page.locator('#settings .loading').waitFor({ state: 'detached' });
    await page.locator('#settings .settings-body :is(h3, legend, h4)').first().waitFor();
    const details = page.locator('#settings summary').first();
    if ((await details.count()) > 0) await details.click();
    await look(`settings, ${await sections.nth(at).innerText()}`);
  }
}

async function walkToken({ page, url, look }: Walk): Promise<void> {
  await page.route('**/api/inbox?*', (route) => route.fulfill({ status: 401, body: '{}' }));
  await page.goto(url);
  await page.getByLabel('Token').waitFor();
  await look('the token');
}

export const parts: [string, (walk: Walk) => Promise<void>][] = [
  ['the inbox and conversations', walkInbox],
  ['the builder', walkBuilder],
  ['a plan that waits', walkWaiting],
  ['plans that run, failed or are done', walkOthers],
  ['a plan of 300 steps', walkLarge],
  ['the settings', walkSettings],
  ['the question for a token', walkToken],
];

/** On a phone; a dialog covers all panes. */
export async function showPane(page: Page, pane: Pane): Promise<void> {
  await page.setViewportSize({ width: 390, height: 900 });
  const bar = page.getByRole('navigation', { name: 'What to show' });
  await bar.getByRole('button', { name: pane }).click();
  await page.setViewportSize({ width: 1440, height: 900 });
}
