// Many concurrent thread reads within Slack's low limits.
import { expect, test } from 'vitest';
import { createAsk } from '#adapters/slack/calls/hold.ts';
import { nameMessage, placeOf } from '#adapters/slack/people/people.ts';
import { createReadThread } from '#adapters/slack/talk/read-thread.ts';
import { systemClock } from '#domain/clock.ts';
import { createLimits } from '../../fixtures/rate-limits.ts';
import { clientOf, useSlack } from '../../fixtures/slack-client.ts';

test.each([
  { unlisted: true, messages: 40, read: 1, refused: 1 },
  { unlisted: false, messages: 40, read: 40, refused: 0 },
  { unlisted: false, messages: 5, read: 40, refused: 0 },
])(
  'of 40 threads of $messages messages, $read are read with $refused calls refused',
  async ({ unlisted, messages, ...expected }) => {
    const slack = await useSlack({ limits: 'real', app: { unlisted } });
    const ana = slack.addUser({ name: 'ana' }).id;
    const channel = slack.addChannel({ name: 'release', members: [ana] }).id;
    const client = clientOf(slack);
    const read = createReadThread({
      clientOf: async () => client,
      ask: createAsk(createLimits()),
      people: { describe: async (_, name) => ({ account: name, name }) },
      clock: systemClock,
    });
    const team = slack.workspace.id;
    const threads = Array.from({ length: 40 }, () => {
      const { ts: thread_ts } = slack.wrote(ana, channel, 'Thread');
      for (let n = 1; n < messages; n++) slack.wrote(ana, channel, `Point ${n}`, { thread_ts });
      return { thread_ts, asked: slack.wrote(ana, channel, 'plan this', { thread_ts }).ts };
    });
    const all = await Promise.allSettled(
      threads.map(({ thread_ts, asked }) =>
        read(
          placeOf(team, channel, thread_ts),
          nameMessage(team, channel, asked),
          AbortSignal.timeout(30_000),
        ),
      ),
    );
    const failures = all.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
    for (const reason of failures) expect(reason.message).toContain('Slack limits how often');
    const refused = slack.calls.filter(
      ({ answer }) => answer !== 'none' && answer.status === 429,
    ).length;
    expect({ read: all.length - failures.length, refused }).toEqual(expected);
  },
);
