// A whole house that Slack's double reaches over HTTP, with signatures.
import { Writable } from 'node:stream';
import pino from 'pino';
import { onTestFinished } from 'vitest';
import type { Planner } from '#contracts/run.ts';
import { type SlackDouble, type SlackOptions, startSlack } from '#tests/fixtures/slack/double.ts';
import { openTestHouse, type TestHouse } from '#tests/setup/house.ts';
import { waitFor } from '#tests/wait.ts';
import { serve } from '../../../src/serve.ts';

export type SlackHouse = { slack: SlackDouble; house: TestHouse; lines: string[] };

/** A double, and a house it calls; both end with the test. */
export async function useSlackHouse(
  url: string,
  options: {
    planner?: Planner;
    settings?: object;
    slack?: SlackOptions;
    work?: boolean;
    socket?: boolean;
  } = {},
): Promise<SlackHouse> {
  const slack = await startSlack(options.slack);
  onTestFinished(() => slack.end());
  const { planner, settings, work, socket = false } = options;
  const house = await openTestHouse(url, {
    env: {
      SLACK_API_URL: slack.apiUrl,
      SLACK_BOT_TOKEN: slack.token,
      ...(socket
        ? { SLACK_APP_TOKEN: slack.app.appToken }
        : { SLACK_SIGNING_SECRET: slack.app.signingSecret }),
      PORT: '0',
    },
    inboxRule: { backoffMs: 20, longestBackoffMs: 40, lateSeconds: 0 },
    ...(planner === undefined ? {} : { planner }),
    ...(settings === undefined ? {} : { settings }),
    ...(work === undefined ? {} : { work }),
  });
  const lines: string[] = [];
  const log = pino(
    new Writable({
      write(chunk, _encoding, done) {
        lines.push(String(chunk));
        done();
      },
    }),
  );
  const { app, port } = await serve(house, house.config, log);
  slack.connect(socket ? 'socket mode' : { url: `http://127.0.0.1:${port}/slack/events` });
  if (socket) await waitFor('a connection', () => slack.socket.connections() === 1);
  onTestFinished(async () => {
    await slack.settle();
    await app.close();
    await house.close();
  });
  return { slack, house, lines };
}
