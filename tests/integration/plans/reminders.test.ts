// Reminders of unknown outcomes and changes; failing items don't stop rounds.
import { sql } from 'drizzle-orm';
import { beforeEach, describe, expect, test } from 'vitest';
import { createExpiry } from '#conversation/expire.ts';
import type { PatchOperation } from '#domain/plan/patch.ts';
import { startPlan } from '#executor/turn.ts';
import { createHumanReminders } from '#notices/human-reminders.ts';
import { createRinging, setReminder } from '#notices/reminders.ts';
import { draftStep } from '../../fixtures/steps.ts';
import { makeConversationContext } from '../../setup/conversation-context.ts';
import { ana, noop } from '../../setup/instance.ts';
import { readsOf } from '../../setup/reads.ts';
import { claimReady, outcomeOf, settleOutcomes, useExecutor } from './bench.ts';

const hour = 3_600_000;
let warnings: string[] = [];

const { instance, executor } = useExecutor();
beforeEach(() => {
  warnings = [];
});

const { textsIn } = readsOf(() => instance);

const remindersIn = async (conversation: string) =>
  (await textsIn(conversation)).filter((text) => text.startsWith('Reminder'));

const at = (hours: number) =>
  makeConversationContext(instance, hours * hour, {
    warn: (message) => void warnings.push(message),
  });
const remindAfter = (hours: number, limit?: number) => createHumanReminders(at(hours), 24, limit)();

async function proposeIn(conversation: string): Promise<{ id: string; digest: string }> {
  const steps = [noop('1'), noop('2', '1')];
  return instance.service.propose({ title: 'Rooms', steps }, { conversation }, ana);
}

async function startIn(conversation: string): Promise<string> {
  const { id, digest } = await proposeIn(conversation);
  await instance.service.approve(id, { version: 1, digest }, ana);
  await startPlan(executor, id, { approvers: [], guardedApprovers: {} });
  return id;
}

async function whileRefused(id: string, table: string, round: () => Promise<void>): Promise<void> {
  const column = table === 'messages' ? 'plan_id' : 'id';
  await instance.db.query.execute(sql`
    create function refuse_plan() returns trigger language plpgsql as ${sql.raw(
      `$$ begin if new.${column} = '${id}' then raise exception 'refused'; end if; return new; end $$`,
    )}`);
  await instance.db.query.execute(
    sql`create trigger refuse_plan before insert or update on countersign.${sql.raw(table)}
      for each row execute function refuse_plan()`,
  );
  try {
    await round();
  } finally {
    await instance.db.query.execute(sql`drop function refuse_plan() cascade`);
  }
}

describe('a step whose outcome nobody knows', () => {
  async function loseIn(conversation: string): Promise<string> {
    const id = await startIn(conversation);
    const { steps } = await claimReady(executor, id, 1);
    const question = "Its answer never came. It may have gone through; we can't tell.";
    await settleOutcomes(
      executor,
      id,
      steps.map((step) => outcomeOf(step, 'unknown', { question })),
    );
    return id;
  }

  test('is reminded of once in each period until somebody says what became of it', async () => {
    const id = await loseIn('lost');
    await remindAfter(23);
    expect(await remindersIn('lost')).toEqual([]);
    await Promise.all([remindAfter(25), remindAfter(26)]);
    expect(await remindersIn('lost')).toEqual([
      `Reminder for ana: the outcome of step 1 of ${id} “Rooms” has been unknown for 24 hours. “Its answer never came. It may have gone through; we can't tell.”`,
    ]);
    await instance.service.resume(id, { version: 1, steps: { 1: 'retry' } }, ana);
    await remindAfter(49);
    expect(await remindersIn('lost')).toHaveLength(1);
    // Another attempt is another question.
    const { steps } = await claimReady(executor, id, 1);
    await settleOutcomes(
      executor,
      id,
      steps.map((step) => outcomeOf(step, 'unknown')),
    );
    await remindAfter(25);
    expect(await remindersIn('lost')).toHaveLength(2);
  });

  test('counts since it is unknown, however long it ran before', async () => {
    const id = await loseIn('long');
    await instance.db.query.execute(sql`
      update countersign.step_states set started_at = now() - interval '3 days' where plan_id = ${id} and step_id = '1'`);
    await remindAfter(23);
    expect(await remindersIn('long')).toEqual([]);
  });

  test('is reminded of in the end however many older ones cannot be', async () => {
    await remindAfter(25);
    const bad = await loseIn('bad question');
    await loseIn('young question');
    const round = createHumanReminders(at(25), 24, 1);
    await whileRefused(bad, 'messages', async () => {
      await round();
      expect(await remindersIn('young question')).toEqual([]);
      await round();
    });
    expect(await remindersIn('young question')).toHaveLength(1);
    expect(warnings).toEqual([`Could not send a reminder of ${bad}; retrying.`]);
    // After the last page comes the first.
    await round();
    await round();
    expect(await remindersIn('bad question')).toHaveLength(1);
  });

  test('waits while its plan is paused', async () => {
    const id = await loseIn('paused');
    await instance.service.pause(id, { version: 1 }, ana);
    await remindAfter(25);
    expect(await remindersIn('paused')).toEqual([]);
  });
});

describe('a change that needs an approval', () => {
  const widen: PatchOperation[] = [
    {
      op: 'add_step',
      step: draftStep('write', 'Write', 'workspace_write', { path: 'new.md', content: 'x' }),
    },
  ];

  async function changeIn(conversation: string): Promise<string> {
    const id = await startIn(conversation);
    const { revision } = await instance.service.getPlan(id);
    await instance.service.patch(id, { base_revision: revision, operations: widen }, ana);
    return id;
  }

  test('is reminded of once in each period until it is decided', async () => {
    const id = await changeIn('changed');
    await remindAfter(23);
    expect(await remindersIn('changed')).toEqual([]);
    await Promise.all([remindAfter(25), remindAfter(26)]);
    await remindAfter(49);
    const { pending_patch } = await instance.service.getPlan(id);
    const reminder = (wait: string) =>
      `Reminder: the change to ${id} “Rooms” proposed by ana has been waiting for approval for ${wait}. ${pending_patch?.widening[0]}\nApprove or reject it on the plan's card.`;
    expect(pending_patch?.widening[0]).toBeTruthy();
    expect(await remindersIn('changed')).toEqual([reminder('24 hours'), reminder('2 days')]);
    await instance.service.reject(id, { version: 2 }, ana);
    await remindAfter(73);
    expect(await remindersIn('changed')).toHaveLength(2);
  });

  test('waits while its plan is paused', async () => {
    const id = await changeIn('paused change');
    await instance.service.pause(id, { version: 1 }, ana);
    await remindAfter(25);
    expect(await remindersIn('paused change')).toEqual([]);
  });
});

const staleAfter = { chat: 7, terminal: 30 };

describe('a plan that cannot be expired', () => {
  test('keeps no younger one from it, nor from its reminder', async () => {
    const bad = await proposeIn('stuck');
    const stale = await proposeIn('stale');
    await whileRefused(bad.id, 'plans', createExpiry(at(8 * 24), staleAfter));
    const statusOf = async (id: string) => (await instance.service.getPlan(id)).status;
    expect(await statusOf(stale.id)).toBe('cancelled');
    expect(await statusOf(bad.id)).toBe('proposed');
    expect(warnings.join()).toContain(bad.id);
    await createExpiry(at(8 * 24), staleAfter)();
    expect(await statusOf(bad.id)).toBe('cancelled');
  });

  test('keeps none from the reminder at half time, however few a round takes', async () => {
    const bad = await proposeIn('never reminded');
    await proposeIn('young and quiet');
    const round = createExpiry(at(4 * 24), staleAfter, 1);
    const remindersIn = async (conversation: string) =>
      (await textsIn(conversation)).filter((text) => text.includes('still waiting'));
    await whileRefused(bad.id, 'messages', async () => {
      await round();
      await round();
    });
    expect(await remindersIn('young and quiet')).toHaveLength(1);
    await round();
    await round();
    expect(await remindersIn('never reminded')).toHaveLength(1);
  });
});

describe('a reminder that cannot be rung', () => {
  async function remindIn(conversation: string, minutes: number, rrule: string | null = null) {
    const due = new Date(Date.now() - minutes * 60_000);
    await setReminder(at(0), {
      id: conversation,
      planId: null,
      user: 'ana',
      conversation,
      text: 'Tea',
      rrule,
      timezone: 'UTC',
      startsAt: due,
      nextAt: due,
    });
  }

  test('keeps none of its neighbours from theirs', async () => {
    await remindIn('broken rule', 3, 'FREQ=NEVER');
    await remindIn('next to it', 2);
    await createRinging(at(0))();
    expect(await remindersIn('next to it')).toEqual(['Reminder for ana: Tea']);
    expect(warnings).toEqual(['Could not send reminder broken rule; retrying.']);
  });

  test('keeps no younger one waiting, however few a round takes', async () => {
    await remindIn('behind it', 1);
    const round = createRinging(at(0), 1);
    await round();
    expect(await remindersIn('behind it')).toEqual([]);
    await round();
    expect(await remindersIn('behind it')).toHaveLength(1);
    await round();
    await round();
    expect(warnings).toHaveLength(2);
  });

  test('is rung once, however many are at it', async () => {
    await remindIn('tea', 1, 'FREQ=DAILY');
    await Promise.all([1, 2, 3].map(() => createRinging(at(0))()));
    expect(await remindersIn('tea')).toHaveLength(1);
    await createRinging(at(24))();
    expect(await remindersIn('tea')).toHaveLength(2);
  });
});
