// Documents in their places, and the API page's examples unchanged.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { expectAccessibleOnce } from '../setup/axe.ts';
import { home, page, programs, server, useConsole } from '../setup/console.ts';
import { waitFor } from '../wait.ts';

const PlanList = z.object({
  plans: z.array(z.object({ id: z.string(), version: z.number(), digest: z.string() })),
});

useConsole();

/** Runs `curl -s URL [-H …] [-d …]`. @throws unless it succeeds */
async function runCurl(command: string): Promise<unknown> {
  const words = [...command.matchAll(/'([^']*)'|(\S+)/g)].map(
    ([, quoted, bare]) => quoted ?? bare ?? '',
  );
  const after = (name: string) => words[words.indexOf(name) + 1] ?? '';
  const url = words.find((word) => word.includes('localhost:3978')) ?? '';
  const [header = '', value = ''] = words.includes('-H') ? after('-H').split(': ') : [];
  const response = await fetch(url.replace(/^(?:http:\/\/)?localhost:3978/, server.url), {
    ...(words.includes('-d') ? { method: 'POST', body: after('-d') } : {}),
    ...(header === '' ? {} : { headers: { [header]: value } }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${command}: ${response.status} ${text}`);
  return JSON.parse(text);
}

const read = (name: string) => readFileSync(new URL(`../../docs/${name}`, import.meta.url), 'utf8');
const cli = read('cli.md');
// Commands continue on indented lines.
const commands = [...read('api.md').matchAll(/^ {4}(curl .+(?:\n {6}.+)*)$/gm)].map(
  ([, command = '']) => command,
);

it('the first requests of docs/api.md plan, show and approve what they ask for', async () => {
  expect(commands).toHaveLength(4);
  const [ask = '', list = '', approve = '', propose = ''] = commands;
  const run = await runCurl(ask);
  expect(run).toMatchObject({ run_id: expect.any(String) });
  const plan = await waitFor('a plan to be proposed', async () => {
    const { plans } = PlanList.parse(await runCurl(list));
    return plans[0];
  });
  const approved = await runCurl(
    approve.replace('PLAN-1234abcd', plan.id).replace('"…"', JSON.stringify(plan.digest)),
  );
  expect(approved).toMatchObject({ id: plan.id, status: 'approved' });
  await server.api.reach(plan.id, 'completed');
  expect(await runCurl(propose)).toMatchObject({ title: 'Two files', status: 'proposed' });
});

it('every command of docs/cli.md has the words and options that the page gives it', async () => {
  const rows = [...cli.matchAll(/^\| (.*?) \|/gm)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`countersign ([^`]+)`/g)].map(([, command = '']) => command),
  );
  expect(rows.length).toBeGreaterThan(12);
  // `audit verify` of `audit verify [--from SEAL]`.
  const nameOf = (row: string) => /^[a-z]+(?: [a-z]+(?= |$))?/.exec(row)?.[0] ?? '';
  const helps = new Map(
    await Promise.all(
      [...new Set(rows.map(nameOf))].map(async (name) => {
        const { code, stdout } = await programs.finish([...name.split(' '), '--help'], { home });
        expect([name, code]).toEqual([name, 0]);
        return [name, stdout] as const;
      }),
    ),
  );
  const unknown = rows.flatMap((row) =>
    (row.match(/--[a-z-]+/g) ?? [])
      .filter((option) => helps.get(nameOf(row))?.includes(option) !== true)
      .map((option) => `${row}: ${option}`),
  );
  expect(unknown).toEqual([]);
});

describe('the pages', () => {
  it('have no violation of WCAG 2.2 AA', async () => {
    for (const path of ['/docs', '/docs/api', '/docs/search?q=approve']) {
      await page.goto(server.url + path);
      await expectAccessibleOnce(page, path);
    }
  });

  it('show results while one types, and the page again once the field is empty', async () => {
    await page.goto(`${server.url}/docs/api`);
    const field = page.getByRole('searchbox', { name: 'Search the docs' });
    await field.pressSequentially('cancel a rem');
    const first = page.locator('.found a').first();
    await first.waitFor();
    expect(await first.getAttribute('href')).toBe('/docs/tools#reminders');
    await page.locator('header output', { hasText: /results/ }).waitFor();
    await field.fill('');
    await page.getByRole('heading', { name: 'HTTP API', level: 1 }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/docs/api');
  });

  it('list every operation of the API in the reference', async () => {
    await page.goto(`${server.url}/docs/reference`);
    await page.getByText('/api/inbox').first().waitFor();
    await page.getByText('/api/plans/{id}/approve').first().waitFor();
  });
});
