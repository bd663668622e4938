// The whole job in a terminal, with reliable exit codes.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { Plan } from '#domain/plan/plan.ts';
import { useDatabase } from '../setup/database.ts';
import { type Options, usePrograms } from '../setup/process.ts';
import { waitFor } from '../wait.ts';

const database = useDatabase();
const programs = usePrograms();
let options: Options;
beforeAll(async () => {
  options = { home: await programs.home(), database: database.url };
});
vi.setConfig({ maxConcurrency: 3 });

const ask = (text: string, more: string[] = [], input = '') =>
  programs.finish(['ask', text, ...more], { ...options, input });
const readNote = (name: string) => readFile(join(options.home, 'workspace', name), 'utf8');

type Line = { event: string; [key: string]: unknown };
const readLines = (stdout: string): Line[] =>
  stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

describe.concurrent('countersign ask', () => {
  it('shows the plan, takes --yes for the approval, and ends with 0 when it is done', async () => {
    const { code, stdout, stderr } = await ask('Create yes.txt saying "Hello"', ['--yes']);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/Plan PLAN-[0-9a-f]{8} · version 1 · offline planner/);
    expect(stdout).toContain('Creates yes.txt');
    expect(stdout).toContain('Approved by you');
    expect(await readNote('yes.txt')).toBe('Hello');
  });

  it.each([
    ['an unknown option', 2, ['ask', 'help', '--nope']],
    ['help', 0, ['ask', 'help']],
  ] as const)('ends for %s with %i', async (_, code, command) => {
    expect(await programs.finish([...command], options)).toMatchObject({ code });
  });

  it('ends with 130 at Ctrl-C and leaves the plan as it is', async () => {
    const program = programs.run(['ask', 'Create left.txt saying "Hello"'], options);
    await waitFor('the plan', () => program.stdout().includes('digest'), {
      timeoutMs: 30_000,
    });
    expect((await program.stop('SIGINT')).code).toBe(130);
    expect(program.stdout()).toMatch(/Stopped watching\..*countersign plans PLAN-/s);
  });

  it('speaks JSON lines with --json, the last of them the outcome, for the person it is told', async () => {
    const more = ['--yes', '--json', '--user', 'ana'];
    const { code, stdout } = await ask('Create json.txt saying "Hello"', more);
    const lines = readLines(stdout);
    const [plan] = lines.filter(({ event }) => event === 'plan');
    expect(plan).toMatchObject({ version: 1, status: 'proposed', planner: 'offline planner' });
    expect(lines).toContainEqual({
      event: 'decision',
      action: 'approve',
      plan_id: plan?.plan_id,
      version: 1,
      digest: plan?.digest,
    });
    expect(lines.at(-1)).toMatchObject({
      event: 'outcome',
      exit_code: code,
      outcome: 'done',
      plan_id: plan?.plan_id,
      status: 'completed',
    });
    expect(code).toBe(0);
  });
});

describe('countersign plans', () => {
  it('lists what waits, and everything with --status all', async () => {
    const [open, all] = await Promise.all([
      programs.finish(['plans'], options),
      programs.finish(['plans', '--status', 'all', '--json'], options),
    ]);
    expect([open.code, all.code]).toEqual([0, 0]);
    expect(open.stdout).toMatch(
      /Needs you · \d+\n(?: +PLAN-.*\n)* +PLAN-[0-9a-f]{8} +◷ needs your approval.*Write left\.txt/,
    );
    expect(open.stdout).not.toContain('yes.txt');
    const { plans }: { plans: Plan[] } = JSON.parse(all.stdout);
    expect(plans.map(({ status }) => status)).toEqual(
      expect.arrayContaining(['proposed', 'completed']),
    );
    expect(plans.filter(({ requester }) => requester === 'ana')).toHaveLength(1);
  });

  it('says which statuses there are', async () => {
    const status = await programs.finish(['plans', '--status', 'lost'], options);
    expect([status.code, status.stdout]).toEqual([2, expect.stringContaining('needs_review')]);
  });
});
