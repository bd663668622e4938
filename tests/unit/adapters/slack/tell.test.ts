import { expect, test } from 'vitest';
import { createSlackPort } from '#adapters/slack/port/slack-port.ts';
import { tellAlone } from '#adapters/slack/press/send.ts';
import { placeOf } from '#adapters/slack/signals/name-signal.ts';
import { systemClock } from '#domain/clock.ts';
import { createLimits } from '../../fixtures/rate-limits.ts';
import { clientOf, useSlack } from '../../fixtures/slack-client.ts';

test('the warning of somebody who cannot be told says nothing of what they are told', async () => {
  const slack = await useSlack();
  const ana = slack.addUser({ name: 'ana' });
  const channel = slack.addChannel({ name: 'release', members: [ana.id] }).id;
  const warnings: string[] = [];
  const warn = (message: string) => warnings.push(message);
  const clientOf_ = async () => clientOf(slack);
  slack.fail('chat.postEphemeral', { error: 'user_not_in_channel' });
  await tellAlone(
    {
      clientOf: clientOf_,
      port: createSlackPort({
        clientOf: clientOf_,
        clock: systemClock,
        limits: createLimits(),
        warn,
      }),
      respond: async () => false,
      warn,
    },
    { team: slack.workspace.id, user: ana.id, place: placeOf(slack.workspace.id, channel, null) },
    'It is already decided. You wrote: the password is swordfish',
  );
  expect(warnings).toEqual([expect.stringContaining('could not be shown')]);
  expect(warnings.join()).not.toContain('swordfish');
});
