import { expect, test } from 'vitest';
import { draftStep } from '../../fixtures/steps.ts';
import { askOn, buttonOf, sessionCard, useConsolePage } from '../../setup/console-page.ts';
import { ana, noop } from '../../setup/instance.ts';
import { waitFor } from '../../wait.ts';

const { planner, instance, openPage } = useConsolePage();

test('changes are typed into the card', async () => {
  const page = await openPage('changes');
  await askOn(page, 'Plan the launch');
  await buttonOf(page, 'Propose changes').click();
  await page.keyboard.type('Add a test');
  await buttonOf(page, 'Send').click();
  await page.getByText('propose changes: Add a test').waitFor();
  // The answered card stays, disabled, until the planner has been asked.
  await waitFor(
    'the planner is asked for the changes',
    () => planner.asked.at(-1)?.decision.kind === 'changes',
  );
  expect(planner.asked.at(-1)?.decision).toMatchObject({ kind: 'changes', feedback: 'Add a test' });
  await sessionCard(page)
    .locator('button:enabled', { hasText: /^Approve$/ })
    .waitFor();
});

test('who asked for a plan and who decided about it stand apart from what is beside their names', async () => {
  const { id } = await instance.service.propose(
    { title: 'Nothing', steps: [noop('1')] },
    { conversation: 'people' },
    ana,
  );
  await instance.service.noteName(ana.id, 'אנה');
  await instance.service.cancel(id, { version: 1 }, ana);
  const page = await openPage(`people&plan=${id}`);
  const facts = page.locator('.facts div');
  await facts.first().waitFor();
  expect(await facts.filter({ hasText: 'Requested by' }).locator('bdi').allInnerTexts()).toEqual([
    '\u2068“אנה”\u2069',
  ]);
  expect(await facts.filter({ hasText: 'Decided by' }).locator('bdi').allInnerTexts()).toEqual([
    '\u2068“אנה”\u2069',
  ]);
});

test('no tab of a plan holds a character that turns the text around it: it is spelled out', async () => {
  const turned = 'a\u202Etxt.exe';
  const step = draftStep('1', `Write ${turned}`, 'workspace_write');
  const { id } = await instance.service.propose(
    { title: turned, steps: [{ ...step, args: { path: turned, content: turned } }] },
    { conversation: 'turned' },
    ana,
  );
  const page = await openPage(`turned&plan=${id}`);
  for (const tab of await page.getByRole('tab').all()) {
    await tab.click();
    const panel = page.getByRole('tabpanel');
    await panel.locator(':scope > *').first().waitFor();
    if ((await tab.getAttribute('id')) === 'tab-steps') {
      await panel.locator('.step-head').click();
      await panel.locator('.step-operation').waitFor();
      expect((await panel.innerText()).split('\\u{202E}').length).toBeGreaterThan(3);
    }
    const text = (await page.locator('body').textContent()) ?? '';
    expect(/.{0,80}\u202E.{0,20}/u.exec(text)?.[0]).toBeUndefined();
  }
});
