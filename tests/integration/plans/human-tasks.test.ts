// Steps for people: answers are validated, used and given once.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { viewPlan } from '#cards/view-model.ts';
import { findStalledPlans } from '#db/sql/recover.ts';
import { person } from '#domain/people/actor.ts';
import type { StepDraft } from '#domain/plan/step-content.ts';
import type { Settlement } from '#domain/service.ts';
import type { JsonObject } from '#domain/text.ts';
import { createHumanReminders } from '#notices/human-reminders.ts';
import { settled } from '../../fixtures/model-instance.ts';
import { refusalCode } from '../../fixtures/refusal.ts';
import { draftStep } from '../../fixtures/steps.ts';
import { ana, ben, noop, reach, runPlan } from '../../setup/instance.ts';
import { readsOf } from '../../setup/reads.ts';
import { useInstance } from '../../setup/use-instance.ts';
import { waitFor } from '../../wait.ts';

const instance = useInstance({ settings: { delegates: { ben: ['cleo'] } } });

const form = [
  { name: 'amount', label: 'Amount in EUR', type: 'number', required: true, min: 0 },
  { name: 'room', type: 'choice', required: true, options: ['Blue', 'Green'] },
  { name: 'remarks' },
];

function task(id: string, args: JsonObject = {}, ...after: string[]): StepDraft {
  return draftStep(
    id,
    `Ask about ${id}`,
    'human_task',
    { question: 'What did it cost?', ...args },
    ...after,
  );
}

function write(id: string, content: JsonObject, ...after: string[]): StepDraft {
  const args = { path: `${id}.md`, content };
  return draftStep(id, `Write ${id}`, 'workspace_write', args, ...after);
}

const { stepOf, becomes, resume, approve } = readsOf(() => instance);

async function askIn(steps: StepDraft[], id = 'ask'): Promise<string> {
  const plan = await runPlan(instance, { title: 'Ask', steps });
  await becomes(plan.id, id, 'waiting');
  return plan.id;
}

const done = { ask: 'done' as const };
const blocked = { ask: 'failed' as const };

describe('an answer with a form', () => {
  test('is the step’s output, typed, and later steps work with its fields', async () => {
    const id = await askIn([
      task('ask', { assignee: 'ben', form }),
      write('room', { $from: 'ask', path: '/fields/room' }),
      write('by', { $from: 'ask', path: '/by' }),
    ]);
    const answers = { ask: { amount: '12.50', room: 'blue' } };
    await resume(id, { steps: done, answers, answer: 'as agreed' }, ben);
    await reach(instance, id, 'completed');
    const { output, result_summary } = await stepOf(id, 'ask');
    expect(output).toEqual({
      answer: 'as agreed',
      fields: { amount: 12.5, room: 'Blue', remarks: null },
      by: 'ben',
      at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    });
    expect(result_summary).toBe('as agreed; Amount in EUR: 12.5; Room: Blue');
    expect(await readFile(join(instance.workspace, 'room.md'), 'utf8')).toBe('Blue');
    expect(await readFile(join(instance.workspace, 'by.md'), 'utf8')).toBe('ben');
    const auditEntries = await instance.service.audit(id, { limit: 100 });
    expect(auditEntries.find(({ action }) => action === 'settle_done')).toMatchObject({
      actor: 'ben',
      data: { step: 'ask', answer: 'as agreed' },
    });
  });

  test('is refused whole, with a sentence for each field, when one is wrong', async () => {
    const id = await askIn([task('ask', { form }), task('other', {})]);
    await becomes(id, 'other', 'waiting');
    const answers = { ask: { amount: -1, colour: 'red' } };
    const steps = { ...done, other: 'done' as const };
    await expect(resume(id, { steps, answers })).rejects.toMatchObject({
      code: 'invalid_answer',
      message:
        'Amount in EUR must be at least 0. Room is missing. “colour” is none of its fields: amount, room, remarks. Nothing was stored.',
      details: {
        errors: [
          { path: 'answers.ask.amount', field: 'amount' },
          { path: 'answers.ask.room', field: 'room', message: 'Room is missing.' },
          { path: 'answers.ask.colour' },
        ],
      },
    });
    for (const step of ['ask', 'other']) expect((await stepOf(id, step)).status).toBe('waiting');
    const auditEntries = await instance.service.audit(id, { limit: 100 });
    expect(auditEntries.filter(({ action }) => action.startsWith('settle'))).toEqual([]);
  });

  test.each<[string, object, string]>([
    ['fields where none are asked for', { answers: { ask: { amount: 3 } } }, 'invalid_answer'],
    ['an answer about a step nothing is said of', { answers: { x: 'yes' } }, 'invalid_request'],
  ])('is refused for %s', async (_, answer, code) => {
    const id = await askIn([task('ask')]);
    await expect(resume(id, { steps: done, ...answer })).rejects.toMatchObject({ code });
    expect((await stepOf(id, 'ask')).status).toBe('waiting');
  });

  test('answers several steps at once, each in its own words', async () => {
    const id = await askIn([task('ask', { form }), task('other')]);
    await becomes(id, 'other', 'waiting');
    const answers = { ask: { amount: 1, room: 'Green' }, other: 'by hand' };
    const steps = { ...done, other: 'done' as const };
    await resume(id, { steps, answers });
    await reach(instance, id, 'completed');
    expect((await stepOf(id, 'other')).output).toMatchObject({ answer: 'by hand', fields: {} });
  });

  test('may be asked with options that an earlier step found', async () => {
    const options = { $from: 'rooms', path: '/fields/list' };
    const id = await askIn(
      [
        task('rooms', { form: [{ name: 'list' }] }),
        task('ask', { form: [{ name: 'room', type: 'choice', options: [options] }] }),
      ],
      'rooms',
    );
    const answers = { rooms: { list: 'Attic' } };
    await resume(id, { steps: { rooms: 'done' }, answers });
    expect((await becomes(id, 'ask', 'waiting')).output).toMatchObject({
      form: [{ name: 'room', options: [{ value: 'Attic', label: 'Attic' }] }],
    });
  });
});

describe('a person who is blocked', () => {
  test('says why; what depends on the step is skipped and the rest goes on', async () => {
    const id = await askIn([task('ask', { assignee: 'ben' }), noop('after', 'ask'), task('rest')]);
    expect(await refusalCode(resume(id, { steps: blocked }, ben))).toBe('feedback_required');
    const why = 'No rooms are left.';
    await resume(id, { steps: blocked, answer: why }, ben);
    expect(await stepOf(id, 'ask')).toMatchObject({
      status: 'failed',
      error: { code: 'blocked', message: why },
    });
    expect((await stepOf(id, 'after')).status).toBe('skipped');
    expect((await instance.service.getPlan(id)).status).toBe('executing');
    await resume(id, { steps: { rest: 'done' } });
    const { result_summary } = await reach(instance, id, 'failed');
    expect(result_summary).toContain(why);
  });

  test('is asked again when somebody who may decide wants it, while the rest goes on', async () => {
    const id = await askIn([task('ask', { form }), noop('after', 'ask'), task('rest')]);
    await resume(id, { steps: blocked, answer: 'Not today' });
    await resume(id, { steps: { ask: 'retry' } });
    expect(await becomes(id, 'ask', 'waiting')).toMatchObject({ attempt: 2, error: null });
    const answers = { ask: { amount: 2, room: 'Blue' } };
    await resume(id, { steps: done, answers });
    await becomes(id, 'after', 'succeeded');
    await resume(id, { steps: { rest: 'done' } });
    await reach(instance, id, 'completed');
  });

  test('does not stop a plan that somebody goes on with', async () => {
    const id = await askIn([task('ask', { form }), noop('after', 'ask')]);
    await resume(id, { steps: blocked, answer: 'Not today' });
    await reach(instance, id, 'failed');
    await resume(id, { steps: done });
    await reach(instance, id, 'completed');
    expect((await stepOf(id, 'ask')).output).toMatchObject({ fields: {}, by: 'ana' });
  });

  test('is told of in the plan’s conversation', async () => {
    const draft = { title: 'Tell', steps: [task('ask', { assignee: 'ben' }), task('rest')] };
    const plan = await instance.service.propose(draft, { conversation: 'blocked' }, ana);
    await approve(plan);
    await becomes(plan.id, 'ask', 'waiting');
    await resume(plan.id, { steps: blocked, answer: 'No key.' }, ben);
    await waitFor('the news', async () => {
      const messages = await instance.service.messages('blocked', { limit: 100 });
      return (
        messages.some(
          ({ text }) => text.startsWith('Step 1a (') && text.includes('is blocked, as ben says: '),
        ) || null
      );
    });
  });
});

describe('who answers', () => {
  test('is the person the step names, however their name is written, and who may decide', async () => {
    const id = await askIn([task('ask', { assignee: '@Ben' })]);
    const cem = person('cem', 'api');
    expect(await refusalCode(resume(id, { steps: done }, cem))).toBe('not_allowed');
    const again = { version: 1, steps: { ask: 'retry' as const } };
    expect(await refusalCode(instance.service.resume(id, again, ben))).toBe('not_allowed');
    await resume(id, { steps: done }, ben);
    await reach(instance, id, 'completed');
  });

  test('is exactly one of two at once; the other reads who was quicker', async () => {
    const id = await askIn([task('ask', { assignee: 'ben' }), task('rest')]);
    await resume(id, { steps: { ask: 'take_over' } });
    const results = await Promise.allSettled([
      resume(id, { steps: done, answer: 'Ben’s word' }, ben),
      resume(id, { steps: done, answer: 'Ana’s word' }),
    ]);
    const lost = results.find((result) => result.status === 'rejected');
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const { output } = await stepOf(id, 'ask');
    const won = (output as { by: string }).by;
    expect(lost?.reason).toMatchObject({
      code: 'already_decided',
      message: `Step 1a was already answered by ${won === 'ben' ? 'ben' : 'ana for ben'}: “${won === 'ben' ? 'Ben' : 'Ana'}’s word”. Your answer was not stored.`,
    });
  });

  test('reads who was quicker even when that answer ended the plan', async () => {
    const id = await askIn([task('ask', { assignee: 'ben' })]);
    await resume(id, { steps: done, answer: 'Yes' }, ben);
    await reach(instance, id, 'completed');
    await expect(resume(id, { steps: done })).rejects.toMatchObject({
      code: 'already_decided',
      message: 'Step 1 was already answered by ben: “Yes”. Your answer was not stored.',
    });
  });

  test('learns that a cancelled plan asks nobody any more', async () => {
    const id = await askIn([task('ask', { assignee: 'ben' })]);
    await instance.service.cancel(id, { version: 1 }, ana);
    await expect(resume(id, { steps: done }, ben)).rejects.toMatchObject({
      code: 'invalid_transition',
      message:
        'This plan was cancelled by ana, so step 1 no longer needs an answer. Your answer was not stored.',
    });
    expect((await stepOf(id, 'ask')).status).toBe('cancelled');
  });
});

describe('a question to one person', () => {
  const question = 'May it go?';
  const confirm: StepDraft = {
    ...task('ask', { question, assignee: 'ben' }),
    operation: 'confirm',
  };
  const withForm = task('ask', { assignee: '@Ben', form });
  const filled = { ask: { amount: 1, room: 'Blue' } };

  test.each<[string, StepDraft, Settlement['steps'], Partial<Settlement>]>([
    ['a Yes', confirm, done, {}],
    ['a No', confirm, blocked, {}],
    ['an answer in words', task('ask', { assignee: 'ben' }), done, { answer: 'All right' }],
    ['a form', withForm, done, { answers: filled }],
    ['Blocked', task('ask', { assignee: 'ben' }), blocked, { answer: 'Not today' }],
  ])('takes %s of nobody else, unless they take it over openly', async (_, step, steps, said) => {
    const id = await askIn([step, task('rest')]);
    const settlement = { version: 1, steps: steps ?? {}, ...said };
    const refused = { code: 'not_allowed', details: { step: 'ask' } };
    await expect(instance.service.resume(id, settlement, ana)).rejects.toMatchObject(refused);
    expect((await stepOf(id, 'ask')).status).toBe('waiting');
    const { attempt } = await stepOf(id, 'ask');
    const about = { ask: { attempt, status: 'waiting' as const } };
    await resume(id, { steps: { ask: 'take_over' }, about });
    const { waiting } = await cardFor(id, '');
    expect(waiting.label).toContain('ana answers for');
    await instance.service.resume(id, settlement, ana);
    expect((await stepOf(id, 'ask')).output).toMatchObject({ by: 'ana', for: step.args?.assignee });
    const auditEntries = await instance.service.audit(id, { limit: 100 });
    expect(auditEntries.map(({ action }) => action)).toEqual(expect.arrayContaining(['take_over']));
    expect(auditEntries.find(({ action }) => action.startsWith('settle'))).toMatchObject({
      actor: 'ana',
      data: { step: 'ask', for: step.args?.assignee },
    });
  });

  test('can be taken over by nobody who may not decide about the plan, and not twice as one word', async () => {
    const id = await askIn([confirm, task('rest')]);
    const takes = { version: 1, steps: { ask: 'take_over' as const } };
    expect(await refusalCode(instance.service.resume(id, takes, person('dan', 'api')))).toBe(
      'not_allowed',
    );
    const both = { version: 1, steps: { ask: 'take_over' as const, rest: 'done' as const } };
    expect(await refusalCode(instance.service.resume(id, both, ana))).toBe('invalid_request');
    const open = { version: 1, steps: { rest: 'take_over' as const } };
    await becomes(id, 'rest', 'waiting');
    expect(await refusalCode(instance.service.resume(id, open, ana))).toBe('invalid_request');
  });

  test('is still theirs to answer once it was taken over', async () => {
    const id = await askIn([confirm, task('rest')]);
    await resume(id, { steps: { ask: 'take_over' } });
    await resume(id, { steps: done }, ben);
    const { output } = await stepOf(id, 'ask');
    expect(output).toMatchObject({ answer: 'Yes', by: 'ben' });
    expect(output).not.toHaveProperty('for');
    expect(await refusalCode(resume(id, { steps: { ask: 'take_over' } }))).toBe('already_decided');
  });

  test('is answered by a delegate of the configuration, who is named beside them', async () => {
    const id = await askIn([confirm]);
    await resume(id, { steps: done }, person('cleo', 'api'));
    const { output } = await stepOf(id, 'ask');
    expect(output).toMatchObject({ answer: 'Yes', by: 'cleo', for: 'ben' });
    const view = viewPlan(await instance.service.card(id, { user: '', timezone: 'UTC' }));
    expect(JSON.stringify(view.sections)).toContain('cleo for ben: “Yes”');
  });

  test('offers each reader only what they can do', async () => {
    const id = await askIn([confirm]);
    const actionsFor = async (user: string) => {
      const { waiting } = await cardFor(id, user);
      return waiting.buttons.map(({ press }) => press.action);
    };
    expect(await actionsFor('ben')).toEqual(['settle_done', 'settle_failed']);
    expect(await actionsFor('cleo')).toEqual(['settle_done', 'settle_failed']);
    expect(await actionsFor('ana')).toEqual(['human_take_over']);
    expect(await actionsFor('')).toEqual(['settle_done', 'settle_failed', 'human_take_over']);
    await resume(id, { steps: { ask: 'take_over' } });
    expect(await actionsFor('ana')).toEqual(['settle_done', 'settle_failed']);
    expect(await actionsFor('')).toEqual(['settle_done', 'settle_failed']);
  });

  // '' reads a card for many readers.
  async function cardFor(id: string, user: string) {
    const view = viewPlan(await instance.service.card(id, { user, timezone: 'UTC' }));
    const waiting = view.asks.find(({ step_id }) => step_id === 'ask');
    if (waiting === undefined) throw new Error('Nothing is asked.');
    return { waiting };
  }
});

test('waiting for a person never stalls a plan', async () => {
  const id = await askIn([task('ask')]);
  await instance.db.transaction(async (tx) => {
    const age = sql`update countersign.plans set updated_at = now() - interval '3 days'`;
    await tx.execute(sql`${age} where id = ${id}`);
    await tx.execute(sql`update countersign.backends set since_at = since_at - interval '3 days'`);
    expect(await findStalledPlans(tx, 1, 1000, id)).toEqual([]);
    await tx.execute(sql`update countersign.plans set waiting = 0 where id = ${id}`);
    expect(await findStalledPlans(tx, 1, 1000, id)).toEqual([id]);
    await tx.execute(sql`update countersign.plans set waiting = 1 where id = ${id}`);
  });
});

describe('a question that stays open', () => {
  const hour = 3_600_000;
  const remindAfter = (hours: number, limit?: number) =>
    createHumanReminders(
      {
        db: instance.db,
        enqueue: async () => {},
        warn: () => {},
        clock: { now: () => new Date(Date.now() + hours * hour) },
      },
      24,
      limit,
    )();

  async function askThere(conversation: string, ...steps: StepDraft[]): Promise<string> {
    const plan = await instance.service.propose({ title: 'Rooms', steps }, { conversation }, ana);
    await approve(plan);
    for (const { id } of steps) if (id !== undefined) await becomes(plan.id, id, 'waiting');
    return plan.id;
  }

  const remindersIn = async (conversation: string) =>
    (await instance.service.messages(conversation, { limit: 100 })).filter(({ text }) =>
      text.startsWith('Reminder'),
    );

  test('is reminded of once in each period, however many rounds and processes there are', async () => {
    const id = await askThere('patience', task('ask', { assignee: 'ben' }));
    await remindAfter(23);
    expect(await remindersIn('patience')).toEqual([]);
    await Promise.all([remindAfter(25), remindAfter(25), remindAfter(26)]);
    await remindAfter(47);
    expect(await remindersIn('patience')).toMatchObject([
      {
        plan_id: id,
        text: `Reminder for ben: step 1 of ${id} “Rooms” has waited for 24 hours. “What did it cost?”`,
      },
    ]);
    await remindAfter(24 * 5 + 1);
    const [, second, ...more] = await remindersIn('patience');
    expect(second?.text).toContain('has waited for 5 days.');
    expect(more).toEqual([]);
  });

  test('is nobody’s any more once it is answered, and waits while the plan is paused', async () => {
    const answered = await askThere('answered', task('ask'), task('rest'));
    const paused = await askThere('paused', task('ask'));
    await resume(answered, { steps: done });
    await instance.service.pause(paused, { version: 1 }, ana);
    await remindAfter(25);
    expect((await remindersIn('answered')).map(({ text }) => text.includes('step 1b'))).toEqual([
      true,
    ]);
    expect(await remindersIn('paused')).toEqual([]);
  });
});

test('each plan is told of under its own name: two plans with the same step ids both ask', async () => {
  for (const conversation of ['first', 'second']) {
    const draft = { title: 'Ask', steps: [task('ask', { assignee: 'ben' })] };
    const plan = await instance.service.propose(draft, { conversation }, ana);
    await approve(plan);
    await waitFor(`the question in ${conversation}`, async () => {
      const messages = await instance.service.messages(conversation, { limit: 100 });
      return (
        messages.some(({ text }) => text === 'Step 1 waits for ben: “What did it cost?”') || null
      );
    });
  }
});

test('words in its thread that are no command answer the speaker’s task, once they confirm it', async () => {
  const { service } = instance;
  const conversation = 'conv-words';
  const steps = [task('ask', { assignee: 'ben' })];
  const plan = await service.propose({ title: 'Ask', steps }, { conversation }, ana);
  await service.approve(plan.id, { version: 1, digest: plan.digest }, ana);
  await becomes(plan.id, 'ask', 'waiting');
  const say = async (text: string, actor = ben) => {
    const { run_id } = await service.say(conversation, text, actor);
    return settled(instance, run_id ?? '');
  };
  expect((await say('it was twelve euros', ana)).response_text).not.toContain('Answer step');
  const asked = await say('it was twelve euros');
  expect(asked.response_text).toContain('Answer step 1, “What did it cost?”');
  expect((await service.getPlan(plan.id)).status).toBe('executing');
  await service.say(conversation, 'approve', ben);
  await reach(instance, plan.id, 'completed');
  expect((await stepOf(plan.id, 'ask')).result_summary).toContain('it was twelve euros');
});
