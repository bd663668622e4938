// Presses on cards in Teams decide once, for permitted people.
import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { person } from '#domain/people/actor.ts';
import { readLinkCommand } from '#domain/people/link.ts';
import type { Plan } from '#domain/plan/plan.ts';
import type { Person, TeamsChat } from '../../fixtures/teams/chats.ts';
import type { Answer } from '../../fixtures/teams/connector.ts';
import { cardOf, findButton, type Message } from '../../fixtures/teams/sent-cards.ts';
import { useDatabase } from '../../setup/database.ts';
import { noop, reach, scriptedPlanner } from '../../setup/instance.ts';
import { waitFor } from '../../wait.ts';
import { clearInbox, readInbox } from '../inbox/bench.ts';
import {
  awaitMessage,
  findMessage,
  type TeamsInstance,
  useTeamsInstance,
} from './teams-instance.ts';

const database = useDatabase();
const planner = scriptedPlanner(() => ({
  kind: 'proposal',
  draft: { title: 'Two of nothing', steps: [noop('a'), noop('b')] },
}));

const env = { COUNTERSIGN_ENCRYPTION_KEY: Buffer.alloc(32, 1).toString('base64') };

type Desk = TeamsInstance & {
  ana: Person;
  ben: Person;
  channel: TeamsChat;
  conversation: string;
  card: Message;
  plan: Plan;
};

async function useCard(options: { members?: number } = {}): Promise<Desk> {
  const use = await useTeamsInstance(database, { planner, env });
  const { teams, instance } = use;
  await clearInbox(instance);
  const ana = teams.addPerson('ana');
  const ben = teams.addPerson('ben');
  const others = Array.from({ length: (options.members ?? 2) - 2 }, (_, i) =>
    teams.addPerson(`other${i}`),
  );
  const channel = teams.addChannel([ana, ben, ...others]);
  const { conversation } = await teams.say(ana, channel, 'do nothing, twice');
  const card = await awaitMessage(teams, conversation, '"approve"');
  const plan = await instance.service.getPlan(planOf(card));
  return { ...use, ana, ben, channel, conversation, card, plan };
}

function planOf(message: Message): string {
  const id = /PLAN-[0-9a-f]+/.exec(JSON.stringify(cardOf(message)))?.[0];
  if (id === undefined) throw new Error('The card names no plan.');
  return id;
}

const words = ({ body }: Answer) => JSON.stringify(body);

test.each([
  ['guest', { userRole: 'guest', userPrincipalName: 'gus_example.org#EXT#@contoso.example' }],
  ['member of another organisation', { tenantId: 'another-tenant' }],
] as const)('a %s is not the other person that a rule asks for', async (_, as) => {
  const { teams, ana, ben, channel, card, instance, plan } = await useCard();
  const { guardedApprovers } = instance.config.settings;
  guardedApprovers.control_noop = { kind: 'not_requester' };
  try {
    const gus = teams.addPerson('gus', as);
    channel.members.push(gus);
    await teams.press(ana, card, 'Approve');
    expect(words(await teams.press(gus, card, 'Approve'))).toContain('Guests');
    expect((await instance.service.getPlan(plan.id)).status).toBe('proposed');
    await teams.press(ben, card, 'Approve');
    await reach(instance, plan.id, 'completed');
  } finally {
    delete guardedApprovers.control_noop;
  }
});

test('a press replayed from another channel, user, tenant or plan decides nothing', async () => {
  const { teams, instance, ana, ben, card, plan } = await useCard();
  const elsewhere = teams.addChannel([ana, ben]);
  const other = await instance.service.propose(
    { title: 'Elsewhere', steps: [noop('a')] },
    { user: 'ana@example.com', conversation: 'conv-elsewhere' },
    { kind: 'person', id: 'ana@example.com', via: 'api' },
  );
  const press = () => teams.describePress(ana, card, 'Approve');
  const at = (id: string) => ({ ...press().conversation, id });
  const from = { id: ben.id, aadObjectId: ben.aadObjectId, name: 'ana' };
  const { version, digest } = other;
  const forged = { action: 'approve', plan_id: other.id, version, digest };
  const replays: [object, string][] = [
    [{ ...press(), conversation: at(elsewhere.id) }, 'another conversation'],
    [{ ...press(), conversation: at(`${card.conversation}9`) }, 'another conversation'],
    [{ ...press(), from }, 'Only ana can'],
    [{ ...press(), value: { action: { verb: 'approve', data: forged } } }, 'another conversation'],
  ];
  for (const [activity, why] of replays) expect(words(await teams.send(activity))).toContain(why);
  const foreign = { ...press(), channelData: { tenant: { id: 'another-tenant' } } };
  expect((await teams.send(foreign)).status).toBe(403);
  // Taken from Teams' object ID, not from the claim.
  const claimed = { ...press(), from: { ...from, aadObjectId: ana.aadObjectId } };
  await teams.send(claimed);
  expect((await instance.service.getPlan(plan.id)).status).toBe('proposed');
  expect((await instance.service.getPlan(other.id)).status).toBe('proposed');
  await teams.send(press());
  await reach(instance, plan.id, 'completed');
});

test('Details take the place of the card for the presser, and ticked steps alone are approved', async () => {
  const { teams, ana, ben, instance, plan, card } = await useCard();
  const stored = (await readInbox(instance)).length;
  const shown = await teams.press(ana, card, 'Details');
  expect(words(shown)).toContain('Approve the checked steps');
  expect(words(await teams.press(ben, card, 'Details'))).not.toContain('Approve the checked steps');
  expect(await readInbox(instance)).toHaveLength(stored);
  const { version, digest } = plan;
  const data = { action: 'approve', plan_id: plan.id, version, digest };
  const tick = (first: string) =>
    teams.invoke(ana, card, 'approve_part', { ...data, 'part:0': first, 'part:1': 'false' });
  expect(words(await tick('false'))).toContain('Select at least one step.');
  await tick('true');
  const done = await reach(instance, plan.id, 'completed');
  expect(done.counts).toMatchObject({ succeeded: 1 });
});

test('a long plan is paged through in the place of its card', async () => {
  const { teams, ana, instance, card, conversation } = await useCard();
  const steps = Array.from({ length: 40 }, (_, i) => noop(`s${i}`));
  const [channel = '', thread = null] = conversation.split(';messageid=');
  const { conversationAt } = await import('#domain/chat/chat.ts');
  const at = { platform: 'teams' as const, tenant: teams.tenant, channel, thread };
  const { id, version, digest } = await instance.service.propose(
    { title: 'Forty', steps },
    { user: 'ana@example.com', conversation: conversationAt(at) },
    { kind: 'person', id: 'ana@example.com', via: 'api' },
  );
  const data = { action: 'details', plan_id: id, version, digest };
  const turn = (answer: Answer, title: string) => {
    const { data: next } = findButton(answer.body, title) ?? {};
    return teams.invoke(ana, card, 'details', next ?? {});
  };
  const first = await teams.invoke(ana, card, 'details', data);
  expect(words(first)).toContain('Do nothing (s0)');
  expect(words(first)).not.toContain('Previous page');
  const second = await turn(first, 'Next page');
  const third = await turn(second, 'Next page');
  expect(words(third)).toContain('Do nothing (s39)');
  expect(words(third)).not.toContain('Next page');
  expect(words(await turn(third, 'Previous page'))).toBe(words(second));
});

test('those who may decide see their own card when it asks for itself, up to sixty readers', async () => {
  const { teams, ana, ben, card } = await useCard({ members: 60 });
  const { refresh } = cardOf(card);
  expect(refresh?.userIds).toHaveLength(60);
  const ask = (by: Person) =>
    teams.invoke(by, card, refresh?.action.verb ?? '', refresh?.action.data ?? {});
  const [own, others] = [words(await ask(ana)), words(await ask(ben))];
  expect(own).toContain('Waiting for you');
  expect(own).toContain('"approve"');
  expect(others).toContain('Waiting for ana');
  expect(others).not.toContain('"approve"');
});

test('of more than sixty readers those whom it waits for are named first, wherever they stand among them', async () => {
  const { teams, ana, ben, card, channel, instance } = await useCard({ members: 130 });
  expect(cardOf(card).refresh?.userIds).toHaveLength(60);
  expect(cardOf(card).refresh?.userIds?.[0]).toBe(ana.id);
  const last = channel.members.findLast(({ name }) => name.startsWith('other'));
  if (last === undefined) throw new Error('There is nobody else.');
  expect(cardOf(card).refresh?.userIds).not.toContain(last.id);
  // A plan of the last one, asked for under another account.
  const elsewhere = person('slack:T1:U9', 'slack');
  const given = await instance.service.link(readLinkCommand(''), elsewhere);
  if (given.kind !== 'code') throw new Error('No code was given.');
  await instance.service.link(readLinkCommand(given.code), person(last.email, 'teams'));
  const post = await teams.say(last, channel, 'do nothing, thrice');
  const theirs = await awaitMessage(teams, post.conversation, '"approve"');
  expect(cardOf(theirs).refresh?.userIds).toHaveLength(60);
  expect(cardOf(theirs).refresh?.userIds?.[0]).toBe(last.id);
  expect(cardOf(theirs).refresh?.userIds).toContain(ben.id);
});

test('a card that asks for itself elsewhere shows nothing', async () => {
  const { teams, ana, card } = await useCard();
  const elsewhere = teams.addChannel([ana]);
  const { action } = cardOf(card).refresh ?? {};
  const invoke = teams.describeInvoke(ana, card, 'refresh', action?.data ?? {});
  const conversation = { ...invoke.conversation, id: elsewhere.id };
  const answer = await teams.send({ ...invoke, conversation });
  expect(words(answer)).toContain('another conversation');
  expect(words(answer)).not.toContain('Two of nothing');
});

test('plans begins with what waits for the asker, however much came since, and goes on page by page', async () => {
  const { teams, instance } = await useCard();
  const ada = teams.addPerson('ada');
  const propose = (title: string, by: string) =>
    instance.service.propose({ title, steps: [noop('a')] }, { user: by }, person(by, 'api'));
  const old = await propose('Asked long ago', 'ada@example.com');
  for (let i = 0; i < 25; i++) await propose(`Of zed ${i}`, 'zed@example.com');
  const chat = teams.addPersonal(ada);
  await teams.say(ada, chat, 'plans');
  const list = JSON.stringify(await awaitMessage(teams, chat.id, 'plans others'));
  expect(list.indexOf(old.id)).toBeGreaterThan(0);
  expect(list.indexOf(old.id)).toBeLessThan(list.indexOf('Of zed 24'));
  expect(list).toContain(`${old.id} · ◷ needs your approval`);
  expect(list).toContain('more: plans others');
  await teams.say(ada, chat, 'plans others 2');
  const second = await awaitMessage(teams, chat.id, 'Waiting on others, page 2');
  expect(JSON.stringify(second)).toContain('Of zed 0');
  const details = await teams.press(ada, second, 'Details');
  expect(words(details)).toContain('Do nothing (a)');
  const back = await teams.invoke(ada, second, 'list', { list: 'others 2' });
  expect(words(back)).toContain('page 2');
  await teams.say(ada, chat, 'plans find ago');
  const found = await awaitMessage(teams, chat.id, 'Plans with');
  expect(JSON.stringify(found)).toContain(old.id);
  const again = await teams.invoke(ada, found, 'list', { list: 'find ago' });
  expect(words(again)).toContain('Asked long ago');
});

test('plans, help and settings answer where they are asked; a sentence that begins so is talk', async () => {
  const { teams, ana, ben, card, conversation, channel, instance } = await useCard();
  const root = conversation.split(';messageid=')[1] ?? '';
  await teams.say(ben, channel, 'plans', { root });
  const list = await awaitMessage(teams, conversation, 'Plans, for ben');
  const listed = await teams.press(ben, list, 'Details');
  expect(words(listed)).toContain('Do nothing (a)');
  expect(words(listed)).not.toContain('Approve the checked steps');
  const back = await teams.invoke(ben, list, 'list', { list: 'inbox' });
  expect(words(back)).toContain('Plans');
  const chat = teams.addPersonal(ana);
  for (const [input, reply] of [
    ['plans mine', 'Your plans'],
    ['plans stats', ' waiting'],
    [`plans ${planOf(card)}`, 'Two of nothing'],
    ['/plans nonsense', 'Unknown command: “plans nonsense”'],
    ['help', 'plans that need you, run'],
  ] as const) {
    await teams.say(ana, chat, input);
    await awaitMessage(teams, chat.id, reply);
  }
  await teams.say(ana, chat, 'settings');
  const settings = await awaitMessage(teams, chat.id, 'Preferences');
  const saved = await teams.press(ana, settings, 'Save', {
    'slider:tone': 'friendly',
    'slider:probing_depth': '1',
    'slider:calendar': 'https://calendar.example.com/private-1/basic.ics',
  });
  expect(words(saved)).toContain('Saved.');
  expect(words(saved)).not.toContain('private-1');
  await waitFor('the press', async () =>
    (await readInbox(instance)).every(({ state }) => state === 'handled'),
  );
  expect(JSON.stringify(await readInbox(instance))).not.toContain('private-1');
  expect(await instance.service.getPolicy('ana@example.com')).toMatchObject({
    set: { tone: 'friendly', probing_depth: 1 },
    calendar: 'calendar.example.com',
  });
  await teams.say(ana, chat, 'plans for tomorrow: do nothing, twice');
  await awaitMessage(teams, chat.id, '"approve"');
});

test('what is read by others too says whose list it is, and for whom its plans wait', async () => {
  const { teams, ana, channel, conversation, plan, instance } = await useCard();
  const root = conversation.split(';messageid=')[1] ?? '';
  // Ends other tests' plans.
  await instance.db.query.execute(sql`
    update countersign.plans set status = 'completed' where id <> ${plan.id}`);
  await teams.say(ana, channel, 'plans', { root });
  const list = JSON.stringify(await awaitMessage(teams, conversation, 'Plans, for ana'));
  expect(list).toContain(`${plan.id} · ◷ needs ana: approval`);
  expect(list).not.toContain('needs your');
  await teams.say(ana, channel, 'plans mine', { root });
  await awaitMessage(teams, conversation, 'Plans of ana');
  const chat = teams.addPersonal(ana);
  await teams.say(ana, chat, 'plans');
  const own = JSON.stringify(await awaitMessage(teams, chat.id, 'Needs you'));
  expect(own).toContain(`${plan.id} · ◷ needs your approval`);
  expect(own).not.toContain('for ana');
});

test('a plan is exported to whoever asks alone, as text that is nothing else, or with where all of it is', async () => {
  const { teams, instance, ana, channel, conversation, plan } = await useCard();
  const root = conversation.split(';messageid=')[1] ?? '';
  await teams.say(ana, channel, `plans ${plan.id} export`, { root });
  const chat = teams.addPersonal(ana);
  const { activity } = await awaitMessage(teams, chat.id, 'as Markdown');
  const { text = '', textFormat } = activity as { text?: string; textFormat?: string };
  expect(textFormat).toBe('plain');
  const [title, , ...record] = text.split('\n');
  expect(title).toBe(`${plan.id}: as Markdown`);
  let markdown = '';
  for await (const chunk of instance.service.exportMarkdown(plan.id)) markdown += chunk;
  expect(record.join('\n')).toBe(markdown);
  expect(findMessage(teams, conversation, 'as Markdown')).toBeNull();
  await teams.say(ana, chat, `plans ${plan.id} log`);
  await awaitMessage(teams, chat.id, `${plan.id} hasn't run yet.`);
  await teams.say(ana, chat, `plans ${plan.id.toUpperCase()} TRACE`);
  await awaitMessage(teams, chat.id, 'its planning trace');
  await teams.say(ana, chat, 'plans PLAN-00000000 export');
  await awaitMessage(teams, chat.id, 'There is no plan PLAN-00000000');
  const description = 'A step that takes many words to say. '.repeat(60);
  const steps = Array.from({ length: 20 }, (_, i) => ({ ...noop(`s${i}`), description }));
  const large = await instance.service.propose(
    { title: 'Large', steps },
    {},
    person(ana.email, 'api'),
  );
  await teams.say(ana, chat, `plans ${large.id} export`);
  await awaitMessage(teams, chat.id, `${large.id} is too large for a message`);
});

test('a code that links two accounts is told to the one who asked for it, in their own chat', async () => {
  const { teams, ana, channel, conversation } = await useCard();
  const { root } = await teams.say(ana, channel, 'plans link', {
    root: conversation.split(';messageid=')[1] ?? '',
  });
  const chat = teams.addPersonal(ana);
  await awaitMessage(teams, chat.id, 'link');
  expect(findMessage(teams, `${channel.id};messageid=${root}`, 'plans link')).toBeNull();
});

test('a client without Action.Execute decides too, and is told in a chat why not', async () => {
  const { teams, ana, ben, instance, plan, card, channel, conversation } = await useCard();
  const root = conversation.split(';messageid=')[1] ?? '';
  const value = teams.describePress(ana, card, 'Approve').value.action.data;
  const submit = (person: Person) => ({
    ...teams.describe(person, channel, root),
    type: 'message',
    replyToId: card.id,
    value,
  });
  await teams.send(submit(ben));
  await awaitMessage(teams, teams.addPersonal(ben).id, 'Only ana can');
  expect(await instance.service.getPlan(plan.id)).toMatchObject({
    status: 'proposed',
    approvals: [],
  });
  await teams.send(submit(ana));
  await reach(instance, plan.id, 'completed');
});
