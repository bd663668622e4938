// Plans that correct themselves after a finding.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eq, sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { listFindings, openFinding } from '#db/plans/findings.ts';
import { lockPlan } from '#db/plans/plans.ts';
import { findPlansToReplan } from '#db/plans/replanning.ts';
import { spending } from '#db/schema.ts';
import type { RaisedFinding } from '#domain/plan/finding.ts';
import type { PlanDraft } from '#domain/plan/plan.ts';
import type { Operation } from '#domain/tool.ts';
import { raiseFindings } from '#plans/findings/raise.ts';
import * as openai from '../../fixtures/openai-double.ts';
import { draftStep, holdStep, readStep } from '../../fixtures/steps.ts';
import { useDatabase } from '../../setup/database.ts';
import {
  ana,
  noop,
  openTestInstance,
  reach,
  runPlan,
  runUntilHeld,
  settleAsRead,
  type TestInstance,
} from '../../setup/instance.ts';
import { checkPlan } from '../../setup/invariants.ts';
import { readsOf } from '../../setup/reads.ts';
import { waitFor } from '../../wait.ts';

const database = useDatabase();
let instance: TestInstance;
let model: openai.OpenAiDouble;
let script: (body: openai.ChatBody) => openai.Turn = () => ({ status: 500 });

const logged: unknown[] = [];
// Two calls leave two lines.
const append: Operation = {
  tool: 'log',
  operation: 'append',
  name: 'log_append',
  description: 'Appends a line.',
  input: {
    type: 'object',
    properties: { line: { type: 'string' } },
    required: ['line'],
    additionalProperties: false,
  },
  effect: 'write',
  destructive: false,
  source: 'builtin',
  async call({ line }) {
    logged.push(line);
    return { summary: 'Appended.', data: null };
  },
};

let ticks = 0;
const clock: Operation = {
  ...append,
  tool: 'clock',
  operation: 'read',
  name: 'clock_read',
  description: 'Says something else each time.',
  input: { type: 'object', properties: {}, additionalProperties: false },
  effect: 'read',
  async call() {
    ticks += 1;
    return { summary: 'Read.', data: { ticks } };
  },
};

beforeAll(async () => {
  model = await openai.start({ script: (body) => script(body) });
  instance = await openTestInstance(database.url, {
    env: { OPENAI_API_KEY: 'test', OPENAI_BASE_URL: model.url },
    extraOperations: [append, clock],
    settings: { prices: { '*': { input: 1, output: 1 } } },
  });
});
afterAll(async () => {
  await instance.close();
  await model.close();
});
beforeEach(() => {
  model.requests.length = 0;
});

const gate = holdStep('gate');

const put = (name: string, text: string) => writeFile(join(instance.workspace, name), text);

const recheck = (id: string, steps: string[], ...after: string[]) =>
  draftStep(id, 'Look again', 'plan_recheck', { steps }, ...after);

const held = (steps: PlanDraft['steps'], more: Partial<PlanDraft> = {}) =>
  runUntilHeld(instance, { steps, ...more });

const { statusesOf, approve } = readsOf(() => instance);

// Nothing of the plan runs or is about to.
const quiet = (id: string) =>
  waitFor(`${id} to be quiet`, async () => {
    const { counts } = await instance.service.getPlan(id);
    return counts.running + counts.ready === 0;
  });

const raise = (id: string, more: Partial<RaisedFinding>) =>
  instance.db.transaction(async (tx) =>
    raiseFindings({ enqueue: async () => {}, random: { hex } }, tx, await lockPlan(tx, id), [
      {
        key: 'k',
        severity: 'ERROR',
        category: 'reported',
        message: 'The list is not the right one.',
        evidence: [],
        raisedBy: 'test',
        ...more,
      },
    ]),
  );
const hex = (bytes: number) =>
  Array.from({ length: 2 * bytes }, () => Math.floor(Math.random() * 16).toString(16)).join('');

async function openFindings(id: string) {
  const status = [...openFinding];
  const { findings } = await listFindings(instance.db.query, id, { status, limit: 20 });
  return findings.reverse();
}

describe('a source that is looked at again', () => {
  test('raises a finding about each step whose output has changed, and about no other', async () => {
    await put('a.txt', 'one');
    await put('b.txt', 'same');
    await put('c.txt', 'there');
    script = () => ({ calls: [{ name: 'give_up', args: { why: 'Nobody can say.' } }] });
    const plan = await held([
      gate,
      readStep('a', 'a.txt'),
      readStep('b', 'b.txt'),
      readStep('c', 'c.txt'),
      noop('use', 'a'),
      recheck('look', ['a', 'b', 'c', 'use'], 'gate'),
    ]);
    await put('a.txt', 'two');
    await settleAsRead(instance, plan.id, { gate: 'done' });
    const found = await waitFor('the finding', async () => {
      const [look] = await instance.service.getSteps(plan.id, ['look']);
      return look?.status === 'succeeded' && look.output;
    });
    expect(found).toEqual({ checked: 3, skipped: 1, changed: ['a'] });
    const { findings } = await listFindings(instance.db.query, plan.id, { limit: 10 });
    const [changed] = findings.filter(({ category }) => category === 'source_changed');
    expect(changed).toMatchObject({ severity: 'ERROR', step_id: 'a', stale_steps: 1 });
    expect(changed?.evidence[0]?.text).toContain('"one" → "two"');
    expect(changed?.evidence[0]?.data).toMatchObject({
      was: expect.any(String),
      now: expect.any(String),
    });
  });
});

describe('many sources that have changed', () => {
  test('are told of in several transactions, so that the plan goes on meanwhile', async () => {
    const ids = Array.from({ length: 60 }, (_, n) => `clock-${n}`);
    const looks = ids.map((id) => draftStep(id, 'Look at the clock', 'clock_read', {}));
    const plan = await held([gate, ...looks, recheck('look', ids, 'gate')]);
    await settleAsRead(instance, plan.id, { gate: 'done' });
    await waitFor('the check', async () => {
      const [look] = await instance.service.getSteps(plan.id, ['look']);
      return look?.status === 'succeeded';
    });
    const { rows } = await instance.db.query.execute<{ n: number; transactions: number }>(sql`
      select count(*)::int as n, count(distinct xmin::text)::int as transactions
      from countersign.plan_findings where plan_id = ${plan.id} and category = 'source_changed'`);
    expect(rows).toEqual([{ n: 60, transactions: 2 }]);
  });
});

describe('a source that changes while its plan runs', () => {
  const steps = [
    gate,
    readStep('a', 'a.txt'),
    readStep('b', 'b.txt'),
    noop('use', 'a'),
    recheck('look', ['a', 'b'], 'gate', 'b'),
    noop('last', 'use', 'look'),
  ];

  test('is read again with all that depends on it, without a person or a model, and the plan completes', async () => {
    await put('a.txt', 'one');
    await put('b.txt', 'same');
    const plan = await held(steps);
    await put('a.txt', 'two');
    await settleAsRead(instance, plan.id, { gate: 'done' });
    await reach(instance, plan.id, 'completed');
    const done = await instance.service.getSteps(plan.id, ['a', 'use', 'b', 'last', 'verify#1']);
    expect(done.map(({ id, status, attempt }) => [id, status, attempt])).toEqual([
      ['a', 'succeeded', 2],
      ['b', 'succeeded', 1],
      ['use', 'succeeded', 2],
      ['last', 'succeeded', 1],
      ['verify#1', 'succeeded', 1],
    ]);
    expect(done[0]?.output).toMatchObject({ text: 'two' });
    expect(await openFindings(plan.id)).toEqual([]);
    expect(model.requests).toEqual([]);
    await checkPlan(instance.db.query, plan.id);
  });

  test('waits for a person where a change that was made would be made again, and completes with their approval', async () => {
    await put('a.txt', 'one');
    await put('b.txt', 'same');
    const copy = draftStep('use', 'Note it', 'log_append', { line: { $from: 'a', path: '/text' } });
    logged.length = 0;
    const plan = await held(steps.map((step) => (step.id === 'use' ? copy : step)));
    await put('a.txt', 'two');
    await settleAsRead(instance, plan.id, { gate: 'done' });
    const change = await waitFor('the change to wait', async () => {
      const now = await instance.service.getPlan(plan.id);
      return now.pending_patch;
    });
    expect(change.widening).toEqual(['Runs step 2a again: log_append, which was already called.']);
    expect(logged).toEqual(['one']);
    await approve({ id: plan.id, ...change });
    await reach(instance, plan.id, 'completed');
    expect(logged).toEqual(['one', 'two']);
    expect(await openFindings(plan.id)).toEqual([]);
    await checkPlan(instance.db.query, plan.id);
  });

  test('waits for a person where files would be written anew, then writes its own and asks about one that somebody has edited since', async () => {
    const write = (id: string, path: string) =>
      draftStep(id, `Write ${path}`, 'workspace_write', {
        path,
        content: { $from: 'a', path: '/text' },
      });
    await put('a.txt', 'one');
    await put('b.txt', 'same');
    const twice = steps.flatMap((step) =>
      step.id === 'use' ? [write('use', 'own.txt'), write('other', 'edited.txt')] : [step],
    );
    const plan = await held(twice);
    await put('a.txt', 'two');
    await put('edited.txt', 'one, says Ben');
    await settleAsRead(instance, plan.id, { gate: 'done' });
    const change = await waitFor('the change to wait', async () => {
      const now = await instance.service.getPlan(plan.id);
      return now.pending_patch;
    });
    expect(change.widening).toHaveLength(2);
    expect(await readFile(join(instance.workspace, 'own.txt'), 'utf8')).toBe('one');
    await approve({ id: plan.id, ...change });
    const asked = await waitFor('one to ask', async () => {
      const [use, other, last] = await instance.service.getSteps(plan.id, ['use', 'other', 'last']);
      const isDone = use?.attempt === 2 && use.status === 'succeeded';
      return isDone && last?.status === 'succeeded' && other?.status === 'waiting' && other;
    });
    expect(asked.question).toContain('edited.txt changed');
    expect(await readFile(join(instance.workspace, 'own.txt'), 'utf8')).toBe('two');
    expect(await readFile(join(instance.workspace, 'edited.txt'), 'utf8')).toContain('Ben');
    await checkPlan(instance.db.query, plan.id);
  });

  test('is not read again for a model to be asked once the budget is spent: a person is asked', async () => {
    await put('a.txt', 'one');
    await put('b.txt', 'same');
    script = () => ({ text: 'Short.' });
    const use = draftStep('use', 'Sum it up', 'text_summarize', {
      text: { $from: 'a', path: '/text' },
    });
    const plan = await held(steps.map((step) => (step.id === 'use' ? use : step)));
    await put('a.txt', 'two');
    await instance.db.query.insert(spending).values({ plan_id: plan.id, usd: 1_000_000 });
    await settleAsRead(instance, plan.id, { gate: 'done' });
    const [stuck] = await waitFor('a person to be asked', async () => {
      const found = await openFindings(plan.id);
      return found.some(({ severity }) => severity === 'CRITICAL') && found;
    });
    expect(stuck).toMatchObject({ category: 'source_changed', status: 'open', stale_steps: 2 });
    const [again] = await instance.service.getSteps(plan.id, ['replan#2']);
    expect(again?.args.refused).toEqual([
      'It needs a model, but the budget of the plan or of the day is used up.',
    ]);
    await instance.db.query.delete(spending).where(eq(spending.plan_id, plan.id));
    await waitFor('the check after it to end', async () => {
      const { counts } = await instance.service.getPlan(plan.id);
      return counts.running + counts.ready === 0;
    });
    await checkPlan(instance.db.query, plan.id);
  });

  test('is replanned in a plan that has ended only when a person asks for it, and then it goes on', async () => {
    await put('a.txt', 'one');
    await put('b.txt', 'same');
    const plan = await held(steps);
    await settleAsRead(instance, plan.id, { gate: 'done' });
    await reach(instance, plan.id, 'completed');
    const { ids } = await raise(plan.id, { step_id: 'a', category: 'source_changed' });
    expect(await findPlansToReplan(instance.db.query, true, 100)).not.toContain(plan.id);
    await instance.service.settleFinding(plan.id, ids[0] ?? '', 'replan', ana);
    await waitFor(
      'the finding to be settled',
      async () => (await openFindings(plan.id)).length === 0,
    );
    await reach(instance, plan.id, 'completed');
    const [use] = await instance.service.getSteps(plan.id, ['use']);
    expect(use?.attempt).toBe(2);
    await checkPlan(instance.db.query, plan.id);
  });
});

describe('a source that never stays the same', () => {
  test('is read again three times, and then a person decides', async () => {
    const plan = await held([
      gate,
      { ...noop('clock'), tool: 'clock', operation: 'read' },
      recheck('look', ['clock'], 'clock', 'gate'),
    ]);
    await settleAsRead(instance, plan.id, { gate: 'done' });
    const found = await waitFor('a person to be asked', async () => {
      const open = await openFindings(plan.id);
      return open.some(({ category }) => category === 'replanning') && open;
    });
    expect(found.map(({ category, status }) => [category, status])).toEqual([
      ['source_changed', 'open'],
      ['replanning', 'open'],
    ]);
    await quiet(plan.id);
    const { findings } = await listFindings(instance.db.query, plan.id, { limit: 20 });
    expect(findings.filter(({ status }) => status === 'resolved')).toHaveLength(3);
    await checkPlan(instance.db.query, plan.id);
  });
});

describe('a finding that leaves stale steps', () => {
  test('is settled by a change that a model proposes, without a person where it only narrows', async () => {
    script = ({ messages }) =>
      messages.at(-1)?.role === 'user'
        ? { calls: [{ name: 'affected_steps', args: {} }] }
        : { calls: [{ name: 'propose_patch', args: { why: 'Leave it out.', remove: ['last'] } }] };
    const plan = await held([noop('a'), gate, noop('other', 'gate'), noop('last', 'a', 'gate')]);
    await raise(plan.id, { step_id: 'a' });
    await waitFor(
      'the finding to be settled',
      async () => (await openFindings(plan.id)).length === 0,
    );
    await quiet(plan.id);
    expect(await statusesOf(plan.id)).toEqual({
      a: 'succeeded',
      gate: 'waiting',
      other: 'pending',
      last: 'cancelled',
      'replan#1': 'succeeded',
      'verify#1': 'succeeded',
    });
    expect(model.requests[0]?.messages.at(-1)).toMatchObject({
      content: expect.stringContaining('<untrusted source="finding">'),
    });
    const [replan, verify] = await instance.service.getSteps(plan.id, ['replan#1', 'verify#1']);
    expect([replan?.description, verify?.description]).toEqual([
      'Replan: The list is not the right one.',
      'Check the change',
    ]);
    const audit = await instance.service.audit(plan.id, { limit: 200 });
    const chain = audit.filter(({ action }) => action === 'approve' || action === 'patch_applied');
    for (const [index, { data }] of chain.entries())
      if (index > 0) expect(data?.base_digest).toBe(chain[index - 1]?.digest);
    expect(chain).toHaveLength(3);
    await checkPlan(instance.db.query, plan.id);
  });

  test('waits for a person, with the reasons, where the change does more than was approved', async () => {
    await put('new.txt', 'new');
    const replace = {
      why: 'Read the new list.',
      add: [{ ...newRead('fresh'), after: [] }],
      remove: ['last'],
    };
    script = () => ({ calls: [{ name: 'propose_patch', args: replace }] });
    const plan = await held([noop('a'), gate, noop('last', 'a', 'gate')]);
    await raise(plan.id, { step_id: 'a' });
    const waiting = await waitFor('the change to wait', async () => {
      const now = await instance.service.getPlan(plan.id);
      return now.pending_patch === null ? null : now;
    });
    expect(waiting.pending_patch?.widening[0]).toContain('workspace_read of new.txt');
    expect(await openFindings(plan.id)).toMatchObject([
      { status: 'awaiting_approval', patch_id: waiting.pending_patch?.patch_id },
    ]);
    const { version, digest } = waiting.pending_patch ?? { version: 0, digest: '' };
    await instance.service.approve(plan.id, { version, digest }, ana);
    expect(await openFindings(plan.id)).toEqual([]);
    const { version: now } = await instance.service.getPlan(plan.id);
    await instance.service.resume(plan.id, { version: now, steps: { gate: 'done' } }, ana);
    await reach(instance, plan.id, 'completed');
    await checkPlan(instance.db.query, plan.id);
  });

  test('waits for a person where a fooled model would feed what is gathered, and nothing is read of it', async () => {
    await put('payroll.csv', 'Ben,9100');
    await put('letter.txt', 'Dear customer');
    script = () => ({
      calls: [
        {
          name: 'propose_patch',
          args: {
            why: 'The server says that the payroll belongs to the letters.',
            edit: [{ id: 'payroll', partition: 'letters' }],
            remove: ['last'],
          },
        },
      ],
    });
    const plan = await held([
      noop('a'),
      gate,
      { ...readStep('letter', 'letter.txt'), partition: 'letters', after: ['gate'] },
      { ...readStep('payroll', 'payroll.csv'), after: ['gate'] },
      {
        ...noop('book', 'letter', 'payroll'),
        tool: 'draft',
        operation: 'gather',
        args: { partition: 'letters' },
      },
      noop('last', 'a', 'gate'),
    ]);
    await raise(plan.id, { step_id: 'a' });
    const { pending_patch } = await waitFor('the change to wait', async () => {
      const now = await instance.service.getPlan(plan.id);
      return now.pending_patch === null ? null : now;
    });
    expect(pending_patch).toMatchObject({ status: 'needs_approval', changed: 1, removed: 1 });
    const [payroll] = await instance.service.getSteps(plan.id, ['payroll']);
    expect(payroll?.partition).toBeNull();
  });

  test('is open again, and not tried again by itself, once its change was rejected', async () => {
    const add = { why: 'Read it.', add: [newRead('fresh')], remove: ['last'] };
    script = () => ({ calls: [{ name: 'propose_patch', args: add }] });
    const plan = await held([noop('a'), gate, noop('last', 'a', 'gate')]);
    await raise(plan.id, { step_id: 'a' });
    const waiting = await waitFor('the change to wait', async () => {
      const now = await instance.service.getPlan(plan.id);
      return now.pending_patch;
    });
    await instance.service.reject(plan.id, { version: waiting.version }, ana);
    expect(await openFindings(plan.id)).toMatchObject([{ status: 'open', replans: 1 }]);
    expect((await statusesOf(plan.id)).last).toBe('stale');
  });

  test('is tried three times at most, each time with why the last change was refused; then a person decides', async () => {
    // Refused for leaving out the stale step.
    script = () => ({
      calls: [
        { name: 'propose_patch', args: { why: 'Later.', edit: [{ id: 'other', notes: 'x' }] } },
      ],
    });
    const plan = await held([noop('a'), gate, noop('other', 'gate'), noop('last', 'a', 'gate')]);
    await raise(plan.id, { step_id: 'a' });
    const found = await waitFor('a person to be asked', async () => {
      const open = await openFindings(plan.id);
      return open.some(({ category }) => category === 'replanning') && open;
    });
    expect(found).toMatchObject([
      { category: 'reported', status: 'open', replans: 3 },
      { category: 'replanning', severity: 'CRITICAL', status: 'open' },
    ]);
    expect(found[1]?.message).toContain('It leaves last on hold.');
    const steps = await instance.service.getSteps(plan.id, ['replan#1', 'replan#2', 'replan#3']);
    expect(steps.map(({ args }) => args.refused)).toEqual([
      undefined,
      ['It leaves last on hold.'],
      ['It leaves last on hold.'],
    ]);
    expect(model.requests).toHaveLength(3);
    await quiet(plan.id);
    expect(await statusesOf(plan.id)).not.toHaveProperty('replan#4');
    await checkPlan(instance.db.query, plan.id);
  });

  test('asks nobody before its own steps run, even where the plan asks before each', async () => {
    script = () => ({
      calls: [{ name: 'propose_patch', args: { why: 'Out.', remove: ['last'] } }],
    });
    const plan = await runPlan(instance, {
      title: 'Each',
      steps: [noop('a'), gate, noop('last', 'a', 'gate')],
      step_approval: 'each',
    });
    await waitFor('a to ask', async () => (await statusesOf(plan.id)).a === 'waiting');
    await settleAsRead(instance, plan.id, { a: 'done' });
    await waitFor('a to be done', async () => (await statusesOf(plan.id)).a === 'succeeded');
    await raise(plan.id, { step_id: 'a' });
    await waitFor(
      'the finding to be settled',
      async () => (await openFindings(plan.id)).length === 0,
    );
    expect((await statusesOf(plan.id)).last).toBe('cancelled');
  });
});

function newRead(id: string) {
  return {
    id,
    description: 'Read the new list',
    operation: 'workspace_read',
    args: { path: 'new.txt' },
  };
}
