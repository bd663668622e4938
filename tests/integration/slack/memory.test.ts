// Memory by words in Slack: what somebody keeps in a direct message is shown there, and in a channel only what the channel keeps.
import { expect, test } from 'vitest';
import { useDatabase } from '../../setup/database.ts';
import { waitFor } from '../../wait.ts';
import { useDesk } from './desk.ts';

const database = useDatabase();

test('what a person keeps in a direct message is listed there and not in a channel', async () => {
  const { slack, ana, channel } = await useDesk(database);
  const direct = slack.direct(ana.id).id;
  const answer = (where: string, part: string) =>
    waitFor(`an answer with ${part}`, async () =>
      slack.messages(where).find(({ text }) => text.includes(part)),
    );
  await slack.directMessage(ana.id, 'remember that my locker is 12');
  await answer(direct, "I'll remember “my locker is 12”");
  await slack.directMessage(ana.id, 'what do you remember?');
  await answer(direct, 'What I remember for you:');
  const { message } = await slack.mention(ana.id, channel, 'what do you remember?');
  const there = await waitFor('the answer in the channel', async () =>
    slack.replies(channel, message.ts).find(({ text }) => text.includes('Nothing yet')),
  );
  expect(there.text).toContain('for this channel');
  expect(JSON.stringify(slack.messages(channel))).not.toContain('locker');
});
