// Blocked people in Slack can do and see nothing.
import { expect, test } from 'vitest';
import { useDatabase } from '../../setup/database.ts';
import { noop, scriptedPlanner } from '../../setup/instance.ts';
import { waitFor } from '../../wait.ts';
import { askFor, openWindow, useDesk } from './desk.ts';

const database = useDatabase();
const planner = scriptedPlanner(() => ({
  kind: 'proposal',
  draft: { title: 'Two of nothing', steps: [noop('a')] },
}));

test('messages, words, presses, forms, commands, settings and windows of somebody who is blocked', async () => {
  const desk = await useDesk(database, { planner, own: true });
  const { slack, instance, ben, channel } = desk;
  const { card, plan, root } = await askFor(desk, 'do it');
  const view = await openWindow(desk, ben, card, 'countersign:reject');
  await slack.openHome(ben.id);
  await waitFor('a Home', () => slack.home(ben.id) !== undefined);
  instance.config.settings.identity.blocked.push('Ben@Example.com');
  const toldTimes = () =>
    [...slack.ephemerals(ben.id), ...slack.messages(slack.direct(ben.id).id)].filter(({ text }) =>
      text.includes('blocked'),
    ).length;
  let times = 0;
  const expectNotified = async () => {
    times += 1;
    await waitFor(`Ben to be told ${times} times`, () => toldTimes() >= times);
  };
  await slack.mention(ben.id, channel, 'do something else');
  await expectNotified();
  await slack.say(ben.id, channel, 'approve', { thread_ts: root });
  await expectNotified();
  await slack.press(ben.id, card, 'countersign:approve');
  await expectNotified();
  await slack.submit(ben.id, view, { value: 'no' });
  await expectNotified();
  const home = slack.home(ben.id);
  if (home === undefined) throw new Error('There is no Home.');
  await slack.press(ben.id, home, 'countersign:policy:tone', { pick: 'friendly' });
  await expectNotified();
  await slack.openHome(ben.id);
  await waitFor('an empty Home', () =>
    JSON.stringify(slack.home(ben.id)?.blocks ?? []).includes('blocked'),
  );
  const details = await openWindow(desk, ben, card, 'countersign:details');
  expect(JSON.stringify(details)).toContain('blocked');
  const { status, approvals } = await instance.service.getPlan(plan.id);
  expect({ status, approvals }).toEqual({ status: 'proposed', approvals: [] });
  const { plans } = await instance.service.listPlans({ limit: 10 });
  expect(plans).toHaveLength(1);
});
