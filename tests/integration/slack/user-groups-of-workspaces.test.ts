// User groups decide only on plans of their own workspace.
import { expect, test } from 'vitest';
import { type Actor, person } from '#domain/people/actor.ts';
import type { Plan } from '#domain/plan/plan.ts';
import { useDatabase } from '../../setup/database.ts';
import { noop } from '../../setup/instance.ts';
import { planOf, useInstallInstance, useWorkspace } from './install-instance.ts';

const database = useDatabase();

test('a group of one workspace approves its plans and no other’s, by its id and by its handle', async () => {
  const use = await useInstallInstance(database, {
    settings: { guardedApprovers: { control_noop: { kind: 'named', people: ['group:@finance'] } } },
  });
  const { slack, instance } = use;
  const places = [await useWorkspace(use, 'Globex'), await useWorkspace(use, 'Initech')] as const;
  const [globex, initech] = places.map((place) => {
    const { workspace, user } = place;
    const { id } = slack.addUserGroup({ handle: 'finance', users: [user.id], team: workspace.id });
    const name = `slack:${workspace.id}:${user.id}`;
    const tenant = `slack:${workspace.id}`;
    const actor: Actor = { ...person(name, 'slack'), tenant };
    return { plan: planOf(place.card), actor, tenant, group: `group:${tenant}:${id}` };
  });
  if (globex === undefined || initech === undefined) throw new Error('Two were made.');
  const decide = ({ id, version, digest }: Plan, actor: Actor) =>
    instance.service.approve(id, { version, digest }, actor);
  const read = (id: string) => instance.service.getPlan(id);
  // The requester satisfies the plan's rule, not the operation's.
  await expect(decide(await read(initech.plan), globex.actor)).rejects.toMatchObject({
    code: 'not_allowed',
  });
  expect((await decide(await read(initech.plan), initech.actor)).status).toBe('approved');
  const propose = (people: string[], actor: Actor) =>
    instance.service.propose(
      { title: 'Theirs', steps: [noop('a')], approvers: { kind: 'named', people } },
      {},
      actor,
    );
  await expect(propose([globex.group], initech.actor)).rejects.toThrow(
    `${globex.group} is a user group of another Slack workspace.`,
  );
  const plan = await propose(['@finance'], globex.actor);
  expect(plan.approver_policy).toMatchObject({ people: [globex.group] });
  await expect(decide(plan, initech.actor)).rejects.toMatchObject({ code: 'not_allowed' });
  expect((await decide(plan, globex.actor)).status).toBe('approved');
  // A handle is ambiguous here, an ID is not.
  const operator = person('ops', 'api');
  expect((await propose(['@finance'], operator)).approver_policy).toMatchObject({
    people: ['@finance'],
  });
  await expect(propose(['group:@finance'], operator)).rejects.toThrow(
    'name a user group by its id',
  );
  expect((await propose([globex.group], operator)).approver_policy).toMatchObject({
    people: [globex.group],
  });
});
