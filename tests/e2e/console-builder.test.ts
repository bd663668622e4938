// Building a plan by hand, with mouse and keyboard alone.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { draftStep } from '../fixtures/steps.ts';
import { expectAccessibleOnce } from '../setup/axe.ts';
import { button, home, page, readWorkspace, server, useConsole } from '../setup/console.ts';
import { node, root } from '../setup/process.ts';
import { waitFor } from '../wait.ts';

const memory = join(root, 'node_modules/@modelcontextprotocol/server-memory/dist/index.js');
useConsole({ mcpServers: { memory: { command: node, args: [memory] } } });

const dialog = () => page.getByRole('dialog', { name: 'Build a plan' });
const search = () => dialog().locator('#operation-search');
const add = () => dialog().getByRole('button', { name: 'Add step' });
const headline = (id: string, words: string) =>
  dialog().locator(`[data-step="${id}"] .headline`, { hasText: words });

async function pick(words: string, name: string): Promise<void> {
  await search().fill(words);
  await dialog().locator('#operation-results[aria-busy="false"]').waitFor();
  await dialog()
    .getByRole('option')
    .filter({ has: page.locator('code', { hasText: new RegExp(`^${name}$`) }) })
    .click();
  await dialog().locator('.operation-form').waitFor();
}

async function shown(): Promise<string> {
  await page.locator('.plan-head').waitFor();
  return new URL(page.url()).searchParams.get('plan') ?? '';
}

it('is built by mouse, with an output of an earlier step, and runs as it was shown', async () => {
  const folder = `built-${Date.now()}`;
  await mkdir(join(home, 'workspace', folder), { recursive: true });
  await writeFile(join(home, 'workspace', folder, 'source.md'), 'From the source');
  await page.goto(server.url);
  await page.getByRole('button', { name: 'Build a plan', exact: true }).click();
  await pick('read the text', 'workspace_read');
  await add().click();
  await dialog().getByText('Path is missing.').waitFor();
  await dialog().getByLabel('Path', { exact: true }).fill('source');
  await dialog()
    .locator(`datalist option[value="${folder}/source.md"]`)
    .waitFor({ state: 'attached' });
  await dialog().getByLabel('Path', { exact: true }).fill(`${folder}/source.md`);
  await add().click();
  await headline('1', 'Reads').waitFor();
  await pick('write a file', 'workspace_write');
  await dialog().getByLabel('Path', { exact: true }).fill(`${folder}/copy.md`);
  await dialog().getByLabel('Content', { exact: true }).fill('Copied: ');
  await dialog().getByLabel('Content: from an earlier step').selectOption({ label: 'text' });
  await add().click();
  await headline('2', 'Creates').waitFor();
  await pick('delete', 'workspace_delete');
  await dialog().getByLabel('Path', { exact: true }).fill(`${folder}/source.md`);
  await add().click();
  await headline('3', 'Permanently deletes').waitFor();
  await dialog().getByRole('button', { name: 'Remove step 3' }).click();
  await headline('3', 'Permanently deletes').waitFor({ state: 'detached' });
  await dialog().getByRole('button', { name: 'Remove step 2' }).click();
  await dialog().getByRole('button', { name: 'Undo' }).click();
  await headline('2', 'Creates').waitFor();
  await dialog().getByLabel('Title').fill('Copy the source');
  await dialog().getByRole('button', { name: 'Propose 2 steps' }).click();
  await button('Approve').click();
  await waitFor('the copy', () => readWorkspace(`${folder}/copy.md`));
  expect(await readWorkspace(`${folder}/copy.md`)).toBe('Copied: From the source');
  expect((await server.api.plan(await shown())).title).toBe('Copy the source');
});

it('is built by keyboard alone, with lists of objects for a connected server', async () => {
  await page.goto(server.url);
  await page.locator('#say').waitFor();
  await page.keyboard.press('Control+k');
  await dialog().locator('#operation-search:focus').waitFor();
  await page.keyboard.type('create entities');
  await dialog().locator('#operation-results[aria-busy="false"]').waitFor();
  const wanted = dialog().locator('[aria-selected="true"] code', {
    hasText: 'memory_create_entities',
  });
  await waitFor('the operation to be found', async () => {
    if ((await wanted.count()) > 0) return true;
    await page.keyboard.press('ArrowDown');
    return false;
  });
  await page.keyboard.press('Enter');
  await dialog().locator('.operation-form').waitFor();
  await page.keyboard.type('Ana');
  await page.keyboard.press('Tab');
  await page.keyboard.type('person');
  await page.keyboard.press('Tab');
  await page.keyboard.type('likes tea');
  await page.keyboard.press('Enter');
  await page.keyboard.type('is away');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await dialog().getByLabel('Entities 2, Name', { exact: true }).waitFor();
  await page.keyboard.press('Control+Enter');
  await headline('1', 'memory_create_entities').waitFor();
  await page.keyboard.press('Tab');
  const propose = dialog().locator('button:focus', { hasText: 'Propose 1 step' });
  for (let presses = 0; presses < 20 && (await propose.count()) === 0; presses++)
    await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await button('Approve').waitFor();
  const [step] = await server.api.steps(await shown());
  expect(step?.args).toEqual({
    entities: [{ name: 'Ana', entityType: 'person', observations: ['likes tea', 'is away'] }],
  });
});

it('keeps what was begun when it is closed, and repeats when it is told to', async () => {
  await page.goto(server.url);
  await page.keyboard.press('Control+k');
  await pick('post a message', 'chat_post');
  await dialog().getByLabel('Text', { exact: true }).fill('Standup');
  await add().click();
  await headline('1', 'Posts').waitFor();
  await page.keyboard.press('Escape');
  await page.reload();
  await page.getByRole('button', { name: 'Build a plan', exact: true }).click();
  await headline('1', 'Posts').waitFor();
  await dialog().getByLabel('Runs', { exact: true }).selectOption('Every weekday');
  await dialog().getByText('Set the first run.').waitFor();
  await dialog().getByLabel('First run').fill('2027-03-01T09:30');
  await page.keyboard.press('Tab');
  await dialog().getByRole('button', { name: 'Propose 1 step' }).click();
  await button('Approve · repeats every weekday').or(button('Approve')).first().waitFor();
  const plan = await server.api.plan(await shown());
  expect(plan.series).toMatchObject([
    { rrule: 'FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;BYHOUR=9;BYMINUTE=30' },
  ]);
});

it('saves a plan as a playbook, and runs it from the gallery with another value', async () => {
  const plan = await server.api.propose({
    title: 'Report for ACME',
    steps: [draftStep('1', 'Write', 'workspace_write', { path: 'acme.md', content: 'To ACME' })],
  });
  await page.goto(`${server.url}/?plan=${plan.id}`);
  await page.getByRole('button', { name: 'Save as a playbook' }).click();
  const saving = page.getByRole('dialog', { name: 'Save as a playbook' });
  expect(await saving.getByLabel('Name', { exact: true }).inputValue()).toBe('report-for-acme');
  await saving.getByRole('button', { name: 'Add a parameter' }).click();
  await saving.getByLabel('Text 1 in the plan').fill('ACME');
  await saving.getByLabel('Parameter 1').fill('customer');
  await saving.getByRole('button', { name: 'Save' }).click();
  const gallery = page.getByRole('dialog', { name: 'Playbooks' });
  await gallery.getByRole('button', { name: /Report for ACME/ }).waitFor();
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+k');
  await dialog().getByRole('button', { name: 'Or run a playbook' }).click();
  await gallery.getByRole('button', { name: /Report for ACME/ }).click();
  await gallery.getByLabel('customer').fill('Globex');
  await gallery.getByRole('button', { name: 'Propose' }).click();
  await gallery.waitFor({ state: 'detached' });
  await page.locator('.plan-head', { hasText: 'Report for Globex' }).waitFor();
  const [step] = await server.api.steps(await shown());
  expect(step?.args).toEqual({ path: 'acme.md', content: 'To Globex' });
});

it('a command is offered while it is typed, and the field grows with its text', async () => {
  await page.goto(server.url);
  const field = page.locator('#say');
  await field.pressSequentially('ren');
  const option = page.getByRole('option', { name: /move todo.txt to archive/ });
  await option.waitFor();
  await expectAccessibleOnce(page, 'an offered command');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await waitFor(
    'the command',
    async () => (await field.inputValue()) === 'move todo.txt to archive/',
  );
  expect(await option.count()).toBe(0);
  await field.fill('word '.repeat(200));
  await waitFor('a taller field', async () => Number(await field.getAttribute('rows')) > 2);
});

it('lists what repeats, leaves one time out, changes it and ends it', async () => {
  await page.goto(server.url);
  await page.locator('#say').fill('remind me every weekday at 9:30: Standup');
  await page.keyboard.press('Enter');
  await button('Approve').click();
  const repeats = page.getByRole('dialog', { name: 'Reminders and recurring steps' });
  const press = (name: string) => repeats.getByRole('button', { name, exact: true }).click();
  await page.getByText('1 step done').first().waitFor();
  await page.getByRole('button', { name: 'Reminders and recurring steps' }).click();
  await press('Skip once: Standup');
  await repeats.getByText('is left out at').waitFor();
  await press('Change: Standup');
  await repeats.getByLabel('When', { exact: true }).fill('every Tuesday at 10:00');
  await press('Change it');
  await repeats.getByText('every Tuesday at 10:00').first().waitFor();
  await press('End: Standup');
  await press('End');
  await repeats.getByText('You have no reminders or recurring steps.').waitFor();
});
