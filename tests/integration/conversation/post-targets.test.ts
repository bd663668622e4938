// Targets of chat_post: the plan's conversation and public ones.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import { afterEach, expect, test } from 'vitest';
import { chatPlatforms } from '#app/platforms.ts';
import { storePlace } from '#db/chat/places.ts';
import { type ChatPlace, conversationAt } from '#domain/chat/chat.ts';
import type { FindPlace } from '#domain/chat/find-place.ts';
import { pinTarget } from '#domain/chat/post-target.ts';
import type { PlanDraft } from '#domain/plan/plan.ts';
import { openPlatform } from '../../fixtures/chat-platform.ts';
import { settled } from '../../fixtures/model-instance.ts';
import { holdStep } from '../../fixtures/steps.ts';
import { ana, noop, reach, settleAsRead } from '../../setup/instance.ts';
import { useInstance } from '../../setup/use-instance.ts';
import { waitFor } from '../../wait.ts';

const hidden = 'C-hidden';
const left = new Set<string>();
afterEach(() => left.clear());
const findPlace: FindPlace = async (_from, _requester, wanted) => {
  if (typeof wanted === 'string' || wanted.channel === hidden) return null;
  const name = `#${wanted.channel}`;
  return left.has(wanted.channel)
    ? { refusal: `The requester is not in ${name}.` }
    : { place: wanted, name };
};

const instance = useInstance({
  platforms: chatPlatforms.map((platform) => ({
    ...platform,
    configure: () => ({
      ...{ shared: false, reached: '', facts: {}, advice: '' },
      check: async () => ({ state: 'ok', text: '' }),
      open: async () => ({
        ...{ handle: async () => {}, receive: async () => {} },
        ...{ port: openPlatform().port, findPlace },
      }),
    }),
  })),
});

async function place(
  tenant: string,
  channel: string,
  thread: string | null,
  platform: ChatPlace['platform'] = 'slack',
): Promise<string> {
  const where = { platform, tenant, channel, thread };
  await instance.db.transaction((tx) => storePlace(tx, where, null));
  return conversationAt(where);
}

const saying = (conversation: unknown): PlanDraft => ({
  title: 'Tell them',
  steps: [
    {
      id: 'tell',
      description: 'Tell them',
      tool: 'chat',
      operation: 'post',
      args: { text: 'Deployed', ...(conversation === undefined ? {} : { conversation }) },
    },
  ] as PlanDraft['steps'],
});

const propose = (draft: PlanDraft, conversation: string) =>
  instance.service.propose(draft, { user: 'ana', conversation }, ana);

async function run(draft: PlanDraft, conversation: string) {
  const plan = await propose(draft, conversation);
  await instance.service.approve(plan.id, { version: 1, digest: plan.digest }, ana);
  await reach(instance, plan.id, 'completed', 'failed');
  return (await instance.service.listSteps(plan.id, { limit: 9 })).steps;
}

const textsIn = async (conversation: string) =>
  (await instance.service.messages(conversation, { limit: 50 })).map(({ text }) => text);

test('posts in its own conversation and in another of its workspace', async () => {
  const own = await place('T1', 'C1', '1.1');
  const other = await place('T1', 'C2', '1.1');
  for (const [target, where] of [
    [undefined, own],
    [own, own],
    [other, other],
  ]) {
    const before = (await textsIn(where ?? '')).filter((text) => text === 'Deployed').length;
    expect((await run(saying(target), own))[0]?.status).toBe('succeeded');
    expect((await textsIn(where ?? '')).filter((text) => text === 'Deployed')).toHaveLength(
      before + 1,
    );
  }
  const steps = await run(saying(undefined), 'conv-console');
  expect(steps[0]?.status).toBe('succeeded');
});

test('counts the workspaces of one organisation as one', async () => {
  const [own, other] = [await place('T1', 'C1', '1.2'), await place('T1b', 'C1', '1.2')];
  await expect(propose(saying(other), own)).rejects.toMatchObject({ code: 'invalid_arguments' });
  await instance.db.query.execute(
    sql`insert into countersign.slack_workspaces (team, enterprise) values ('T1', 'E1'), ('T1b', 'E1')`,
  );
  expect((await run(saying(other), own))[0]?.status).toBe('succeeded');
});

test('is refused at proposal where the conversation is of another tenant, or there is none', async () => {
  const own = await place('T1', 'C1', '2.1');
  await instance.service.startRun({ text: 'Hello', conversation: 'conv-of-ben', user: 'ben' }, ana);
  const elsewhere = [
    await place('T2', 'C1', '2.1'),
    await place('T1', 'C1', '2.1', 'teams'),
    'conv-of-ben',
    'reminders:ben',
    '#ops',
  ];
  for (const target of elsewhere) {
    await expect(propose(saying(target), own)).rejects.toMatchObject({
      code: 'invalid_arguments',
      message: `Step tell: This plan can't post in "${target}": no conversation it can reach has that name. To post where the plan was asked for, leave "conversation" out (as a command: post "…" here).`,
    });
    await expect(propose(saying(target), 'conv-console')).rejects.toThrow(
      'no conversation it can reach',
    );
  }
});

test('is refused at proposal where it is the private chat of somebody else', async () => {
  const own = await place('T1', 'C1', '3.1');
  const direct = await place('T1', 'D1', null);
  const chat = await place('T1', 'D1', '3.2');
  await expect(propose(saying(chat), own)).rejects.toThrow('private chat');
  await expect(propose(saying(direct), own)).rejects.toMatchObject({
    code: 'invalid_arguments',
    message: `Step tell: The conversation "${direct}" is someone's private chat; only plans from that chat can post there.`,
  });
  const group = await place('M1', '19:group', null, 'teams');
  const here = await place('M1', '19:channel', '1', 'teams');
  await expect(propose(saying(group), here)).rejects.toThrow('private chat');
  await instance.db.query.execute(sql`
    insert into countersign.teams_conversations (tenant, channel, kind, service_url, bot)
    values ('M1', '19:group', 'group', 'https://teams.example', 'bot')`);
  expect((await run(saying(group), here))[0]?.status).toBe('succeeded');
  // Makes it the requester's own.
  await instance.service.startRun(
    { text: 'Hello', conversation: direct, user: 'ana' },
    { ...ana, via: 'slack' },
  );
  expect((await run(saying(direct), own))[0]?.status).toBe('succeeded');
});

test.each([
  ['of another tenant', 'slack', 'T2', 'C1', 'no conversation it can reach'],
  ['the requester is not in', 'slack', 'T1', hidden, 'no conversation it can reach'],
  ['of a platform that this process can’t ask', 'other', 'T1', 'C2', "can't be checked"],
] as const)(
  'a change of a plan is refused a channel %s',
  async (_, platform, tenant, channel, reason) => {
    const own = await place('T1', 'C1', '4.1', platform);
    const target = await place(tenant, channel, '4.1', platform);
    await expect(propose(saying(target), own)).rejects.toThrow(reason);
    expect((await propose(saying(own), own)).status).toBe('proposed');
    const plan = await propose({ title: 'Nothing', steps: [noop('a')] }, own);
    const [step] = saying(target).steps;
    await expect(
      instance.service.patch(
        plan.id,
        {
          base_revision: plan.revision,
          operations: [{ op: 'add_step', step: { ...noop('b'), ...step, id: 'b' } }],
        },
        ana,
      ),
    ).rejects.toThrow(reason);
  },
);

test.each([
  ['of another tenant', 'slack', 'T2', 'C1', 'no conversation it can reach'],
  ['that the requester is not in', 'slack', 'T1', hidden, 'no conversation it can reach'],
  ['under another name', 'slack', 'T1', 'C2', 'no conversation it can reach', '#C3'],
  ['of a platform that this process can’t ask', 'other', 'T1', 'C2', "can't be checked"],
  ['that both are in', 'slack', 'T1', 'C2', null],
] as const)('a post to a channel from an output asks, then checks a channel %s', async (...row) => {
  const [, platform, tenant, channel, reason, name] = row;
  const own = await place('T1', 'C1', '5.1', platform);
  const id = await place(tenant, channel, `5.${name ?? ''}`, platform);
  const target = name === undefined ? id : pinTarget({ name, conversation: id });
  await writeFile(join(instance.workspace, 'where.txt'), target);
  const draft = saying({ $from: 'read', path: '/text' });
  const read = {
    id: 'read',
    description: 'Read',
    tool: 'workspace',
    operation: 'read',
    args: { path: 'where.txt' },
  };
  const plan = await propose({ ...draft, steps: [read, ...draft.steps] }, own);
  await instance.service.approve(plan.id, { version: 1, digest: plan.digest }, ana);
  const asked = await waitFor('the step asks', async () => {
    const [step] = await instance.service.getSteps(plan.id, ['tell']);
    return step?.status === 'waiting' ? step : null;
  });
  expect(asked.final_args).toMatchObject({ conversation: target });
  await settleAsRead(instance, plan.id, { tell: 'retry' });
  await reach(instance, plan.id, 'completed', 'failed');
  const { steps } = await instance.service.listSteps(plan.id, { limit: 9 });
  const error = { code: 'invalid_arguments', message: expect.stringContaining(reason ?? '') };
  expect(steps.find(({ id: step }) => step === 'tell')).toMatchObject(
    reason === null ? { status: 'succeeded' } : { status: 'failed', error },
  );
  expect(await textsIn(id)).toEqual(reason === null ? ['Deployed'] : []);
});

test('a person who left the channel after the approval posts nothing there, and the step says why', async () => {
  const own = await place('T1', 'C1', '7.1');
  const target = await place('T1', 'C-left', '7.1');
  const steps = [holdStep('ask'), { ...saying(target).steps[0], after: ['ask'] }];
  const plan = await propose({ title: 'Tell them', steps } as PlanDraft, own);
  await instance.service.approve(plan.id, { version: 1, digest: plan.digest }, ana);
  await waitFor('the task', async () => {
    const [step] = await instance.service.getSteps(plan.id, ['ask']);
    return step?.status === 'waiting';
  });
  left.add('C-left');
  await settleAsRead(instance, plan.id, { ask: 'done' });
  await reach(instance, plan.id, 'failed');
  const [step] = await instance.service.getSteps(plan.id, ['tell']);
  const error = { code: 'invalid_arguments', message: 'The requester is not in #C-left.' };
  expect(step).toMatchObject({ status: 'failed', error });
  expect(await textsIn(target)).toEqual([]);
});

test('is not reported as posted where the platform does not take anything', async () => {
  const own = await place('T1', 'C1', '6.1');
  const target = await place('T1', 'C9', '6.1');
  await instance.db.query.execute(
    sql`update countersign.chat_places set broken = 'Invite the bot again.', broken_at = now() where conversation = ${target}`,
  );
  await expect(propose(saying(target), own)).rejects.toThrow(
    `Nothing can be posted in "${target}": Invite the bot again.`,
  );
});

test('a channel that is not there is noticed while planning, with what the person can post in instead', async () => {
  const own = await place('T1', 'D1', '9.1');
  const other = await place('T1', 'C2', '9.1');
  const foreign = await place('T2', 'C2', '9.1');
  const ask = async (text: string, conversation: string, user = 'ana') => {
    const { run_id } = await instance.service.startRun({ text, conversation, user }, ana);
    return settled(instance, run_id);
  };
  await ask('What about the release?', other);
  await ask('What about the release?', foreign);
  await ask('What is secret?', await place('T1', 'C3', '9.1'), 'ben');
  const run = await ask('Post "Hello" in #release', own);
  expect(run.plan_id).toBeUndefined();
  expect(run.response_text).toContain('This plan can\'t post in "#release"');
  expect(run.response_text).toContain(
    `This plan can also post in ${other} (“What about the release?”)`,
  );
  expect(run.response_text).not.toMatch(new RegExp(`secret|${foreign}`));
  const shared = await ask('Post "Hello" in #release', await place('T1', 'C1', '9.1'));
  expect(shared.response_text).toContain('This plan can\'t post in "#release"');
  expect(shared.response_text).not.toContain('can also post');
  expect(run.response_text).not.toContain('proposed something that cannot run');
});
