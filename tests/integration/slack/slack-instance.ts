// An instance called by Slack's double over HTTP.
import { Writable } from 'node:stream';
import pino from 'pino';
import { serve } from '#app/serve.ts';
import type { Planner } from '#domain/planning/run.ts';
import { type SlackDouble, type SlackOptions, startSlack } from '../../fixtures/slack/double.ts';
import type { TestDatabase } from '../../setup/database.ts';
import { openTestInstance, type TestInstance } from '../../setup/instance.ts';
import { createSharing } from '../../setup/share.ts';
import { waitFor } from '../../wait.ts';

export type SlackInstance = { slack: SlackDouble; instance: TestInstance; lines: string[] };

export type SlackInstanceOptions = {
  planner?: Planner;
  settings?: object;
  env?: Record<string, string>;
  slack?: SlackOptions;
  work?: boolean;
  /** 0 finds unannounced events at once. */
  lateSeconds?: number;
  socket?: boolean;
  /** The console's public address. */
  console?: string;
  /** Not shared with other tests. */
  own?: boolean;
};

type Opened = SlackInstance & { close(): Promise<void> };

async function open(url: string, options: SlackInstanceOptions): Promise<Opened> {
  const { planner, settings, work, lateSeconds = 0, socket = false, console: address } = options;
  const slack = await startSlack(options.slack);
  const instance = await openTestInstance(url, {
    env: {
      SLACK_API_URL: slack.apiUrl,
      SLACK_BOT_TOKEN: slack.token,
      ...(socket
        ? { SLACK_APP_TOKEN: slack.app.appToken }
        : { SLACK_SIGNING_SECRET: slack.app.signingSecret }),
      PORT: '0',
      ...options.env,
    },
    inboxRule: { backoffMs: 20, longestBackoffMs: 40, lateSeconds },
    deliveryRule: { backoffMs: 20, longestBackoffMs: 40, paceMs: 100 },
    ...(address === undefined ? {} : { chatLinkTo: (id) => `${address}/?plan=${id}` }),
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
  let closing: Promise<void> | null = null;
  const end = async () => {
    await slack.settle();
    await app.close();
    await instance.close();
    await slack.end();
  };
  const close = () => {
    closing ??= end();
    return closing;
  };
  return { slack, instance, lines, close };
}

const share = createSharing(open, async ({ slack, lines }) => {
  await slack.settle();
  slack.forget();
  lines.length = 0;
});

/** The double is reset for each test. */
export const useSlackInstance = (
  database: TestDatabase,
  options: SlackInstanceOptions = {},
): Promise<SlackInstance> => share(database, options);
