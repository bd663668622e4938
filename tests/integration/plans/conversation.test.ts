// Messages are stored once, and decide only on their own plan.
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createExpiry } from '#conversation/expire.ts';
import { appendMessage } from '#db/chat/messages.ts';
import { lockPlan } from '#db/plans/plans.ts';
import { person } from '#domain/people/actor.ts';
import type { PlanningRequest } from '#domain/planning/run.ts';
import { announce } from '#notices/announce.ts';
import { makeConversationContext } from '../../setup/conversation-context.ts';
import { useDatabase } from '../../setup/database.ts';
import {
  ana,
  noop,
  openTestInstance,
  scriptedPlanner,
  type TestInstance,
} from '../../setup/instance.ts';
import { readsOf } from '../../setup/reads.ts';
import { waitFor } from '../../wait.ts';

const staleAfter = { chat: 7, terminal: 30 };
const database = useDatabase();
let instance: TestInstance;
let idle: TestInstance;

const requests: PlanningRequest[] = [];
const questions = [
  { id: 'destination', text: 'Where to?' },
  { id: 'name', text: 'Which name?' },
];
const twoQuestions = 'Two questions:\n1. Where to?\n2. Which name?';
const planner = scriptedPlanner((request) => {
  requests.push(request);
  const { text, history } = request;
  if (text === 'Otherwise')
    return { kind: 'question', text: 'How?', questions: [{ id: 'how', text: 'How?' }] };
  if (text === 'Move it') return { kind: 'question', text: twoQuestions, questions };
  if (history[0]?.text === 'Move it') return { kind: 'answer', text: 'Thanks.' };
  const draft = { title: text, steps: [noop('1')], approvers: { kind: 'anyone' as const } };
  return { kind: 'proposal', draft };
});

const contextOf = (of: TestInstance, days = 0) =>
  makeConversationContext(of, days * 86_400_000, { planner });

beforeAll(async () => {
  instance = await openTestInstance(database.url, { planner });
  idle = await openTestInstance(database.url, { work: false });
});
afterAll(async () => {
  await idle.close();
  await instance.close();
});

async function askIn(conversation: string, text: string) {
  const { run_id } = await instance.service.startRun({ text, conversation }, ana);
  return waitFor('the plan', async () => (await instance.service.getRun(run_id)).plan_id);
}

const { textsIn } = readsOf(() => instance);

describe('the word "approve"', () => {
  test('decides nothing while a plan that came over the API is open beside the planned one', async () => {
    const planned = await askIn('two', 'planned here');
    const sent = await instance.service.propose(
      { title: 'Sent over the API', steps: [noop('1')] },
      { conversation: 'two' },
      ana,
    );
    await instance.service.say('two', 'approve', ana);
    for (const id of [planned, sent.id]) {
      expect((await instance.service.getPlan(id)).status).toBe('proposed');
    }
    expect((await textsIn('two')).join('\n')).toMatch(/^Several plans are open here: /m);
  });
});

describe('a planned proposal', () => {
  test('is shown once', async () => {
    const id = await askIn('once', 'show me');
    await announce(contextOf(instance), id);
    const shown = (await instance.service.messages('once', { limit: 100 })).filter(
      ({ plan_id }) => plan_id === id,
    );
    expect(shown).toHaveLength(1);
  });

  test('is approved by whom its planner does not choose, first or revised', async () => {
    const id = await askIn('chosen', 'mine');
    const requester = { approver_policy: { kind: 'requester' } };
    expect(await instance.service.getPlan(id)).toMatchObject(requester);
    await instance.service.proposeChanges(id, { version: 1, feedback: 'shorter' }, ana);
    const revised = await waitFor('version 2', async () => {
      const plan = await instance.service.getPlan(id);
      return plan.version === 2 ? plan : null;
    });
    expect(revised).toMatchObject(requester);
  });
});

describe('an announcement', () => {
  test('that begins while a change is being committed tells of that change', async () => {
    const plan = await idle.service.propose(
      { title: 'Commit', steps: [noop('1')] },
      { conversation: 'commit' },
      ana,
    );
    const announcing = await idle.db.transaction(async (tx) => {
      await lockPlan(tx, plan.id);
      await tx.execute(sql`
        update countersign.plans set status = 'completed', result_summary = '1 step done.', execution_ended_at = now() where id = ${plan.id}`);
      const announcing = announce(contextOf(idle), plan.id);
      await Promise.race([
        announcing,
        waitFor('a blocked session', async () => {
          const { rows } = await idle.db.query.execute<{ n: number }>(sql`
            select count(*)::int as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`);
          return (rows[0]?.n ?? 0) > 0;
        }),
      ]);
      return { announcing };
    });
    await announcing.announcing;
    expect((await textsIn('commit')).join()).toContain('is done. 1 step done.');
  });
});

describe('messages of one conversation', () => {
  test('are numbered in the order in which they can be read', async () => {
    const say = (text: string) => ({
      conversation: 'order',
      author: 'bot' as const,
      name: 'x',
      text,
    });
    const later = await idle.db.transaction(async (tx) => {
      await appendMessage(tx, say('first'));
      const later = idle.db.transaction((other) => appendMessage(other, say('second')));
      const seen = await Promise.race([
        later.then(() => idle.service.messages('order', { limit: 10 })),
        waitFor('the second one to wait', async () => {
          const { rows } = await idle.db.query.execute<{ n: number }>(sql`
            select count(*)::int as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`);
          return (rows[0]?.n ?? 0) > 0 ? 'waiting' : null;
        }),
      ]);
      expect(seen).toBe('waiting');
      return { later };
    });
    await later.later;
    expect(await textsIn('order')).toEqual(['first', 'second']);
  });
});

describe('proposals nobody decides', () => {
  async function age(id: string, days: number) {
    await idle.db.query.execute(sql`
      update countersign.plan_versions set created_at = now() - make_interval(days => ${days}) where plan_id = ${id}`);
  }

  test('are cancelled with a notice that says why, and their run ends with them', async () => {
    const id = await askIn('stale', 'forget me');
    await age(id, 8);
    await createExpiry(contextOf(instance), staleAfter)();
    await announce(contextOf(instance), id);
    expect((await instance.service.getPlan(id)).status).toBe('cancelled');
    const texts = await textsIn('stale');
    expect(texts.at(-1)).toContain('Nobody decided within 7 days.');
    expect(texts.join()).not.toContain('still waiting');
    const { rows } = await instance.db.query.execute<{ planning_status: string }>(
      sql`select planning_status from countersign.runs where plan_id = ${id}`,
    );
    expect(rows).toEqual([{ planning_status: 'complete' }]);
  });

  test.each([
    [
      'asked for',
      async () => {
        const id = await askIn('terminal-stale', 'forget me here');
        await instance.db.query.execute(
          sql`update countersign.runs set via = 'terminal' where plan_id = ${id}`,
        );
        return id;
      },
    ],
    [
      'proposed',
      async () => {
        const actor = person('ana', 'terminal');
        const options = { conversation: 'terminal-stale' };
        const draft = { title: 'Forget me', steps: [noop('a')] };
        return (await instance.service.propose(draft, options, actor)).id;
      },
    ],
    [
      'proposed by a playbook',
      async () => {
        const actor = person('ana', 'terminal');
        const { id } = await instance.service.propose({ title: 'M', steps: [noop('a')] }, {}, ana);
        const playbook = { name: 'month', params: {}, defaults: {} };
        await instance.service.savePlaybook(id, playbook, actor);
        await instance.service.cancel(id, { version: 1 }, ana);
        const options = { conversation: 'terminal-stale' };
        const checked = await instance.service.checkPlaybookRun('month', {}, options, actor);
        return (await instance.service.commit(checked)).id;
      },
    ],
  ])('wait longer where they were %s in the terminal', async (_, make) => {
    await instance.db.query.execute(
      sql`delete from countersign.messages where conversation = 'terminal-stale'`,
    );
    const id = await make();
    const statusAfter = async (days: number) => {
      await createExpiry(contextOf(instance, days), staleAfter)();
      return (await instance.service.getPlan(id)).status;
    };
    const reminders = async () =>
      (await textsIn('terminal-stale')).filter((text) => text.includes('still waiting')).length;
    expect([await statusAfter(14), await reminders()]).toEqual(['proposed', 0]);
    expect([await statusAfter(29), await reminders()]).toEqual(['proposed', 1]);
    expect(await statusAfter(31)).toBe('cancelled');
  });

  test('that were refused three times are reminded of and cancelled like any other', async () => {
    const plan = await idle.service.propose(
      { title: 'Reviewed', steps: [noop('1')] },
      { conversation: 'reviewed' },
      ana,
    );
    await idle.db.query.execute(sql`
      update countersign.plans set rejection_history = '[
        {"version":-1,"by":"ana","at":"2020-01-01T00:00:00.000Z","feedback":"x"},
        {"version":0,"by":"ana","at":"2020-01-01T00:00:00.000Z","feedback":"y"}]' where id = ${plan.id}`);
    await age(plan.id, 30);
    await idle.service.proposeChanges(plan.id, { version: 1, feedback: 'z' }, ana);
    const statusAfter = async (days: number) => {
      await createExpiry(contextOf(idle, days), staleAfter)();
      return (await idle.service.getPlan(plan.id)).status;
    };
    // The wait began with the refusal.
    expect(await statusAfter(0)).toBe('needs_review');
    expect((await textsIn('reviewed')).join()).not.toContain('still waiting');
    expect(await statusAfter(4)).toBe('needs_review');
    expect((await textsIn('reviewed')).at(-1)).toBe(
      `${plan.id} “Reviewed” is still waiting for a decision. It will be cancelled in 3 days unless someone decides.`,
    );
    expect(await statusAfter(8)).toBe('cancelled');
    await announce(contextOf(idle), plan.id);
    expect((await textsIn('reviewed')).at(-1)).toBe(
      `${plan.id} “Reviewed” was cancelled. Nobody decided within 7 days.`,
    );
    expect((await idle.service.overview(plan.id)).counts.cancelled).toBe(1);
  });

  test('whose planner asked something back end too, unless somebody answers', async () => {
    const sentBack = async (conversation: string) => {
      const { id } = await idle.service.propose(
        { title: conversation, steps: [noop('1')] },
        { conversation },
        ana,
      );
      await idle.service.proposeChanges(id, { version: 1, feedback: 'Otherwise' }, ana);
      await waitFor('the question', async () =>
        (await textsIn(conversation)).some((text) => text === 'How?'),
      );
      return id;
    };
    const silent = await sentBack('silent');
    const answered = await sentBack('answered');
    await createExpiry(contextOf(idle, 4), staleAfter)();
    expect((await textsIn('silent')).at(-1)).toBe(
      `${silent} “silent” was sent back and has no new version yet. It will be cancelled in 3 days unless someone replies.`,
    );
    await idle.db.query.execute(sql`
      update countersign.runs set updated_at = now() + interval '4 days' where plan_id = ${answered}`);
    await createExpiry(contextOf(idle, 8), staleAfter)();
    expect(await idle.service.getPlan(answered)).toMatchObject({
      status: 'rejected',
      revising: true,
    });
    expect(await idle.service.getPlan(silent)).toMatchObject({
      status: 'cancelled',
      revising: false,
      decided_by: null,
    });
    await announce(contextOf(idle), silent);
    expect((await textsIn('silent')).at(-1)).toBe(
      `${silent} “silent” was cancelled. There was no new version within 7 days.`,
    );
  });

  test('are left alone once somebody has decided, however long ago', async () => {
    const { id } = await idle.service.propose(
      { title: 'Refused', steps: [noop('1')] },
      { conversation: 'refused' },
      ana,
    );
    await idle.service.reject(id, { version: 1 }, ana);
    await createExpiry(contextOf(idle, 100), staleAfter)();
    expect((await idle.service.getPlan(id)).status).toBe('rejected');
    expect((await textsIn('refused')).join()).not.toContain('cancelled');
  });
});

const answers = [
  { question_id: 'destination', text: 'done/' },
  { question_id: 'name', text: 'a.txt' },
];

const isAnswered = (run: string, turn: number) =>
  waitFor('the turn to end', async () => {
    const { planning_status, ...view } = await instance.service.getRun(run);
    return view.turn === turn && planning_status !== 'running' ? view : null;
  });

test('a planner gets what was asked and answered before by the ids of the questions', async () => {
  const { service } = instance;
  const { run_id: run } = await service.startRun({ text: 'Move it', conversation: 'parts' }, ana);
  const asked = await isAnswered(run, 1);
  expect(asked.questions).toEqual(['Where to?', 'Which name?']);
  await service.say('parts', '1. done/\n2. a.txt', ana);
  await isAnswered(run, 2);
  expect(requests.at(-1)?.answers).toEqual(answers);
  expect(requests.at(-1)?.history).toEqual([
    { author: 'person', text: 'Move it', kind: 'said', answers: [] },
    {
      author: 'bot',
      text: twoQuestions,
      kind: 'question',
      questions,
    },
  ]);
  await service.say('parts', 'be brief', ana);
  await service.say('parts', 'Something else', ana);
  await waitFor('the last turn', async () => requests.at(-1)?.text === 'Something else');
  const { history } = requests.at(-1) ?? { history: [] };
  expect(history).toContainEqual({
    author: 'person',
    text: '1. done/\n2. a.txt',
    kind: 'said',
    answers,
  });
  expect(history.map(({ text }) => text)).not.toContain('be brief');
});
