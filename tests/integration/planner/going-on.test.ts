// Messages about running or ended plans become changes to approve.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { viewSession } from '#cards/session-view.ts';
import { readLatestMessages } from '#db/chat/messages.ts';
import { person } from '#domain/people/actor.ts';
import { readTemplates } from '#domain/plan/templates.ts';
import { defineOperation } from '#tools/define-operation.ts';
import { call, resultsIn } from '../../fixtures/model-calls.ts';
import { type ModelInstance, openModelInstance } from '../../fixtures/model-instance.ts';
import type { ChatBody } from '../../fixtures/openai-double.ts';
import { refusalCode } from '../../fixtures/refusal.ts';
import { draftStep } from '../../fixtures/steps.ts';
import { useDatabase } from '../../setup/database.ts';
import { ana, ben, reach, runPlan } from '../../setup/instance.ts';
import { readsOf } from '../../setup/reads.ts';
import { waitFor } from '../../wait.ts';

const database = useDatabase();
let instance: ModelInstance;

beforeAll(async () => {
  const several = {
    ...{ issuer: 'https://id.example', client_id: 'c', client_secret: 's' },
    ...{ tenant_claim: 'org', allowed_tenants: ['any'] },
  };
  const { output: _, ...refund } = defineOperation({
    ...{ tool: 'shop', operation: 'refund', description: 'Refund a payment.', effect: 'write' },
    ...{ destructive: false, schema: z.strictObject({}), output: {} },
    run: async () => ({ summary: 'Refunded.', data: { refund: { id: 'r-1', amount: 4 } } }),
  });
  instance = await openModelInstance(database.url, {
    extraOperations: [{ ...refund, source: 'mcp' }],
    settings: { identity: { providers: { corp: several } } },
    env: { COUNTERSIGN_PUBLIC_URL: 'http://127.0.0.1:3978' },
  });
});
afterAll(() => instance.close());

const step = (id: string, operation: string, args: object, ...after: string[]) => ({
  id,
  description: `Do ${id}`,
  tool: 'workspace',
  operation,
  args: JSON.parse(JSON.stringify(args)),
  after,
});

async function failedIn(conversation: string, actor = ana) {
  const draft = {
    title: 'Copy the notes',
    steps: [
      step('1', 'write', { path: `${conversation}.txt`, content: 'hello' }),
      step('2', 'read', { path: `lost-${conversation}.txt` }, '1'),
      step(
        '3',
        'write',
        { path: `copy-${conversation}.txt`, content: { $from: '2', path: '/text' } },
        '2',
      ),
    ],
  };
  const { service } = instance;
  const plan = await service.propose(draft, { user: 'ana', conversation }, actor);
  await service.approve(plan.id, { version: 1, digest: plan.digest }, actor);
  return reach(instance, plan.id, 'failed');
}

function toldIn({ messages }: ChatBody): string[] {
  const text = messages
    .map(({ content }) => (typeof content === 'string' ? content : ''))
    .find((content) => content.includes('<untrusted source="plans">'));
  return (
    text?.split('<untrusted source="plans">\n')[1]?.split('\n</untrusted>')[0]?.split('\n') ?? []
  );
}
const revisionIn = (body: ChatBody) => Number(/revision (\d+)/.exec(toldIn(body)[0] ?? '')?.[1]);

const continuing = (plan: string, revision: number, more: object) =>
  call('on_plan', {
    call: 'plan_continue',
    args: { plan, revision, why: 'The notes are elsewhere.', ...more },
  });

const fixing = (id: string, conversation: string) => (body: ChatBody) =>
  continuing(id, revisionIn(body), {
    add: [
      {
        id: '2b',
        description: 'Read the notes',
        operation: 'workspace_read',
        args: { path: `${conversation}.txt` },
      },
    ],
    replace: [{ step: '2', by: '2b' }],
  });

const { statusesOf, resume } = readsOf(() => instance);

const textsIn = async (conversation: string) =>
  (await readLatestMessages(instance.db.query, conversation, 20)).map(({ text }) => text);

describe('“fix what failed and go on”', () => {
  test('replaces the failed step on the plan itself, after an approval by word', async () => {
    const conversation = 'fix';
    const plan = await failedIn(conversation);
    instance.play(fixing(plan.id, conversation));
    const run = await instance.ask('fix what failed and go on', { conversation });
    expect(run).toMatchObject({ planning_status: 'complete', plan_id: plan.id });
    expect(toldIn(instance.requests()[0] ?? { model: '', messages: [] })).toEqual([
      expect.stringMatching(`^${plan.id} failed, revision \\d+, 3 steps: Copy the notes$`),
      expect.stringMatching(/^ {2}1 succeeded: /),
      expect.stringMatching(/^ {2}2 failed: .* \[workspace_read .*after 1\]$/),
      expect.stringContaining('lost-fix.txt'),
      expect.stringMatching(/^ {2}3 skipped: /),
    ]);
    expect((await textsIn(conversation)).at(-1)).toBe(
      `Changes to ${plan.id} “Copy the notes”: “The notes are elsewhere.” It won’t run until someone approves it.\nApprove or reject it on the plan's card.`,
    );
    const waiting = await instance.service.getPlan(plan.id);
    expect(waiting).toMatchObject({ status: 'failed', version: 1 });
    expect(waiting.pending_patch).toMatchObject({ added: 1, changed: 1, removed: 1 });
    await instance.service.say(conversation, 'approve', ana);
    const done = await reach(instance, plan.id, 'completed');
    expect(done).toMatchObject({ version: 2, decided_by: 'ana' });
    expect(await statusesOf(plan.id)).toEqual({
      1: 'succeeded',
      2: 'cancelled',
      '2b': 'succeeded',
      3: 'succeeded',
    });
    expect((await instance.files())['copy-fix.txt']).toBe('hello');
    // Retry has nothing left to repeat.
    expect(await refusalCode(instance.service.retry(plan.id, { version: 2 }, ana))).toBe(
      'invalid_transition',
    );
    const { plans } = await instance.service.listPlans({ conversation, limit: 10 });
    expect(plans).toHaveLength(1);
  });

  test('edits the failed step and runs it again in one call, and what waited for it', async () => {
    const plan = await failedIn('edit');
    instance.play((body) =>
      continuing(plan.id, revisionIn(body), {
        edit: [{ id: '2', args: { path: 'edit.txt' } }],
        rerun: ['2'],
      }),
    );
    await instance.ask('it is edit.txt; fix it and go on', { conversation: 'edit' });
    expect(instance.requests()).toHaveLength(1);
    await instance.service.say('edit', 'approve', ana);
    await reach(instance, plan.id, 'completed');
    expect(await statusesOf(plan.id)).toEqual({ 1: 'succeeded', 2: 'succeeded', 3: 'succeeded' });
    expect((await instance.files())['copy-edit.txt']).toBe('hello');
  });

  test('sees what a step without an output schema returned, in every conversation', async () => {
    const { service } = instance;
    const conversation = 'unknown output';
    const id = { $from: '1', path: '/id' };
    const refunded = { ...step('1', 'refund', {}), tool: 'shop' };
    const steps = [refunded, step('2', 'write', { path: 'refund.txt', content: id }, '1')];
    const plan = await service.propose(
      { title: 'Refund', steps },
      { user: 'ana', conversation },
      ana,
    );
    await service.approve(plan.id, { version: 1, digest: plan.digest }, ana);
    await reach(instance, plan.id, 'failed');
    const mail = { description: 'Note it', operation: 'workspace_write' };
    instance.play([
      call('add_steps', {
        steps: [
          { id: '1', description: 'Refund', operation: 'shop_refund', args: {} },
          { id: '2', ...mail, args: { path: 'r.txt', content: '{{1/refund/key}}' }, after: ['1'] },
        ],
      }),
      call('submit_plan', { confidence: 0.9 }),
      call('answer', { text: 'No.' }),
    ]);
    await instance.ask('refund and note it', { conversation: 'elsewhere' });
    const [first, ...others] = instance.requests();
    expect(JSON.stringify(first)).toContain('shop_refund -> { refund: { id; amount: number } }');
    const refused = resultsIn(others.at(-1) ?? { model: '', messages: [] }).at(-1);
    expect(refused).toContain('/refund/key');
    instance.play((body) =>
      continuing(plan.id, revisionIn(body), {
        edit: [{ id: '2', args: { content: '{{1/refund/id}}' } }],
        rerun: ['2'],
      }),
    );
    await instance.ask('fix what failed and go on', { conversation });
    expect(JSON.stringify(instance.requests())).toContain(
      'shop_refund -> { refund: { id; amount: number } }',
    );
    await service.say(conversation, 'approve', ana);
    await reach(instance, plan.id, 'completed');
    expect((await instance.files())['refund.txt']).toBe('r-1');
  });

  test('tells the model what stands against its change, and takes the next one', async () => {
    const conversation = 'twice';
    const plan = await failedIn(conversation);
    const wrong = { id: '2', description: 'Read', operation: 'workspace_read', args: {} };
    instance.play((body, index) => {
      const revision = revisionIn(body);
      switch (index) {
        case 0:
          return continuing(plan.id, revision, {
            add: [wrong],
            replace: [{ step: '2', by: '2' }],
          });
        case 1:
          return continuing(plan.id, revision, { remove: ['2'] });
        case 2:
          return continuing(plan.id, revision, { remove: ['1'] });
        default:
          return fixing(plan.id, conversation)(body);
      }
    });
    const run = await instance.ask('fix what failed and go on', { conversation });
    expect(run.planning_status).toBe('complete');
    const [duplicate, needed, done] = resultsIn(
      instance.requests()[3] ?? { model: '', messages: [] },
    );
    expect(duplicate).toContain('already. Give the new one its own ID.');
    expect(needed).toContain('uses the output of step');
    expect(done).toContain('Step 1 (succeeded) has begun');
    expect((await instance.service.getPlan(plan.id)).pending_patch).not.toBeNull();
  });
});

describe('a change that a model proposes', () => {
  test('waits for approval, also where it takes steps away only', async () => {
    const hold = draftStep('1', 'Ask ana', 'human_task', { question: 'Go on?', assignee: 'ana' });
    const draft = { title: 'Held', steps: [hold, step('2', 'list', {}, '1')] };
    const { service } = instance;
    const plan = await service.propose(draft, { user: 'ana', conversation: 'narrow' }, ana);
    await service.approve(plan.id, { version: 1, digest: plan.digest }, ana);
    await waitFor('the question', async () =>
      (await service.getPlan(plan.id)).counts.waiting === 1 ? true : null,
    );
    instance.play((body) => continuing(plan.id, revisionIn(body), { remove: ['2'] }));
    await instance.ask('skip step 2', { conversation: 'narrow' });
    expect(await service.getPlan(plan.id)).toMatchObject({
      version: 1,
      pending_patch: { widening: ['A planner proposes it, so a person decides.'], removed: 1 },
    });
    await service.say('narrow', 'approve', ana);
    expect(await service.getPlan(plan.id)).toMatchObject({ version: 2, pending_patch: null });
    await service.cancel(plan.id, { version: 2 }, ana);
  });

  test('merges arguments, and its card shows each one that changes or goes', async () => {
    const { service } = instance;
    const hold = draftStep('1', 'Ask ana', 'human_task', { question: 'Go on?', assignee: 'ana' });
    const args = { path: 'merge.txt', content: 'old', overwrite: true };
    const draft = { title: 'Merge', steps: [hold, step('2', 'write', args, '1')] };
    const plan = await service.propose(draft, { user: 'ana', conversation: 'merge' }, ana);
    await service.approve(plan.id, { version: 1, digest: plan.digest }, ana);
    await waitFor('the question', async () =>
      (await service.getPlan(plan.id)).counts.waiting === 1 ? true : null,
    );
    instance.play((body) =>
      continuing(plan.id, revisionIn(body), {
        edit: [{ id: '2', args: { content: 'new', overwrite: null } }],
      }),
    );
    await instance.ask('write new instead, and overwrite nothing', { conversation: 'merge' });
    const facts = await service.card(plan.id, { user: 'ana', timezone: 'UTC' });
    expect(facts.patch?.shown.at(-1)?.fields).toEqual([
      { field: 'args.content', from: 'old', to: 'new' },
      { field: 'args.overwrite', from: 'true', to: null },
    ]);
    await service.say('merge', 'approve', ana);
    const { steps } = await service.listSteps(plan.id, { limit: 10 });
    expect(steps[1]?.args).toEqual({ path: 'merge.txt', content: 'new' });
    await service.cancel(plan.id, { version: 2 }, ana);
  });

  test('of one of two waiting plans asks which, without its revision', async () => {
    const { service } = instance;
    for (const path of ['menu.md', 'rooms.md'])
      await service.propose(
        { title: `Write ${path}`, steps: [step('1', 'write', { path, content: 'x' })] },
        { user: 'ana', conversation: 'two' },
        ana,
      );
    instance.play([call('on_plan', { call: 'plan_continue', args: { why: 'Into kitchen/.' } })]);
    const run = await instance.ask('Put it into kitchen instead', { conversation: 'two' });
    expect(run).toMatchObject({ planning_status: 'needs_clarification' });
    expect(run.response_text).toMatch(/1\) PLAN-\w+ Write rooms.md\s+2\) PLAN-\w+ Write menu.md/);
  });

  test('of a waiting plan says what the next version is called and does, or shows no stale summary', async () => {
    const { service } = instance;
    const draft = {
      title: 'Write a.txt',
      summary: 'Writes a.txt.',
      steps: [step('1', 'write', { path: 'a.txt', content: 'x' })],
    };
    const plan = await service.propose(draft, { user: 'ana', conversation: 'words' }, ana);
    const change = (path: string, words: object) => {
      instance.play((body) =>
        continuing(plan.id, revisionIn(body), { edit: [{ id: '1', args: { path } }], ...words }),
      );
      return instance.ask(`${path} instead`, { conversation: 'words' });
    };
    await change('b.txt', { title: 'Write b.txt', summary: 'Writes b.txt.' });
    const second = await service.getPlan(plan.id);
    expect(second).toMatchObject({ version: 2, title: 'Write b.txt', summary: 'Writes b.txt.' });
    await change('c.txt', {});
    const third = await service.getPlan(plan.id);
    expect(third).toMatchObject({ version: 3, title: 'Write b.txt', summary: null });
    await service.approve(plan.id, { version: 3, digest: third.digest }, ana);
    await reach(instance, plan.id, 'completed');
    const late = {
      base_revision: (await service.getPlan(plan.id)).revision,
      title: 'Something else',
      operations: [{ op: 'rerun_steps' as const, steps: { ids: ['1'] } }],
    };
    expect(await refusalCode(service.patch(plan.id, late, ana))).toBe('invalid_request');
  });

  test('is described with times and repetitions, and gives another rule', async () => {
    const { service } = instance;
    const conversation = 'timed';
    const draft = {
      title: 'Report',
      steps: [
        {
          ...step('1', 'write', { path: 'r.txt', content: 'x' }),
          not_before: '2031-05-05T07:00:00Z',
        },
      ],
      series: [
        {
          ...{ id: 'weekly', title: 'Week', rrule: 'FREQ=WEEKLY;BYDAY=MO', timezone: 'UTC' },
          ...{ starts_at: '2031-05-05T07:00:00Z', until: null },
          steps: [step('w', 'write', { path: 'w.txt', content: 'x', overwrite: true })],
        },
      ],
    };
    const plan = await service.propose(draft, { user: 'ana', conversation }, ana);
    await service.approve(plan.id, { version: 1, digest: plan.digest }, ana);
    instance.play((body) =>
      continuing(plan.id, revisionIn(body), {
        repeat: [
          { series: 'weekly', rrule: 'FREQ=WEEKLY;BYDAY=TU', starts_at: '2031-05-06T09:00' },
        ],
      }),
    );
    await instance.ask('on Tuesdays at 9 from then on', { conversation });
    const context = toldIn(instance.requests()[0] ?? { model: '', messages: [] }).join('\n');
    expect(context).toContain('“Week” (series weekly) repeats by FREQ=WEEKLY;BYDAY=MO');
    expect(context).toMatch(/\(id 1\) \w+, from 2031-05-05T/);
    const { pending_patch: change } = await service.getPlan(plan.id);
    expect(change?.widening.join()).toContain('Week');
    await service.cancel(plan.id, { version: 1 }, ana);
  });

  test('replaces the one before only where it was seen', async () => {
    const conversation = 'second';
    const plan = await failedIn(conversation);
    instance.play(fixing(plan.id, conversation));
    await instance.ask('fix what failed', { conversation });
    const first = (await instance.service.getPlan(plan.id)).pending_patch;
    instance.play((body, index) => {
      if (index === 0) return continuing(plan.id, plan.revision, { remove: ['2', '3'] });
      return continuing(plan.id, revisionIn(body), { remove: ['2', '3'] });
    });
    await instance.ask('no, leave it out', { conversation });
    expect(resultsIn(instance.requests()[1] ?? { model: '', messages: [] })[0]).toContain(
      'is waiting for approval and must be decided first',
    );
    const second = (await instance.service.getPlan(plan.id)).pending_patch;
    expect(second).toMatchObject({ removed: 2 });
    expect(
      await refusalCode(
        instance.service.approve(
          plan.id,
          { version: first?.version ?? 0, digest: first?.digest ?? '' },
          ana,
        ),
      ),
    ).toBe('already_decided');
  });

  test('of a plan that was cancelled meanwhile comes to nothing, and says so', async () => {
    const conversation = 'gone';
    const plan = await failedIn(conversation);
    await instance.service.cancel(plan.id, { version: 1 }, ana);
    instance.play((body, index) =>
      index === 0
        ? fixing(plan.id, conversation)(body)
        : call('answer', { text: 'It was cancelled.', cannot: null }),
    );
    const run = await instance.ask('fix what failed and go on', { conversation });
    expect(run.response_text).toContain('It was cancelled.');
    expect(resultsIn(instance.requests()[1] ?? { model: '', messages: [] })[0]).toContain(
      "This plan is cancelled (cancelled), so it can't be changed.",
    );
  });

  test('of a plan of other people’s conversations is refused', async () => {
    const plan = await failedIn('theirs');
    instance.play((_, index) =>
      index === 0
        ? continuing(plan.id, plan.revision, { remove: ['2', '3'] })
        : call('answer', { text: 'I cannot.', cannot: null }),
    );
    const { run_id } = await instance.service.startRun(
      { text: `change ${plan.id}`, conversation: 'elsewhere' },
      person('cleo', 'api'),
    );
    await waitFor('the answer', async () =>
      (await instance.service.getRun(run_id)).planning_status === 'complete' ? true : null,
    );
    expect(resultsIn(instance.requests()[1] ?? { model: '', messages: [] })[0]).toContain(
      `There is no plan ${plan.id}`,
    );
    expect((await instance.service.getPlan(plan.id)).pending_patch).toBeNull();
  });

  test('of a plan of the same person in another organisation is refused', async () => {
    const [one, other] = [
      { ...ana, tenant: 'slack:T1' },
      { ...ana, tenant: 'slack:T2' },
    ];
    const plan = await failedIn('of-one', one);
    const changeAs = async (actor: typeof one, conversation: string) => {
      instance.play((_, index) =>
        index === 0
          ? continuing(plan.id, plan.revision, { remove: ['2', '3'] })
          : call('answer', { text: 'I cannot.', cannot: null }),
      );
      const { service } = instance;
      const { run_id } = await service.startRun(
        { text: `change ${plan.id}`, user: 'ana', conversation },
        actor,
      );
      await waitFor('the planner', async () =>
        (await service.getRun(run_id)).planning_status === 'running' ? null : true,
      );
      return (await service.getPlan(plan.id)).pending_patch;
    };
    expect(await changeAs(other, 'of-other')).toBeNull();
    expect(resultsIn(instance.requests()[1] ?? { model: '', messages: [] })[0]).toContain(
      `There is no plan ${plan.id}`,
    );
    expect(await changeAs(one, 'of-one-too')).not.toBeNull();
  });
});

test('plan_get reads steps with what came of them, a page at a time', async () => {
  const steps = Array.from({ length: 45 }, (_, i) =>
    step(`s${i + 1}`, 'write', { path: `p${i + 1}.txt`, content: 'x'.repeat(2000) }),
  );
  const plan = await runPlan(instance, steps);
  await reach(instance, plan.id, 'completed');
  const pages: z.infer<typeof Page>[] = [];
  instance.play((body, index) => {
    if (index === 0) return call('plan_get', { plan: plan.id });
    const page = readPage(resultsIn(body).at(-1) ?? '');
    pages.push(page);
    return page.next === null
      ? call('answer', { text: 'Read.', cannot: null })
      : call('plan_get', { plan: plan.id, after: page.next });
  });
  await instance.ask(`what did ${plan.id} do?`);
  expect(pages.length).toBeGreaterThan(2);
  expect(pages.flatMap((page) => page.steps.map(({ id }) => id))).toEqual(
    steps.map(({ id }) => id),
  );
  const [first] = pages[0]?.steps ?? [];
  expect(first?.args).toMatch(/^.{400,1200}…/);
  expect(first?.output).toContain('p1.txt');
});

const Page = z.object({
  revision: z.number(),
  next: z.number().nullable(),
  steps: z.array(z.object({ id: z.string(), args: z.string(), output: z.string() })),
});

function readPage(result: string): z.infer<typeof Page> {
  const [, , json = '{}'] = result.split('\n');
  return Page.parse(JSON.parse(json));
}

describe('an answer that is said in the chat', () => {
  const room = [{ name: 'room', label: 'Room', type: 'choice', options: ['Blue', 'Red'] }];

  async function asked(conversation: string, value: unknown) {
    const { service } = instance;
    const args = { question: 'Which room?', assignee: 'ana', form: room };
    const steps = [draftStep('ask', 'Ask', 'human_task', args)];
    const plan = await service.propose(
      { title: 'Room', steps },
      { user: 'ben', conversation },
      ben,
    );
    await service.approve(plan.id, { version: 1, digest: plan.digest }, ben);
    await waitFor('the question', async () =>
      (await service.getPlan(plan.id)).counts.waiting === 1 ? true : null,
    );
    instance.play([call('answer_step', { plan: plan.id, step: 'ask', answer: value })]);
    const run = await instance.ask('the blue one', { conversation });
    return { plan, run };
  }
  const choiceOf = async (runId: string) => {
    const card = await instance.service.runCard(runId, { user: 'ana', timezone: 'UTC' });
    const { turn, digest } = card;
    return { card, choice: { kind: 'approve' as const, turn, digest } };
  };

  test('answers nothing until it is confirmed by one press', async () => {
    const { plan, run } = await asked('room', 'blue');
    expect(run.planning_status).toBe('needs_clarification');
    expect(run.response_text).toBe(
      'Answer step 1, “Which room?”, with “Room: Blue”?\nReply “approve” to send this answer, or “reject”.',
    );
    expect((await instance.service.getPlan(plan.id)).counts.waiting).toBe(1);
    const { card, choice } = await choiceOf(run.run_id);
    const view = viewSession(card);
    expect(view.buttons.map(({ label }) => label)).toEqual(['Confirm', 'Not now']);
    expect(
      await refusalCode(instance.service.decideRun(run.run_id, choice, person('cleo', 'api'))),
    ).toBe('not_allowed');
    await instance.service.decideRun(run.run_id, choice, ana);
    await reach(instance, plan.id, 'completed');
    const [step] = await instance.service.getSteps(plan.id, ['ask']);
    expect(step?.output).toMatchObject({ fields: { room: 'Blue' }, by: 'ana' });
    expect(await refusalCode(instance.service.decideRun(run.run_id, choice, ana))).toBe(
      'invalid_transition',
    );
  });

  test('is confirmed by the word, or dropped', async () => {
    const { plan, run } = await asked('room-word', { room: 'Red' });
    await instance.service.say('room-word', 'reject', ana);
    expect((await instance.service.getPlan(plan.id)).counts.waiting).toBe(1);
    expect((await instance.service.getRun(run.run_id)).planning_status).toBe('complete');
    instance.play([call('answer_step', { plan: plan.id, step: 'ask', answer: { room: 'Red' } })]);
    await instance.ask('red then', { conversation: 'room-word' });
    await instance.service.say('room-word', 'approve', ana);
    await reach(instance, plan.id, 'completed');
  });

  test('to a Yes/No question is Yes or No and its note', async () => {
    const { service } = instance;
    const args = { question: 'Drop it?', assignee: 'ana' };
    const steps = [draftStep('ask', 'Ask', 'human_confirm', args)];
    const place = { user: 'ana', conversation: 'drop' };
    const plan = await service.propose({ title: 'Drop', steps }, place, ana);
    await service.approve(plan.id, { version: 1, digest: plan.digest }, ana);
    await waitFor('the question', async () =>
      (await service.getPlan(plan.id)).counts.waiting === 1 ? true : null,
    );
    const reply = (answer: string) => call('answer_step', { plan: plan.id, step: 'ask', answer });
    instance.play([reply('keep it until May'), reply('No, not before May')]);
    const run = await instance.ask('keep it until May', { conversation: 'drop' });
    expect(run.response_text).toContain('“No: not before May”');
    await service.say('drop', 'approve', ana);
    await reach(instance, plan.id, 'completed');
    const [step] = await service.getSteps(plan.id, ['ask']);
    expect(step?.output).toMatchObject({ answer: 'No', note: 'not before May' });
  });

  test('of a step that was answered meanwhile changes nothing, and says so', async () => {
    const { plan, run } = await asked('room-late', 'red');
    const { choice } = await choiceOf(run.run_id);
    const answers = { ask: { room: 'Blue' } };
    await resume(plan.id, { steps: { ask: 'done' }, answers });
    await reach(instance, plan.id, 'completed');
    expect(await refusalCode(instance.service.decideRun(run.run_id, choice, ana))).toBe(
      'already_decided',
    );
    const [step] = await instance.service.getSteps(plan.id, ['ask']);
    expect(step?.output).toMatchObject({ fields: { room: 'Blue' } });
  });

  test('to a question for somebody else is refused with the way out, and the model learns whose it is', async () => {
    const { service } = instance;
    const steps = [draftStep('ask', 'Ask', 'human_task', { question: 'Which?', assignee: 'ben' })];
    const place = { user: 'ana', conversation: 'theirs-to-say' };
    const plan = await service.propose({ title: 'Room', steps }, place, ana);
    await service.approve(plan.id, { version: 1, digest: plan.digest }, ana);
    await waitFor('the question', async () =>
      (await service.getPlan(plan.id)).counts.waiting === 1 ? true : null,
    );
    instance.play([
      call('on_plan', {
        call: 'answer_step',
        args: { plan: plan.id, step: 'ask', answer: 'blue' },
      }),
      call('answer', { text: 'Ben has to say that.' }),
    ]);
    const run = await instance.ask('the blue one', { conversation: place.conversation });
    expect(run.planning_status).toBe('complete');
    const [first, second] = instance.requests();
    expect(toldIn(first ?? { model: '', messages: [] }).join()).toContain('(only ben answers)');
    expect(resultsIn(second ?? { model: '', messages: [] })[0]).toContain('Answer for');
  });

  test('that is given on its card only is marked so, and its question names the call', async () => {
    const { service } = instance;
    const args = { path: 'card.txt', content: 'x' };
    const long = { content: `${'y'.repeat(300)}{{1/path}}`, overwrite: true, path: 'next.txt' };
    const steps = [
      { ...draftStep('1', 'Do it', 'workspace_write', args), ask_before: true },
      {
        ...draftStep('2', 'Do more', 'workspace_write', readTemplates(long)),
        after: ['1'],
        when: [{ step: '1', path: '/size', is: 'greater' as const, value: 1 }],
      },
    ];
    const place = { user: 'ana', conversation: 'card' };
    const plan = await service.propose({ title: 'Card', steps }, place, ana);
    await service.approve(plan.id, { version: 1, digest: plan.digest }, ana);
    await waitFor('the question', async () =>
      (await service.getPlan(plan.id)).counts.waiting === 1 ? true : null,
    );
    instance.play([call('answer', { text: 'Its card asks.', plan: plan.id })]);
    await instance.ask('what does it wait for?', { conversation: place.conversation });
    const told = toldIn(instance.requests()[0] ?? { model: '', messages: [] }).join('\n');
    expect(told).toContain('waiting (on its card only): Do it');
    expect(told).toContain('Run this now? Writes card.txt');
    expect(told).toMatch(
      /\{"path":"next.txt","content":"y+…","overwrite":true\}, after 1, when \[\{"is":"greater"/,
    );
  });

  test('that does not fit the form comes back to the model', async () => {
    const { plan } = await asked('room-green', 'blue');
    instance.play([
      call('answer_step', { plan: plan.id, step: 'ask', answer: 'green' }),
      call('answer_step', { plan: plan.id, step: 'other', answer: 'blue' }),
      call('answer', { text: 'Blue or red?', cannot: null }),
    ]);
    await instance.ask('green', { conversation: 'room-green' });
    const [green, other] = resultsIn(instance.requests()[2] ?? { model: '', messages: [] });
    expect(green).toContain('Room must be one of Blue, Red.');
    expect(other).toContain('has no step \\"other\\"');
  });
});

test('an earlier plan is taken as the draft of a new one, and stays as it is', async () => {
  const { service } = instance;
  const steps = [step('1', 'write', { path: 'feb.txt', content: 'February' })];
  const old = await runPlan(instance, steps);
  await reach(instance, old.id, 'completed');
  instance.play((body, index) => {
    if (index === 0) return call('read', { operation: 'plan_list', args: {} });
    if (index === 1) return call('on_plan', { call: 'plan_again', args: { plan: old.id } });
    expect(resultsIn(body)[1]).toContain('feb.txt');
    const edited = { id: '1', args: { path: 'mar.txt', content: 'March' } };
    return {
      calls: [
        { name: 'edit_steps', args: { steps: [edited] } },
        {
          name: 'submit_plan',
          args: {
            title: 'Report for March',
            summary: 'Writes mar.txt.',
            risks: [],
            confidence: 0.9,
          },
        },
      ],
    };
  });
  const run = await instance.ask('run it again for March');
  expect(run).toMatchObject({ plan_id: expect.stringContaining('PLAN-') });
  const [again] = (await service.listSteps(run.plan_id ?? '', { limit: 10 })).steps;
  expect(again).toMatchObject({ id: '1', args: { path: 'mar.txt' }, status: 'pending' });
  expect(run.plan_id).not.toBe(old.id);
  expect(await service.getPlan(old.id)).toMatchObject({ status: 'completed', version: 1 });
});

test('of many steps the model is shown little, and a group is changed as it is, in the next version', async () => {
  const folder = join(instance.workspace, 'many');
  await mkdir(folder, { recursive: true });
  for (let at = 1; at <= 60; at += 1) await writeFile(join(folder, `${at}.txt`), 'x'.repeat(at));
  const long = 'A long line of every letter. '.repeat(60);
  instance.play([
    {
      calls: [
        {
          name: 'for_each',
          args: {
            id: 'letters',
            title: 'Letters',
            operation: 'workspace_list',
            args: { path: 'many' },
            list: '/entries',
            where: [{ path: '/size', is: 'greater', value: 20 }],
            step: {
              description: 'Write about {{item/path}}',
              operation: 'workspace_write',
              args: { path: 'letters/{{item/path}}', content: long },
            },
          },
        },
        { name: 'submit_plan', args: { title: 'Letters', summary: 'Some.', confidence: 1 } },
      ],
    },
  ]);
  const conversation = 'letters';
  const first = await instance.ask('a letter about each file over 20 bytes', { conversation });
  const id = first.plan_id ?? '';
  expect(await instance.service.getPlan(id)).toMatchObject({ total_steps: 40 });
  instance.play([
    call('plan_again', { plan: id }),
    {
      calls: [
        { name: 'for_each', args: { id: 'letters', where: null } },
        { name: 'submit_plan', args: { summary: 'All.', confidence: 1 } },
      ],
    },
  ]);
  await instance.ask('no, for all of them', { conversation });
  const [, last] = instance.requests();
  const [shown = ''] = resultsIn(last ?? { model: '', messages: [] });
  expect(shown).toContain('by for_each {');
  expect(shown.length).toBeLessThanOrEqual(5000);
  expect(await instance.service.getPlan(id)).toMatchObject({
    version: 2,
    summary: 'All. Letters (60 found): 60 steps.',
    total_steps: 60,
  });
});

test('a wrong reference of steps that repeat goes back to the model', async () => {
  const content = '{{1/entries/*/name}}';
  const steps = [
    { id: '1', description: 'List', operation: 'workspace_list', args: { path: '.' } },
    { id: '2', description: 'W', operation: 'workspace_write', args: { path: 'i.md', content } },
  ];
  instance.play([
    call('add_steps', { steps }),
    call('set_schedule', { ids: ['1', '2'], repeat: { rrule: 'FREQ=DAILY' } }),
    call('submit_plan', { title: 'T', confidence: 0.9 }),
    call('answer', { text: 'No.' }),
  ]);
  const run = await instance.ask('List the files daily', { conversation: 'daily list' });
  expect(run.response_text).toContain('No.');
  const last = instance.requests().at(-1);
  expect(JSON.stringify(last?.messages.at(-1))).toContain('/entries of step 1');
});
