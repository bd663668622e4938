// Names that people gave themselves in Slack, wherever the instance shows them there: as text, and nobody is pinged.
import { expect, test } from 'vitest';
import { useDatabase } from '../../setup/database.ts';
import { noop, reach, scriptedPlanner } from '../../setup/instance.ts';
import { waitFor } from '../../wait.ts';
import { askFor, lookAgain, told, useDesk } from './desk.ts';

const database = useDatabase();
const planner = scriptedPlanner(() => ({
  kind: 'proposal',
  draft: { title: 'Nothing', steps: [noop('a')] },
}));

test('a name that is markup is shown as it is written, on cards, in lists and in what is said, and pings nobody', async () => {
  const desk = await useDesk(database, { planner });
  const { slack, instance, channel } = desk;
  const name = '<!channel> *Ana* <b|c>';
  const ana = slack.addUser({ name, email: 'mallory@example.com' });
  await slack.join(ana.id, channel);
  const { plan, card } = await askFor({ ...desk, ana }, 'do nothing');
  await slack.press(desk.ben.id, card, 'countersign:approve');
  expect((await told(desk, desk.ben))[0]).toContain('Only &lt;!channel&gt; *Ana*');
  await slack.press(ana.id, card, 'countersign:approve');
  await reach(instance, plan.id, 'completed');
  const now = await waitFor('the card to be over', async () => {
    const drawn = JSON.stringify(lookAgain(desk, card).blocks);
    return drawn.includes('Approved by') && drawn;
  });
  expect(now).toContain(`Approved by ${name}`);
  await slack.command(desk.ben.id, channel, '/plans', 'all');
  const list = await waitFor('the list', async () =>
    slack.ephemerals(desk.ben.id).find(({ blocks }) => JSON.stringify(blocks).includes(plan.id)),
  );
  expect(JSON.stringify(list.blocks)).toContain(name);
  const posted = slack.messages(channel).filter(({ bot_id }) => bot_id !== undefined);
  expect(posted.flatMap(({ pings }) => pings)).toEqual([]);
  expect(
    slack
      .ephemerals(desk.ben.id)
      .map(({ text }) => text)
      .join(),
  ).not.toMatch(/[<>]/);
});
