// Findings: the steps they make stale, and settling them.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { viewPlan } from '#cards/view-model.ts';
import { carryOutPress } from '#conversation/press.ts';
import { migrationsFolder } from '#db/migrate.ts';
import { CountersignError } from '#domain/errors.ts';
import type { Severity } from '#domain/plan/finding.ts';
import type { PlanDraft } from '#domain/plan/plan.ts';
import type { ReportedFinding } from '#domain/service.ts';
import { outcomeUnknown } from '#tools/failures.ts';
import { createGates } from '../../fixtures/gates.ts';
import { refusalCode } from '../../fixtures/refusal.ts';
import { draftStep, gateStep, holdStep } from '../../fixtures/steps.ts';
import {
  ana,
  ben,
  noop,
  reach,
  runPlan,
  runUntilHeld,
  settleAsRead,
} from '../../setup/instance.ts';
import { checkPlan } from '../../setup/invariants.ts';
import { readsOf } from '../../setup/reads.ts';
import { useInstance } from '../../setup/use-instance.ts';
import { waitFor } from '../../wait.ts';

const gates = createGates();
const writes = createGates('write');
const instance = useInstance({
  settings: { executor: { lease_seconds: 2, replan: 'on_request' } },
  extraOperations: [gates.operation, writes.operation],
});

const failing = (id: string, ...after: string[]) =>
  draftStep(id, 'Fail', 'workspace_read', { path: 'missing.md' }, ...after);

const held = (steps: PlanDraft['steps'], waiting = 1) => runUntilHeld(instance, { steps }, waiting);

const raise = (
  id: string,
  about: Pick<ReportedFinding, 'step_id' | 'partition' | 'key'>,
  severity: Severity = 'ERROR',
) =>
  instance.service.raiseFinding(
    id,
    {
      severity,
      category: 'source_changed',
      message: 'The source has changed.',
      evidence: [],
      ...about,
    },
    ana,
  );

const settle = (
  id: string,
  finding: string,
  action: 'proceed' | 'leave_out' | 'dismiss' | 'replan',
  actor = ana,
) => instance.service.settleFinding(id, finding, action, actor);

const { statusesOf, resume } = readsOf(() => instance);

const answer = (id: string, step: string) => settleAsRead(instance, id, { [step]: 'done' });

const check = (id: string) => checkPlan(instance.db.query, id);

describe('a finding', () => {
  test('of severity ERROR makes stale what depends on its step, and nothing else', async () => {
    const plan = await held([
      noop('a'),
      noop('b', 'a'),
      holdStep('c', 'b'),
      noop('d', 'c'),
      noop('x'),
      noop('y', 'x'),
    ]);
    const finding = await raise(plan.id, { step_id: 'a' });
    expect(finding).toMatchObject({
      status: 'open',
      stale_steps: 3,
      actions: ['replan', 'proceed', 'leave_out'],
      raised_by: 'ana',
    });
    expect(await statusesOf(plan.id)).toEqual({
      a: 'succeeded',
      b: 'stale',
      c: 'stale',
      d: 'stale',
      x: 'succeeded',
      y: 'succeeded',
    });
    await check(plan.id);
    const { steps } = await instance.service.listSteps(plan.id, { status: ['stale'], limit: 1 });
    expect(steps[0]?.error).toEqual({
      code: 'stale',
      message: 'The source has changed.',
      finding: finding.id,
      was: { status: 'succeeded', error: null },
    });
    expect(await instance.service.getPlan(plan.id)).toMatchObject({
      status: 'executing',
      findings_open: { INFO: 0, WARN: 0, ERROR: 1, CRITICAL: 0 },
    });
  });

  test('of severity WARN is only kept', async () => {
    const plan = await held([noop('a'), holdStep('b', 'a')]);
    await raise(plan.id, { step_id: 'a' }, 'WARN');
    expect(await statusesOf(plan.id)).toEqual({ a: 'succeeded', b: 'waiting' });
    expect((await instance.service.overview(plan.id)).findings_open.WARN).toBe(1);
  });

  test('is raised once under one key, however often it is said', async () => {
    const plan = await held([noop('a'), holdStep('b', 'a')]);
    const first = await raise(plan.id, { step_id: 'a', key: 'orders' });
    const { revision } = await instance.service.getPlan(plan.id);
    expect(await raise(plan.id, { step_id: 'a', key: 'orders' })).toEqual(first);
    expect((await instance.service.getPlan(plan.id)).revision).toBe(revision);
  });

  test('of a partition covers what depends on any of its steps', async () => {
    const plan = await held([
      { ...noop('a'), partition: 'eu' },
      { ...noop('b'), partition: 'us' },
      holdStep('c', 'b'),
      noop('sum', 'a', 'c'),
      noop('us', 'c'),
    ]);
    await raise(plan.id, { partition: 'eu' });
    expect(await statusesOf(plan.id)).toMatchObject({
      sum: 'stale',
      us: 'pending',
      a: 'succeeded',
    });
    await check(plan.id);
  });

  test('about a step that is not there, or by somebody who may not, is refused', async () => {
    const plan = await held([noop('a'), holdStep('b', 'a')]);
    expect(await refusalCode(raise(plan.id, { step_id: 'no' }))).toBe('unknown_step');
    expect(await refusalCode(raise(plan.id, { partition: 'no' }))).toBe('unknown_step');
    const finding = { category: 'reported' as const, message: 'No.', evidence: [], step_id: 'a' };
    const by = (severity: Severity) =>
      instance.service.raiseFinding(plan.id, { ...finding, severity }, ben);
    expect(await refusalCode(by('CRITICAL'))).toBe('not_allowed');
    expect((await by('INFO')).raised_by).toBe('ben');
  });

  test('about a plan that waits for approval holds its steps back when it starts', async () => {
    const { service } = instance;
    const steps = [noop('a'), noop('b', 'a'), noop('x')];
    const plan = await service.propose({ title: 'Stale from the start', steps }, {}, ana);
    const finding = await raise(plan.id, { step_id: 'a' });
    await service.approve(plan.id, { version: 1, digest: plan.digest }, ana);
    await waitFor('what is not stale to be done', async () => {
      const { counts } = await service.getPlan(plan.id);
      return counts.succeeded === 2;
    });
    expect(await statusesOf(plan.id)).toEqual({ a: 'succeeded', b: 'stale', x: 'succeeded' });
    await settle(plan.id, finding.id, 'proceed');
    await reach(instance, plan.id, 'completed');
    await check(plan.id);
  });

  test('about a plan that has ended brings nothing back by itself', async () => {
    const plan = await runPlan(instance, [noop('a'), noop('b', 'a')]);
    await reach(instance, plan.id, 'completed');
    const finding = await raise(plan.id, { step_id: 'a' });
    expect(await instance.service.getPlan(plan.id)).toMatchObject({
      status: 'completed',
      counts: { succeeded: 1, stale: 1 },
    });
    await settle(plan.id, finding.id, 'dismiss');
    expect(await instance.service.getPlan(plan.id)).toMatchObject({
      status: 'completed',
      counts: { succeeded: 2, stale: 0 },
    });
    await check(plan.id);
  });
});

describe('a step that runs while a finding comes to cover it', () => {
  test('ends, keeps its result, and is stale then', async () => {
    const name = 'kept';
    const plan = await runPlan(instance, {
      title: 'Running',
      steps: [noop('a'), gateStep('b', name, 'a'), noop('c', 'b'), noop('x')],
    });
    await waitFor('b to run', () => gates.came(name) === 1);
    const finding = await raise(plan.id, { step_id: 'a' });
    expect(await statusesOf(plan.id)).toMatchObject({ b: 'running', c: 'stale' });
    gates.open(name, { summary: 'Read it.', data: { n: 1 } });
    const [b] = await waitFor('b to be stale', async () => {
      const steps = await instance.service.getSteps(plan.id, ['b']);
      return steps[0]?.status === 'stale' ? steps : null;
    });
    expect(b).toMatchObject({
      result_summary: 'Read it.',
      output: { n: 1 },
      error: { finding: finding.id, was: { status: 'succeeded', error: null } },
    });
    await check(plan.id);
    await settle(plan.id, finding.id, 'proceed');
    await reach(instance, plan.id, 'completed');
    expect(gates.came(name)).toBe(1);
    await check(plan.id);
  });

  test('is stale even if nothing else of the plan was, and its failure stops nothing', async () => {
    const name = 'alone';
    const plan = await runPlan(instance, [noop('a'), gateStep('b', name, 'a')]);
    await waitFor('b to run', () => gates.came(name) === 1);
    const finding = await raise(plan.id, { step_id: 'a' });
    expect(finding.stale_steps).toBe(1);
    gates.open(name, new CountersignError('tool_failed', 'It broke.'));
    await waitFor('b to be stale', async () => (await statusesOf(plan.id)).b === 'stale');
    expect((await instance.service.getPlan(plan.id)).status).toBe('executing');
    await settle(plan.id, finding.id, 'proceed');
    const ended = await reach(instance, plan.id, 'failed');
    expect(ended.result_summary).toContain('It broke');
    await check(plan.id);
  });

  test('goes on as if nothing had been when the finding is settled first', async () => {
    const name = 'settled';
    const plan = await runPlan(instance, [noop('a'), gateStep('b', name, 'a'), noop('c', 'b')]);
    await waitFor('b to run', () => gates.came(name) === 1);
    const finding = await raise(plan.id, { step_id: 'a' });
    await settle(plan.id, finding.id, 'dismiss');
    expect(await statusesOf(plan.id)).toMatchObject({ b: 'running', c: 'pending' });
    gates.open(name);
    await reach(instance, plan.id, 'completed');
    await check(plan.id);
  });

  test('ends as it is when the plan is cancelled', async () => {
    const name = 'cancelled';
    const plan = await runPlan(instance, [noop('a'), gateStep('b', name, 'a'), noop('c', 'b')]);
    await waitFor('b to run', () => gates.came(name) === 1);
    await raise(plan.id, { step_id: 'a' });
    await instance.service.cancel(plan.id, { version: 1 }, ana);
    gates.open(name);
    await waitFor('b to end', async () => (await statusesOf(plan.id)).b !== 'running');
    const now = await instance.service.getPlan(plan.id);
    expect(now.counts.stale).toBe(0);
    expect(now.findings_open.ERROR).toBe(0);
    await check(plan.id);
  });
});

describe('a finding that is settled', () => {
  test('by proceed gives back what was done and runs what was not', async () => {
    const plan = await held([noop('a'), noop('b', 'a'), holdStep('c', 'b'), noop('d', 'c')]);
    const finding = await raise(plan.id, { step_id: 'a' });
    const settled = await settle(plan.id, finding.id, 'proceed');
    expect(settled).toMatchObject({ status: 'resolved', settled_by: 'ana', actions: [] });
    expect(await statusesOf(plan.id)).toEqual({
      a: 'succeeded',
      b: 'succeeded',
      c: 'waiting',
      d: 'pending',
    });
    const [c] = await instance.service.getSteps(plan.id, ['c']);
    expect(c).toMatchObject({ question: 'Go on?', error: null });
    await check(plan.id);
    await answer(plan.id, 'c');
    await reach(instance, plan.id, 'completed');
    await check(plan.id);
  });

  test('by leaving out ends the plan without what was stale', async () => {
    const plan = await held([noop('a'), holdStep('c', 'a'), noop('d', 'c')]);
    const finding = await raise(plan.id, { step_id: 'a' });
    await settle(plan.id, finding.id, 'leave_out');
    expect(await reach(instance, plan.id, 'completed')).toMatchObject({
      result_summary: '1 step done, 2 steps not run.',
    });
    await check(plan.id);
  });

  test('takes along what only starts with a step that is left out', async () => {
    const plan = await held([
      noop('a'),
      holdStep('c', 'a'),
      { ...noop('d', 'c') },
      { ...noop('with'), after: [{ id: 'd', type: 'SS', lag_minutes: 0 }] },
    ]);
    const finding = await raise(plan.id, { step_id: 'a' });
    expect(await statusesOf(plan.id)).toMatchObject({ with: 'pending' });
    await settle(plan.id, finding.id, 'leave_out');
    expect(await statusesOf(plan.id)).toMatchObject({ with: 'cancelled' });
    await reach(instance, plan.id, 'completed');
    await check(plan.id);
  });

  test('leaves stale what another one covers', async () => {
    const plan = await held([
      noop('a'),
      noop('b'),
      holdStep('c', 'a'),
      noop('d', 'c', 'b'),
      noop('e', 'b'),
    ]);
    const one = await raise(plan.id, { step_id: 'a' });
    const two = await raise(plan.id, { step_id: 'b' });
    await settle(plan.id, one.id, 'proceed');
    expect(await statusesOf(plan.id)).toMatchObject({ c: 'waiting', d: 'stale', e: 'stale' });
    const [d] = await instance.service.getSteps(plan.id, ['d']);
    expect(d?.error).toMatchObject({ finding: two.id });
    expect(d?.error).not.toHaveProperty('others');
    await settle(plan.id, two.id, 'leave_out');
    expect(await statusesOf(plan.id)).toMatchObject({ d: 'cancelled', e: 'cancelled' });
    await check(plan.id);
  });

  test('is in the error for a program of the version before, whose changes of it count', async () => {
    const plan = await held([noop('a'), holdStep('c', 'a'), noop('d', 'c')]);
    const one = await raise(plan.id, { step_id: 'a', key: 'one' });
    const two = await raise(plan.id, { step_id: 'a', key: 'two' });
    const ofD = sql`s.plan_id = ${plan.id} and s.step_id = 'd'`;
    const read = () =>
      instance.db.query.row(
        sql`select s.held_by, s.was_status, s.error from countersign.step_states s where ${ofD}`,
      );
    const known = {
      held_by: [one.id, two.id],
      was_status: 'pending',
      error: {
        code: 'stale',
        message: 'The source has changed.',
        finding: one.id,
        others: [two.id],
        was: { status: 'pending', error: null },
      },
    };
    expect(await read()).toEqual(known);

    const migration = readFileSync(join(migrationsFolder, '0057_held_steps.sql'), 'utf8');
    const [fill = ''] = migration
      .split('--> statement-breakpoint')
      .filter((one) => /step_blocks/.test(one));
    await instance.db.transaction(async (tx) => {
      await tx.execute(sql`set local session_replication_role = replica`);
      await tx.execute(
        sql`update countersign.step_states s set held_by = null, was_status = null where ${ofD}`,
      );
      await tx.execute(sql.raw(fill));
      await tx.execute(sql`set local session_replication_role = origin`);
    });
    expect(await read()).toEqual(known);

    await instance.db.query.execute(sql`update countersign.step_states s
      set error = (s.error - 'others') || jsonb_build_object('finding', s.error -> 'others' -> 0) where ${ofD}`);
    expect(await read()).toMatchObject({ held_by: [two.id], was_status: 'pending' });
    await instance.db.query.execute(sql`update countersign.step_states s
      set status = 'failed', error = '{"code": "tool_failed", "message": "No."}' where ${ofD}`);
    expect(await read()).toMatchObject({ held_by: null, was_status: null });
    await instance.db.query.execute(sql`update countersign.step_states s
      set status = 'stale', error = ${JSON.stringify(known.error)}::jsonb where ${ofD}`);
    expect(await read()).toEqual(known);
    await settle(plan.id, one.id, 'proceed');
    await settle(plan.id, two.id, 'proceed');
    expect(await statusesOf(plan.id)).toMatchObject({ d: 'pending' });
    expect(await read()).toEqual({ held_by: null, was_status: null, error: null });
  });

  test('by leaving out is kept of steps that another one still covers', async () => {
    const plan = await held([noop('a'), noop('b'), holdStep('c', 'a'), noop('d', 'c', 'b')]);
    const one = await raise(plan.id, { step_id: 'a' });
    const two = await raise(plan.id, { step_id: 'b' });
    await settle(plan.id, one.id, 'leave_out');
    expect(await statusesOf(plan.id)).toMatchObject({ c: 'cancelled', d: 'stale' });
    await settle(plan.id, two.id, 'proceed');
    await reach(instance, plan.id, 'completed');
    expect(await statusesOf(plan.id)).toMatchObject({ d: 'cancelled' });
    await check(plan.id);
  });

  test('skips what waits for a step that failed meanwhile', async () => {
    const name = 'fails';
    const plan = await runPlan(instance, [noop('a'), gateStep('b', name), holdStep('c', 'a', 'b')]);
    await waitFor('b to run', () => gates.came(name) === 1);
    await waitFor('a to be done', async () => (await statusesOf(plan.id)).a === 'succeeded');
    const finding = await raise(plan.id, { step_id: 'a' });
    gates.open(name, new CountersignError('tool_failed', 'It broke.'));
    await waitFor('b to fail', async () => (await statusesOf(plan.id)).b === 'failed');
    expect((await instance.service.getPlan(plan.id)).status).toBe('executing');
    await settle(plan.id, finding.id, 'proceed');
    await reach(instance, plan.id, 'failed');
    expect(await statusesOf(plan.id)).toEqual({ a: 'succeeded', b: 'failed', c: 'skipped' });
    await check(plan.id);
  });

  test('stays so: the same press again changes nothing, another one is refused', async () => {
    const plan = await held([noop('a'), holdStep('b', 'a')]);
    const finding = await raise(plan.id, { step_id: 'a' });
    const settled = await settle(plan.id, finding.id, 'proceed');
    const { revision } = await instance.service.getPlan(plan.id);
    expect(await settle(plan.id, finding.id, 'proceed')).toEqual(settled);
    expect((await instance.service.getPlan(plan.id)).revision).toBe(revision);
    expect(await refusalCode(settle(plan.id, finding.id, 'leave_out'))).toBe('already_decided');
    expect(await refusalCode(settle(plan.id, 'F-000000000000', 'proceed'))).toBe('not_found');
    expect(await refusalCode(settle(plan.id, finding.id, 'dismiss', ben))).toBe('not_allowed');
  });

  test('is settled by one of many presses at once', async () => {
    const plan = await held([noop('a'), holdStep('b', 'a'), noop('c', 'b')]);
    const finding = await raise(plan.id, { step_id: 'a' });
    const presses = (['proceed', 'leave_out', 'dismiss'] as const).flatMap((action) => [
      settle(plan.id, finding.id, action),
      settle(plan.id, finding.id, action),
    ]);
    const done = await Promise.allSettled(presses);
    expect(done.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
    await check(plan.id);
  });
});

describe('what is stale', () => {
  test('is not revived by a retry, nor by a pause and its end', async () => {
    const plan = await held([noop('a'), holdStep('b', 'a'), noop('c', 'b'), failing('f')]);
    const finding = await raise(plan.id, { step_id: 'a' });
    await instance.service.pause(plan.id, { version: 1 }, ana);
    await resume(plan.id, {});
    await settleAsRead(instance, plan.id, { f: 'retry' });
    await waitFor('f to fail again', async () => {
      const [f] = await instance.service.getSteps(plan.id, ['f']);
      return f?.attempt === 2 && f.status === 'failed';
    });
    expect(await statusesOf(plan.id)).toMatchObject({ b: 'stale', c: 'stale' });
    await settle(plan.id, finding.id, 'leave_out');
    await reach(instance, plan.id, 'failed');
    await instance.service.retry(plan.id, { version: 1 }, ana);
    await reach(instance, plan.id, 'failed');
    expect(await statusesOf(plan.id)).toMatchObject({ b: 'cancelled', c: 'cancelled' });
    await check(plan.id);
  });

  test('is cancelled with the plan', async () => {
    const plan = await held([noop('a'), holdStep('b', 'a')]);
    await raise(plan.id, { step_id: 'a' });
    await instance.service.cancel(plan.id, { version: 1 }, ana);
    expect(await statusesOf(plan.id)).toEqual({ a: 'succeeded', b: 'cancelled' });
    const { findings } = await instance.service.listFindings(plan.id, { limit: 10 });
    expect(findings).toMatchObject([{ status: 'dismissed', settled_by: 'ana' }]);
    await check(plan.id);
  });

  test('takes along an unknown outcome once somebody says what became of it', async () => {
    const name = 'unknown';
    const plan = await runPlan(instance, {
      title: 'Unknown',
      steps: [noop('a'), { ...gateStep('b', name, 'a'), operation: 'write' }, noop('c', 'b')],
    });
    await waitFor('b to run', () => writes.came(name) === 1);
    const lost = { details: outcomeUnknown };
    writes.open(name, new CountersignError('tool_failed', 'No answer came.', lost));
    await waitFor('b to be unknown', async () => (await statusesOf(plan.id)).b === 'unknown');
    const finding = await raise(plan.id, { step_id: 'a' });
    expect(await statusesOf(plan.id)).toMatchObject({ b: 'unknown', c: 'stale' });
    await resume(plan.id, { steps: { b: 'done' } });
    expect(await statusesOf(plan.id)).toMatchObject({ b: 'stale', c: 'stale' });
    await check(plan.id);
    await settle(plan.id, finding.id, 'proceed');
    await reach(instance, plan.id, 'completed');
    await check(plan.id);
  });
});

describe('a step that reports', () => {
  const report = (id: string, args: object, ...after: string[]) =>
    draftStep(
      id,
      'Report',
      'plan_report',
      { severity: 'ERROR', message: 'The totals differ.', ...args },
      ...after,
    );

  test('holds back what depends on it before any of that begins', async () => {
    const plan = await runPlan(instance, [report('check', {}), noop('send', 'check'), noop('x')]);
    await waitFor('it to come to rest', async () => {
      const { counts } = await instance.service.getPlan(plan.id);
      return counts.succeeded === 2;
    });
    const [send] = await instance.service.getSteps(plan.id, ['send']);
    expect(send).toMatchObject({ status: 'stale', attempt: 0 });
    const { findings } = await instance.service.listFindings(plan.id, { limit: 10 });
    expect(findings).toMatchObject([
      { severity: 'ERROR', category: 'reported', step_id: 'check', raised_by: 'step check' },
    ]);
    await check(plan.id);
  });

  test('where a condition holds, about another step: what used that is stale, itself too', async () => {
    const when = { step: 'total', path: '/n', is: 'greater' as const, value: 3 };
    const steps = (name: string) => [
      gateStep('total', name),
      noop('print', 'total'),
      { ...report('check', { step: 'total' }, 'total'), when },
      noop('send', 'check'),
    ];
    gates.open('small', { summary: 'Counted.', data: { n: 2 } });
    gates.open('large', { summary: 'Counted.', data: { n: 4 } });
    const small = await runPlan(instance, steps('small'));
    await reach(instance, small.id, 'completed');
    const large = await runPlan(instance, steps('large'));
    await waitFor('all to be stale', async () => {
      const { counts } = await instance.service.getPlan(large.id);
      return counts.stale === 3;
    });
    expect(await statusesOf(large.id)).toMatchObject({ total: 'succeeded' });
    await check(large.id);
  });

  test('about a step that is not there reports about itself', async () => {
    const plan = await runPlan(instance, [report('check', { step: 'nobody', severity: 'WARN' })]);
    await reach(instance, plan.id, 'completed');
    const { findings } = await instance.service.listFindings(plan.id, { limit: 10 });
    expect(findings).toMatchObject([{ step_id: 'check', severity: 'WARN' }]);
  });
});

test('a finding is told in the conversation, asked about on the card, and settled by its button', async () => {
  const conversation = 'told';
  const { service } = instance;
  const draft = { title: 'Told', steps: [noop('a'), holdStep('b', 'a'), noop('c', 'b')] };
  const plan = await service.propose(draft, { user: 'ana', conversation }, ana);
  await service.approve(plan.id, { version: 1, digest: plan.digest }, ana);
  await waitFor('b to wait', async () => (await statusesOf(plan.id)).b === 'waiting');
  const finding = await raise(plan.id, { step_id: 'a' });
  const [notice] = await waitFor('the news', async () => {
    const messages = await instance.service.messages(conversation, { limit: 50 });
    const found = messages.filter(({ text }) => text.includes('Problem in'));
    return found.length > 0 ? found : null;
  });
  expect(notice?.text).toContain('“The source has changed.” 2 steps are on hold');
  const facts = await instance.service.card(plan.id, { user: 'ana', timezone: 'UTC' });
  const [ask] = viewPlan(facts).asks;
  expect(ask?.buttons.map(({ label }) => label)).toEqual([
    'Correct the plan',
    'Run them as they are',
    'Leave them out',
  ]);
  const button = ask?.buttons[1]?.press;
  if (button === undefined) throw new Error('The card has no second button.');
  const press = { button, text: '', fields: null, part: null };
  await expect(carryOutPress(instance.service, press, ben)).rejects.toMatchObject({
    code: 'not_allowed',
  });
  await carryOutPress(instance.service, press, ana);
  await carryOutPress(instance.service, press, ana);
  expect(await statusesOf(plan.id)).toMatchObject({ b: 'waiting', c: 'pending' });
  const { findings } = await instance.service.listFindings(plan.id, { limit: 5 });
  expect(findings).toMatchObject([{ id: finding.id, status: 'resolved', settled_by: 'ana' }]);
  await check(plan.id);
});
