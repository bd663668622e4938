// Sliders in the console, in the terminal and over HTTP.
import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { PolicyOverride } from '#domain/people/policy.ts';
import { expectAccessible } from '../setup/axe.ts';
import { page, server, useConsole } from '../setup/console.ts';

useConsole({ mcpServers: { gone: { command: 'no-such-program' } } });
beforeEach(() => page.goto(server.url));

async function readSet(): Promise<PolicyOverride> {
  const answer = await fetch(`${server.url}/api/policy/local`);
  return z.object({ set: PolicyOverride }).parse(await answer.json()).set;
}

const dialog = () => page.getByRole('dialog', { name: 'Settings' });
const open = async () => {
  await page.getByRole('button', { name: 'Settings' }).click();
  await dialog().getByRole('radio', { name: 'Concise' }).waitFor();
};
const save = async () => {
  await dialog().getByRole('button', { name: 'Save' }).click();
  await dialog().waitFor({ state: 'detached' });
};

describe('the settings', () => {
  it('are set by pressing, and are there when the dialog opens again', async () => {
    await open();
    expect(await dialog().getByRole('radio', { name: 'Standard' }).isChecked()).toBe(true);
    await dialog().getByRole('radio', { name: 'Concise' }).check();
    await dialog().getByText('The outcome, and two options').waitFor();
    await dialog().getByRole('radio', { name: 'Friendly' }).check();
    await save();
    expect(await readSet()).toEqual({ conversation_style: 'concise', tone: 'friendly' });
    await open();
    expect(await dialog().getByRole('radio', { name: 'Concise' }).isChecked()).toBe(true);
    await dialog().getByRole('button', { name: 'Back to defaults' }).click();
    await dialog().waitFor({ state: 'detached' });
    expect(await readSet()).toEqual({});
  });

  it('are set with the keyboard alone; Escape changes nothing and goes back to the button', async () => {
    const button = page.getByRole('button', { name: 'Settings' });
    await button.focus();
    await page.keyboard.press('Enter');
    const questions = dialog().getByRole('slider', { name: 'Questions' });
    await questions.focus();
    await page.keyboard.press('ArrowRight');
    await dialog().getByText('At most three').waitFor();
    expect(await questions.getAttribute('aria-valuetext')).toBe('At most three');
    await page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'detached' });
    expect(await page.evaluate('document.activeElement?.id')).toBe('settings-button');
    expect(await readSet()).toEqual({});

    await page.keyboard.press('Enter');
    await questions.focus();
    await page.keyboard.press('Home');
    await dialog().getByText('I list my assumptions instead').waitFor();
    await dialog().getByRole('radio', { name: 'Medium' }).focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    await dialog().waitFor({ state: 'detached' });
    expect(await readSet()).toEqual({ probing_depth: 0, autonomy: 'low' });
  });

  it('hold what is remembered, which is added and dropped where it stands', async () => {
    const read = async () => {
      const answer = await fetch(`${server.url}/api/memory/local`);
      const { entries } = (await answer.json()) as { entries: { name: string; text: string }[] };
      return entries.map(({ name, text }) => [name, text]);
    };
    await open();
    await dialog().getByText('Nothing yet.').waitFor();
    await dialog().getByRole('textbox', { name: 'Something to remember' }).fill('Ana: a@a.org');
    await page.keyboard.press('Enter');
    await dialog().getByRole('button', { name: 'Forget Ana: a@a.org' }).waitFor();
    expect(await read()).toEqual([[null, 'Ana: a@a.org']]);
    await dialog().getByRole('button', { name: 'Forget Ana: a@a.org' }).click();
    await dialog().getByText('Nothing yet.').waitFor();
  });

  it('have a theme of this browser, which a reload keeps', async () => {
    const ground = () => page.evaluate('getComputedStyle(document.body).backgroundColor');
    await page.emulateMedia({ colorScheme: 'light' });
    const light = await ground();
    await open();
    await dialog().getByRole('radio', { name: 'Dark' }).check();
    const dark = await ground();
    expect(dark).not.toBe(light);
    await page.reload();
    expect(await ground()).toBe(dark);
    await open();
    await dialog().getByRole('radio', { name: 'System' }).check();
    expect(await ground()).toBe(light);
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await ground()).toBe(dark);
  });

  it('fit a narrow screen and a dark one', async () => {
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.setViewportSize({ width: 360, height: 640 });
    await open();
    // An Element in the page; tests have no DOM types.
    const widths = await dialog().evaluate((element: unknown) => {
      const { scrollWidth, clientWidth } = element as Record<'scrollWidth' | 'clientWidth', number>;
      return { scrollWidth, clientWidth };
    });
    expect(widths.scrollWidth).toBe(widths.clientWidth);
    expect(widths.clientWidth).toBeLessThanOrEqual(360);
    expect(await dialog().getByRole('button', { name: 'Save' }).isVisible()).toBe(true);
    await expectAccessible(page, 'the preferences', [{ scheme: 'dark', width: 360 }]);
  });
});

describe('how the instance is set up', () => {
  it('has an address for each section, which a reload and the Back button come back to', async () => {
    await page.goto(`${server.url}/?settings=tools`);
    await dialog().getByRole('region', { name: 'Tools' }).waitFor();
    await dialog().getByRole('button', { name: 'Approvals' }).click();
    await dialog().getByText('workspace_delete').waitFor();
    expect(new URL(page.url()).searchParams.get('settings')).toBe('approvals');
    await page.reload();
    await dialog().getByRole('heading', { name: 'Guarded operations' }).waitFor();
    await page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'detached' });
    expect(new URL(page.url()).searchParams.has('settings')).toBe(false);
    await page.getByRole('button', { name: 'Settings' }).click();
    await dialog().waitFor();
    await page.goBack();
    await dialog().waitFor({ state: 'detached' });
  });

  it('says that whoever is at this machine is an admin without a sign-in, and why no token is made here', async () => {
    await page.goto(`${server.url}/?settings=access`);
    const access = dialog().getByRole('region', { name: 'Access' });
    await access.getByText('This machine, without a sign-in').waitFor();
    await access.getByText('admin', { exact: true }).waitFor();
    await access.getByText('Only people who are signed in make tokens here.').waitFor();
    expect(await access.getByRole('button', { name: /^Sign out|^Create/ }).count()).toBe(0);
  });

  it('finds an operation by what it does, and asks a server again that is down', async () => {
    await page.goto(`${server.url}/?settings=tools`);
    const gone = dialog().getByRole('region', { name: 'gone', exact: true });
    await gone.getByText('command or folder was not found').first().waitFor();
    await gone.getByRole('button', { name: 'Check again' }).click();
    await gone.locator('[data-state="broken"]').waitFor();
    await dialog().getByRole('searchbox').fill('delete file');
    await dialog().getByText('workspace_delete').waitFor();
    expect(await dialog().locator('.operation').count()).toBeLessThan(4);
    await dialog().getByRole('searchbox').fill('no such words');
    await dialog().getByText('Nothing found').waitFor();
  });
});
