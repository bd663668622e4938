// Slack user groups in approver rules: current members only.
import { sql } from 'drizzle-orm';
import { expect, onTestFinished, test } from 'vitest';
import { readCopyTime, readUserGroups, storeUserGroups } from '#db/people/user-groups.ts';
import { type Actor, person } from '#domain/people/actor.ts';
import type { ApproverPolicy, Plan, PlanDraft } from '#domain/plan/plan.ts';
import { usualScopes } from '../../fixtures/slack/app.ts';
import { useDatabase } from '../../setup/database.ts';
import { noop, reach, scriptedPlanner } from '../../setup/instance.ts';
import { waitFor } from '../../wait.ts';
import { settled } from '../inbox/bench.ts';
import { approve, askFor, type Desk, lookAgain, seeCard, told, useDesk } from './desk.ts';

const database = useDatabase();
const draft: PlanDraft = { title: 'Ship it', steps: [noop('a')] };
const planner = scriptedPlanner(() => ({ kind: 'proposal', draft }));
const settings = {
  guardedTools: ['control_noop'],
  guardedApprovers: { control_noop: { kind: 'named', people: ['group:@finance'] } },
};
const cleo = person('cleo@example.com', 'api');
const inSlack = (name: string): Actor => person(`${name}@example.com`, 'slack');

async function useFinance(options: Parameters<typeof useDesk>[1] = {}) {
  const desk = await useDesk(database, { planner, ...options });
  await desk.instance.db.query.execute(sql`truncate countersign.chat_groups`);
  const eve = desk.slack.addUser({ name: 'eve' });
  await desk.slack.join(eve.id, desk.channel);
  const finance = desk.slack.addUserGroup({ handle: 'finance', users: [desk.ben.id, eve.id] });
  onTestFinished(() => desk.slack.eraseUserGroup(finance.id));
  const propose = (people: string[], policy: Partial<ApproverPolicy> = {}): Promise<Plan> =>
    desk.instance.service.propose(
      { ...draft, approvers: { kind: 'named', people, ...policy } as ApproverPolicy },
      {},
      cleo,
    );
  const decide = ({ id, version, digest }: Plan, actor: Actor) =>
    desk.instance.service.approve(id, { version, digest }, actor);
  return { ...desk, eve, finance, propose, decide };
}

function silence({ slack }: Desk) {
  slack.fail('usergroups.list', { status: 503 }, 1000);
}

test('a group is named by its mention, its handle or its id, is shown by its handle, and its members approve', async () => {
  const { slack, finance, propose, decide, instance } = await useFinance();
  const id = `group:slack:${slack.workspace.id}:${finance.id}`;
  for (const written of [
    `<!subteam^${finance.id}|@finance>`,
    `<!subteam^${finance.id}>`,
    '@finance',
    'group:@Finance',
    id,
  ]) {
    const plan = await propose([written]);
    expect(plan.approver_policy).toEqual({ kind: 'named', people: [id] });
    const card = await instance.service.card(plan.id, { user: 'zoe', timezone: 'UTC' });
    expect(card.approvers).toBe('@finance');
    expect(card.names?.[id]).toBe('@finance');
    expect(card.may_approve).toBe(false);
    await expect(decide(plan, inSlack('ana'))).rejects.toThrow('Only @finance can approve this.');
    expect((await decide(plan, inSlack('ben'))).status).toBe('approved');
  }
  // Not a handle, so a person.
  const { approver_policy } = await propose(['@zoe']);
  expect(approver_policy).toMatchObject({ people: ['@zoe'] });
});

test('a card in a channel mentions the group once and tells its members nowhere else', async () => {
  const desk = await useFinance({ settings });
  const { slack, ben, eve, ana, finance } = desk;
  const { card, root } = await askFor(desk, 'ship it', `"usergroup_id":"${finance.id}"`);
  expect(card.pings).toEqual([`!subteam^${finance.id}`]);
  await approve(desk, ana, await seeCard(desk, root));
  await approve(desk, eve, await seeCard(desk, root));
  await waitFor('nobody to be asked any more', () => lookAgain(desk, card).pings.length === 0);
  for (const { id } of [ben, eve]) expect(slack.messages(slack.direct(id).id)).toEqual([]);
});

test('who left the group between the card and the press decides nothing, whether or not Slack said so', async () => {
  const desk = await useFinance({ settings });
  const { slack, ana, ben, eve, finance } = desk;
  const { root, plan } = await askFor(desk, 'ship it');
  await approve(desk, ana, await seeCard(desk, root));
  await slack.changeUserGroup(finance.id, { users: [eve.id], heard: false });
  await approve(desk, ben, await seeCard(desk, root));
  expect((await told(desk, ben)).join()).toContain('@finance');
  await approve(desk, eve, await seeCard(desk, root));
  await reach(desk.instance, plan.id, 'completed');
});

test('who joins the group has its plans in their inbox as soon as Slack says so', async () => {
  const { slack, ana, finance, propose, instance } = await useFinance();
  const plan = await propose(['@finance']);
  const waits = async (user: string) => {
    const { groups } = await instance.service.inbox({ user, limit: 20 });
    return groups.find(({ group }) => group === 'needs_you')?.plans.map(({ id }) => id) ?? [];
  };
  expect(await waits('ben@example.com')).toContain(plan.id);
  expect(await waits('ana@example.com')).not.toContain(plan.id);
  await slack.changeUserGroup(finance.id, { users: [ana.id] });
  await waitFor('ana to be asked', async () => (await waits('ana@example.com')).includes(plan.id));
  expect(await waits('ben@example.com')).not.toContain(plan.id);
});

test('while Slack does not answer a fresh copy counts, an old one does not, and nobody may decide by one that has changed', async () => {
  const desk = await useFinance();
  const { slack, finance, propose, decide, instance, eve } = desk;
  const age = (by: string) =>
    instance.db.query.execute(
      sql`update countersign.chat_groups set read_at = clock_timestamp() - ${by}::interval`,
    );
  const plans = await Promise.all([1, 2, 3].map(() => propose(['@finance'])));
  const [first, second, third] = plans as [Plan, Plan, Plan];
  silence(desk);
  await age('14 minutes');
  expect((await decide(first, inSlack('ben'))).status).toBe('approved');
  await age('16 minutes');
  const unread = 'Slack has not said who is in @finance now. Try again in a minute.';
  await expect(decide(second, inSlack('ben'))).rejects.toThrow(unread);
  slack.forget();
  expect((await decide(second, inSlack('ben'))).status).toBe('approved');
  silence(desk);
  await slack.changeUserGroup(finance.id, { users: [eve.id] });
  await waitFor('the change to be heard', async () => {
    const refused = await decide(third, inSlack('ben')).catch((error: Error) => error);
    return refused instanceof Error && refused.message.includes(unread);
  });
  slack.forget();
  // The event failed in silence; its retry reads the group.
  await settled(instance);
  await expect(decide(third, inSlack('ben'))).rejects.toThrow('Only @finance can approve this.');
  expect((await decide(third, inSlack('eve'))).status).toBe('approved');
});

test('a group that is empty, disabled or gone lets nobody approve, and says so', async () => {
  const { slack, ben, finance, propose, decide } = await useFinance();
  const plan = await propose(['@finance']);
  const id = `group:slack:${slack.workspace.id}:${finance.id}`;
  const refusal = () => expect(decide(plan, inSlack('ben'))).rejects;
  const refused = (name = id) => expect(propose([name])).rejects;
  await slack.changeUserGroup(finance.id, { users: [], heard: false });
  await refusal().toThrow('Nobody is in @finance in Slack.');
  await refused().toThrow('Nobody is in @finance in Slack. Name another group, or people.');
  await slack.changeUserGroup(finance.id, { users: [ben.id], disabled: true, heard: false });
  await refusal().toThrow('@finance is disabled in Slack.');
  await refused().toThrow('@finance is disabled in Slack. Name another group, or people.');
  await slack.changeUserGroup(finance.id, { disabled: false, handle: 'money', heard: false });
  const { status } = await decide(plan, inSlack('ben'));
  expect(status).toBe('approved');
  await refused('group:@finance').toThrow('no user group group:@finance');
  const later = await propose(['@money']);
  slack.eraseUserGroup(finance.id);
  await expect(decide(later, inSlack('ben'))).rejects.toThrow(
    '@money is no user group of this Slack workspace: it was deleted, renamed or never there.',
  );
});

test('a group too large to be read, and members who have left, let nobody approve', async () => {
  const { slack, ben, eve, finance, propose, decide } = await useFinance();
  const plan = await propose(['@finance']);
  const many = Array.from({ length: 201 }, (_, n) => slack.addUser({ name: `u${n}` }).id);
  await slack.changeUserGroup(finance.id, { users: [...many, ben.id], heard: false });
  await expect(decide(plan, inSlack('ben'))).rejects.toThrow('more than 200 members');
  await slack.changeUserGroup(finance.id, { users: [ben.id, eve.id], heard: false });
  eve.deleted = true;
  await expect(decide(await propose(['@finance']), inSlack('ben'))).resolves.toBeDefined();
});

test('by its handle in the configuration, whichever group has the handle now counts', async () => {
  const { slack, ana, finance, instance, decide } = await useFinance({
    settings: { approvers: ['group:@finance'] },
  });
  const propose = () => instance.service.propose(draft, {}, cleo);
  expect((await decide(await propose(), inSlack('ben'))).status).toBe('approved');
  await slack.changeUserGroup(finance.id, { handle: 'money', heard: false });
  const plan = await propose();
  await expect(decide(plan, inSlack('ben'))).rejects.toThrow('@finance is no user group');
  slack.addUserGroup({ handle: 'finance', users: [ana.id] });
  await expect(decide(plan, inSlack('ben'))).rejects.toMatchObject({ code: 'not_allowed' });
  expect((await decide(plan, inSlack('ana'))).status).toBe('approved');
});

test('a group that cannot be read does not open a rule to everybody', async () => {
  const desk = await useFinance({
    settings: { approvers: ['group:@finance'] },
    slack: { scopes: usualScopes.filter((scope) => scope !== 'usergroups:read') },
  });
  const plan = await desk.instance.service.propose(
    { ...draft, approvers: { kind: 'not_requester' } },
    {},
    { ...inSlack('cleo') },
  );
  for (const name of ['ana', 'ben'])
    await expect(desk.decide(plan, inSlack(name))).rejects.toThrow('the scope usergroups:read');
});

test('what was asked before a change is not kept after it', async () => {
  const { slack, finance, propose, instance } = await useFinance();
  await propose(['@finance']);
  const db = instance.db.query;
  const name = `slack:${slack.workspace.id}:${finance.id}`;
  const begun = await readCopyTime(db);
  await slack.changeUserGroup(finance.id, { users: [] });
  const read = async () => (await readUserGroups(db, [name])).get(name);
  await waitFor('the change', async () => (await read())?.accounts.length === 0);
  const late = { name, target: name, handle: '@finance', problem: null };
  await storeUserGroups(db, [{ ...late, accounts: ['ben@example.com'] }], begun);
  expect((await read())?.accounts).toEqual([]);
});
