// Targets of MCP calls, looked up by the operator's configured read.
import { mkdtempSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { drawText } from '#cards/text.ts';
import { viewPlan } from '#cards/view-model.ts';
import type { StepDraft } from '#domain/plan/step-content.ts';
import { Settings } from '#domain/settings.ts';
import { ana, reach, scriptedPlanner, settleAsRead } from '../../setup/instance.ts';
import { checkPlan } from '../../setup/invariants.ts';
import { compileCache, node, quickly, root } from '../../setup/process.ts';
import { readsOf } from '../../setup/reads.ts';
import { useInstance } from '../../setup/use-instance.ts';

const folder = mkdtempSync(join(tmpdir(), 'countersign-tickets-'));
const tickets = {
  command: node,
  args: [...quickly, join(root, 'tests/fixtures/ticket-server.ts'), folder],
  env: { NODE_COMPILE_CACHE: compileCache },
};
const instance = useInstance({
  planner: scriptedPlanner(() => ({ kind: 'answer', text: 'no' })),
  settings: {
    mcpServers: {
      tracker: { ...tickets, trusted: true, inspect: { close: 'show' } },
      plain: { ...tickets, trusted: true },
      strict: { ...tickets, trusted: true },
    },
    guardedTools: ['strict_close'],
  },
});
afterAll(() => rm(folder, { recursive: true }));
beforeEach(() => rm(join(folder, 'log'), { force: true }));

const ticketAt = (id: string) => join(folder, id);
const calls = async () => (await readFile(join(folder, 'log'), 'utf8').catch(() => '')).split('\n');

const close = (ticket: string, tool = 'tracker'): StepDraft => ({
  id: ticket,
  description: 'Tidy up',
  tool,
  operation: 'close',
  args: { ticket, comment: 'done' },
});

const propose = (...steps: StepDraft[]) =>
  instance.service.propose({ title: 'Close tickets', steps }, { user: ana.id }, ana);
const confirm = (planId: string, id: string) => settleAsRead(instance, planId, { [id]: 'retry' });

const { approve, becomes } = readsOf(() => instance);

describe('a change whose target a declared read shows', () => {
  test('is proposed with what is there now, and runs when that is still so', async () => {
    await writeFile(ticketAt('T-1'), 'open: the printer burns');
    const plan = await propose(close('T-1'));
    expect(await calls()).toContain('show T-1');
    const [step] = await instance.service.getSteps(plan.id, ['T-1']);
    expect(step?.seen).toMatchObject({ state: 'exists' });
    const { steps } = await instance.service.listSteps(plan.id, { order: 'review', limit: 5 });
    const aid = steps[0]?.call.parts.find((part) => part.aid === true);
    expect(aid?.text).toContain('open: the printer burns');
    await approve(plan);
    await reach(instance, plan.id, 'completed');
    expect(await readFile(ticketAt('T-1'), 'utf8')).toBe('closed: done');
  });

  test('asks with both states when it has changed since, and is made once that is confirmed', async () => {
    await writeFile(ticketAt('T-2'), 'open: minor');
    const plan = await propose(close('T-2'));
    await writeFile(ticketAt('T-2'), 'open: people are trapped');
    await approve(plan);
    const asked = await becomes(plan.id, 'T-2', 'waiting');
    expect(asked.question).toContain('changed after the plan was approved');
    expect(asked.question).toContain('open: minor');
    expect(asked.question).toContain('open: people are trapped');
    const card = await instance.service.card(plan.id, { user: ana.id, timezone: 'UTC' });
    expect(drawText(viewPlan(card))).toContain('open: people are trapped');
    expect(await calls()).not.toContain('close T-2');
    await confirm(plan.id, 'T-2');
    await reach(instance, plan.id, 'completed');
    expect((await calls()).filter((line) => line === 'close T-2')).toHaveLength(1);
    await checkPlan(instance.db.query, plan.id);
  });

  test('asks when the target cannot be looked up any more', async () => {
    await writeFile(ticketAt('T-3'), 'open');
    const plan = await propose(close('T-3'));
    await rm(ticketAt('T-3'));
    await approve(plan);
    const asked = await becomes(plan.id, 'T-3', 'waiting');
    expect(asked.question).toContain('now it cannot be looked up');
    expect(await calls()).not.toContain('close T-3');
    await confirm(plan.id, 'T-3');
    await reach(instance, plan.id, 'completed');
  });

  test('is looked up by nothing where its target is not known yet or no read is declared', async () => {
    await writeFile(ticketAt('T-4'), 'open');
    const args = { ticket: { $decide: 'The oldest ticket' }, comment: 'done' };
    const plan = await propose({ ...close('open'), args }, close('T-4', 'plain'));
    const steps = await instance.service.getSteps(plan.id, ['open', 'T-4']);
    expect(steps.map(({ seen }) => seen)).toEqual([null, null]);
    expect((await calls()).join()).not.toContain('show');
    await instance.service.cancel(plan.id, { version: 1 }, ana);
  });
});

test('a change that no read shows is asked about where it is guarded, and only there', async () => {
  await writeFile(ticketAt('T-5'), 'open');
  const plan = await propose(close('T-5', 'strict'));
  await approve(plan);
  const asked = await becomes(plan.id, 'T-5', 'waiting');
  expect(asked.output).toMatchObject({ unchecked: true, looked: null });
  expect(await calls()).not.toContain('close T-5');
  await confirm(plan.id, 'T-5');
  await reach(instance, plan.id, 'completed');
  const other = await propose(close('T-5', 'plain'));
  await approve(other);
  await reach(instance, other.id, 'completed');
  expect((await calls()).filter((line) => line === 'close T-5')).toHaveLength(2);
});

test('reads are declared for trusted servers only', () => {
  const declare = (trusted: boolean) =>
    Settings.safeParse({
      mcpServers: { tracker: { ...tickets, trusted, inspect: { close: 'show' } } },
    });
  expect(declare(true).success).toBe(true);
  expect(declare(false).error?.issues[0]?.message).toContain('needs "trusted": true');
});
