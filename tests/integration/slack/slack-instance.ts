// A whole instance that Slack's double reaches over HTTP, with signatures.
import { Writable } from 'node:stream';
import pino from 'pino';
import { onTestFinished } from 'vitest';
import { serve } from '#app/serve.ts';
import type { Planner } from '#domain/planning/run.ts';
import { type SlackDouble, type SlackOptions, startSlack } from '../../fixtures/slack/double.ts';
import { openTestInstance, type TestInstance } from '../../setup/instance.ts';
import { waitFor } from '../../wait.ts';

export type SlackInstance = { slack: SlackDouble; instance: TestInstance; lines: string[] };

/** A double, and an instance it calls; both end with the test. */
export async function useSlackInstance(
  url: string,
  options: {
    planner?: Planner;
    settings?: object;
    slack?: SlackOptions;
    work?: boolean;
    socket?: boolean;
  } = {},
): Promise<SlackInstance> {
  const slack = await startSlack(options.slack);
  onTestFinished(() => slack.end());
  const { planner, settings, work, socket = false } = options;
  const instance = await openTestInstance(url, {
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
  const { app, port } = await serve(instance, instance.config, log);
  slack.connect(socket ? 'socket mode' : { url: `http://127.0.0.1:${port}/slack/events` });
  if (socket) await waitFor('a connection', () => slack.socket.connections() === 1);
  onTestFinished(async () => {
    await slack.settle();
    await app.close();
    await instance.close();
  });
  return { slack, instance, lines };
}
