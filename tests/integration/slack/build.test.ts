// The builder in Slack, from the shortcut to the card.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { person as personIn } from '#domain/people/actor.ts';
import type { StoredView, User } from '../../fixtures/slack/types.ts';
import { useDatabase } from '../../setup/database.ts';
import { waitFor } from '../../wait.ts';
import { approve, askFor, type Desk, openWindow, seeCard, told, useDesk } from './desk.ts';

const database = useDatabase();

const written = (view: { blocks: unknown } | undefined) => JSON.stringify(view?.blocks ?? []);

const see = ({ slack }: Desk, user: User, part: string): Promise<StoredView> =>
  waitFor(`a window with ${part}`, async () => {
    const view = slack.views(user.id).at(-1);
    return view !== undefined && written(view).includes(part) && view;
  });

async function choose(desk: Desk, user: User, words: string, name: string): Promise<StoredView> {
  const { slack } = desk;
  const root = await see(desk, user, 'countersign:build:operation');
  const offered = await slack.suggest(user.id, root, 'countersign:build:operation', words);
  const found = offered.find(({ value }) => value === name);
  if (found === undefined) throw new Error(`${name} is not among ${JSON.stringify(offered)}`);
  await slack.press(user.id, root, 'countersign:build:operation', { pick: found.entry });
  return see(desk, user, `${name} · `);
}

async function pickFile(
  { slack }: Desk,
  user: User,
  view: StoredView,
  block: string,
  path: string,
) {
  const offered = await slack.suggest(user.id, view, `${block}/value`, path);
  const found = offered.find(({ value }) => value === path);
  if (found === undefined) throw new Error(`${path} is not among ${JSON.stringify(offered)}`);
  return { [`${block}/value`]: found.entry };
}

const field = (name: string) => `build:field:${name}`;

test('two steps are built from the shortcut, changed, proposed to direct messages and run', async () => {
  const desk = await useDesk(database);
  const { slack, ana, instance } = desk;
  await mkdir(join(instance.workspace, 'in'), { recursive: true });
  await writeFile(join(instance.workspace, 'in/source.md'), 'From the source');
  // The first call loads Slack's client; a trigger may expire meanwhile.
  await slack.command(ana.id, desk.channel, '/plans', 'help');
  await told(desk, ana);
  await slack.shortcut(ana.id, null, 'countersign:build');
  let form = await choose(desk, ana, 'read the text', 'workspace_read');
  const below = await waitFor('the open step to be offered', async () =>
    slack.views(ana.id).find((view) => written(view).includes('countersign:build:resume')),
  );
  await slack.close(ana.id, form);
  await slack.press(ana.id, below, 'countersign:build:resume');
  form = await see(desk, ana, 'workspace_read · ');
  await slack.submit(ana.id, form, await pickFile(desk, ana, form, field('/path'), 'in/source.md'));
  await see(desk, ana, 'Reads in/source.md');
  form = await choose(desk, ana, 'write a file', 'workspace_write');
  expect(written(form)).toContain('{{1/text}}');
  await slack.submit(ana.id, form, {
    ...(await pickFile(desk, ana, form, field('/path'), 'new.md')),
    [`${field('/content')}/value`]: 'Copied: {{1/text}}',
  });
  let root = await see(desk, ana, 'Creates new.md');
  expect(written(root)).toContain('after 1');
  await slack.press(ana.id, root, 'build:step:2/countersign:build:step', { pick: 'edit 2' });
  form = await see(desk, ana, 'workspace_write · ');
  await slack.submit(ana.id, form, await pickFile(desk, ana, form, field('/path'), 'copy.md'));
  root = await see(desk, ana, 'Creates copy.md');
  await slack.press(ana.id, root, 'build:step:1/countersign:build:step', { pick: 'remove 1' });
  root = await waitFor('one step', async () => {
    const view = slack.views(ana.id).at(-1);
    return view !== undefined && !written(view).includes('in/source.md') && view;
  });
  await slack.press(ana.id, root, 'countersign:build:undo');
  root = await see(desk, ana, 'Reads in/source.md');
  const { delivery } = await slack.submit(ana.id, root, {
    'build:title/value': 'Copy the source',
  });
  await slack.replay(delivery.signal);
  expect(slack.views(ana.id)).toEqual([]);
  const direct = slack.direct(ana.id).id;
  const card = await waitFor('the card', async () =>
    slack.messages(direct).find((message) => JSON.stringify(message.blocks).includes('Approve')),
  );
  expect(JSON.stringify(card.blocks)).toContain('Copy the source');
  await approve(desk, ana, card);
  await waitFor('the copy', () =>
    readFile(join(instance.workspace, 'copy.md'), 'utf8').catch(() => false),
  );
  expect(await readFile(join(instance.workspace, 'copy.md'), 'utf8')).toBe(
    'Copied: From the source',
  );
  await slack.settle();
  const plans = slack
    .messages(direct)
    .filter((message) => JSON.stringify(message.blocks).includes('countersign:approve'));
  expect(plans.length).toBeLessThanOrEqual(1);
});

test('begun on a message, it asks a person of Slack, and its card is in the message’s thread', async () => {
  const desk = await useDesk(database);
  const { slack, ana, ben, channel } = desk;
  const { message } = await slack.say(ben.id, channel, 'Can we ship?');
  await slack.shortcut(ana.id, message, 'countersign:build_here');
  const form = await choose(desk, ana, 'ask a person yes or no', 'human_confirm');
  await slack.submit(ana.id, form, {
    [`${field('/question')}/value`]: 'Fine?',
    [`${field('/assignee')}/value`]: ben.id,
  });
  const root = await see(desk, ana, 'Fine?');
  await slack.press(ana.id, root, 'build:step:1/countersign:build:step', { pick: 'edit 1' });
  const again = await see(desk, ana, 'human_confirm · ');
  expect(written(again)).toContain(`"initial_user":"${ben.id}"`);
  await slack.submit(ana.id, again, {});
  const ready = await see(desk, ana, 'build:title');
  await slack.submit(ana.id, ready, {});
  const card = await seeCard(desk, message.ts);
  const id = /PLAN-[0-9a-f]{8}/.exec(JSON.stringify(card.blocks))?.[0] ?? '';
  const { steps } = await desk.instance.service.listSteps(id, { limit: 5 });
  expect(steps[0]?.args.assignee).toBe('ben@example.com');
});

test('a window of somebody else changes and proposes nothing', async () => {
  const desk = await useDesk(database);
  const { slack, ana, ben } = desk;
  await slack.shortcut(ben.id, null, 'countersign:build');
  const form = await choose(desk, ben, 'wait', 'control_wait');
  const { delivery } = await slack.submit(ben.id, form, { [`${field('/seconds')}/value`]: '5' });
  await see(desk, ben, 'Waits');
  const count = async () => (await desk.instance.service.listPlans({ limit: 50 })).plans.length;
  const before = await count();
  await slack.replay(delivery.signal, (payload) => {
    Object.assign(payload, { user: { id: ana.id, team_id: slack.workspace.id } });
  });
  await slack.settle();
  expect(await count()).toBe(before);
});

test('a playbook is found, filled in and proposed', async () => {
  const desk = await useDesk(database);
  const { slack, ana } = desk;
  await slack.shortcut(ana.id, null, 'countersign:build');
  const form = await choose(desk, ana, 'playbook', 'playbook two-files');
  await slack.submit(ana.id, form, { [`${field('/first')}/value`]: 'Plums' });
  const root = await see(desk, ana, 'Creates b.txt');
  await slack.submit(ana.id, root, {});
  const card = await waitFor('the card', async () =>
    slack
      .messages(slack.direct(ana.id).id)
      .find((message) => JSON.stringify(message.blocks).includes('Write two files')),
  );
  const id = /PLAN-[0-9a-f]{8}/.exec(JSON.stringify(card.blocks))?.[0] ?? '';
  const { steps } = await desk.instance.service.listSteps(id, { limit: 5 });
  expect(steps.map(({ args }) => args.content)).toEqual(['Plums', 'Pears', undefined]);
});

test('a step of a waiting plan is edited from its review: the next version, with its diff on the card', async () => {
  const desk = await useDesk(database);
  const { slack, ana, ben, instance } = desk;
  const { service } = instance;
  const text = `write "Plums" to a.md, then write "Pears" to b.md, then ask ana@example.com "Fine?"`;
  const { card, plan, root } = await askFor(desk, text, 'countersign:details');
  const steps = async () => (await service.listSteps(plan.id, { limit: 5 })).steps;
  const edit = async (review: StoredView, at: number) => {
    await slack.press(ana.id, review, `countersign:edit:${at}`);
    return see(desk, ana, at === 2 ? 'human_' : 'workspace_write · ');
  };
  const review = await openWindow(desk, ana, card, 'countersign:details');
  const form = await edit(review, 1);
  expect(written(form)).toContain('"initial_value":"Pears"');
  await slack.submit(ana.id, form, {});
  expect(written(slack.views(ana.id).at(-1))).toContain('Nothing has changed yet.');
  await slack.submit(ana.id, form, {
    [`${field('/content')}/value`]: 'Quinces',
    'build:at/value': '2050-01-02 09:00',
    'build:waits/value': [],
  });
  const next = await see(desk, ana, 'Quinces');
  expect((await service.getPlan(plan.id)).version).toBe(2);
  const [first, second] = await steps();
  expect(second).toMatchObject({ args: { path: 'b.md', content: 'Quinces' }, after: [] });
  expect(second?.not_before).toBe('2050-01-02T08:00:00.000Z');
  expect(first?.args).toEqual({ path: 'a.md', content: 'Plums' });
  const person = await edit(next, 2);
  expect(written(person)).toContain(`"initial_user":"${ana.id}"`);
  await slack.submit(ana.id, person, { [`${field('/assignee')}/value`]: ben.id });
  await waitFor('the third version', async () => (await service.getPlan(plan.id)).version === 3);
  expect((await steps()).some(({ args }) => args.assignee === 'ben@example.com')).toBe(true);
  const third = await seeCard(desk, root, 'Changed since version 2');
  const late = await edit(await openWindow(desk, ana, third, 'countersign:details'), 0);
  const { version } = await service.getPlan(plan.id);
  await service.goBack(plan.id, { version, to: 1 }, personIn('ana@example.com', 'slack'));
  await slack.submit(ana.id, late, { [`${field('/content')}/value`]: 'Medlars' });
  const refused = written(slack.views(ana.id).at(-1));
  expect(refused).toContain('The plan has changed');
  expect(refused).toContain('"initial_value":"Medlars"');
});
