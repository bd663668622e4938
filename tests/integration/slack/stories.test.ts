// Other products' reported failures, one per test.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { person } from '#domain/people/actor.ts';
import { stagedPlanner } from '../../fixtures/staged-planner.ts';
import { draftStep } from '../../fixtures/steps.ts';
import { useDatabase } from '../../setup/database.ts';
import { noop, reach, scriptedPlanner } from '../../setup/instance.ts';
import { waitFor } from '../../wait.ts';
import { settled } from '../inbox/bench.ts';
import { approve, askFor, type Desk, openWindow, seeCard, useDesk } from './desk.ts';

const database = useDatabase();
const planner = scriptedPlanner(({ text, revision }) => {
  if (text.startsWith('plan'))
    return {
      kind: 'proposal',
      draft: { title: `For “${text}”`, steps: [noop('a'), noop('b', 'a')] },
    };
  if (revision !== null)
    return { kind: 'proposal', draft: { title: 'Revised', steps: [noop('c')] } };
  return { kind: 'answer', text: `Heard: ${text}` };
});
const useStory = () => useDesk(database, { planner });

test('a reply reaches its own thread’s plan and no other', async () => {
  const desk = await useStory();
  const { slack, ana, channel, instance } = desk;
  const first = await askFor(desk, 'plan one');
  const second = await askFor(desk, 'plan two');
  const other = await slack.say(ana.id, channel, 'something else');
  await slack.say(ana.id, channel, 'approve', { thread_ts: other.message.ts });
  await slack.say(ana.id, channel, 'approve');
  await slack.say(ana.id, channel, 'approve', { thread_ts: second.root });
  await reach(instance, second.plan.id, 'completed');
  await settled(instance);
  expect((await instance.service.getPlan(first.plan.id)).status).toBe('proposed');
});

const failing = scriptedPlanner(() => ({
  kind: 'proposal',
  draft: {
    title: 'Read',
    steps: [draftStep('a', 'Read', 'workspace_read', { path: 'nowhere.md' })],
  },
}));

test('a failed step is edited and retried in a window, and the finished plan saved as a playbook', async () => {
  const desk = await useDesk(database, { planner: failing });
  const { slack, ana, instance } = desk;
  await writeFile(join(instance.workspace, 'there.md'), 'yes');
  const { card, plan, root } = await askFor(desk, 'plan to read');
  await approve(desk, ana, card);
  const failed = await seeCard(desk, root, 'countersign:retry_edited');
  const [edit = ''] = /countersign:retry_edited[^"]*/.exec(JSON.stringify(failed.blocks)) ?? [];
  const window = await openWindow(desk, ana, failed, edit);
  expect(JSON.stringify(window.blocks)).toContain('"value":"nowhere.md"');
  const there = await slack.suggest(ana.id, window, 'build:field:/path/value', 'there.md');
  await slack.submit(ana.id, window, { 'build:field:/path/value': there[0]?.entry ?? '' });
  const change = await waitFor('the change', async () => {
    const { patches } = await instance.service.listPatches(plan.id, { limit: 1 });
    return patches[0]?.status === 'needs_approval' && patches[0];
  });
  const { version, digest } = change;
  await instance.service.approve(plan.id, { version, digest }, person('ana@example.com', 'api'));
  await reach(instance, plan.id, 'completed');
  const done = await seeCard(desk, root, 'countersign:save_playbook');
  const save = await openWindow(desk, ana, done, 'countersign:save_playbook');
  await slack.submit(ana.id, save, { 'field:name/value': 'read-it' });
  await waitFor('the playbook', async () =>
    instance.service.getPlaybook('read-it', person('ana@example.com', 'api')).catch(() => null),
  );
});

test('changes to a stage are typed into a form that wants words', async () => {
  const staged = stagedPlanner(() => desk.instance.db.query);
  const desk: Desk = await useDesk(database, { planner: staged });
  const { slack, ana, channel } = desk;
  const changes = 'countersign:session_changes';
  const { message } = await slack.mention(ana.id, channel, 'Plan the launch');
  const view = await openWindow(desk, ana, await seeCard(desk, message.ts, changes), changes);
  await slack.submit(ana.id, view, { value: ' ' });
  expect(view.errors).toEqual({ text: 'Say what should change.' });
  const feedback = 'Test before the launch';
  await slack.submit(ana.id, view, { value: feedback });
  await waitFor('the wish', () =>
    staged.asked.some(
      ({ decision }) => decision.kind === 'changes' && decision.feedback === feedback,
    ),
  );
});
