// An instance for several Slack workspaces, and a browser installing it.
import { Writable } from 'node:stream';
import pino from 'pino';
import { onTestFinished } from 'vitest';
import { logOptions } from '#app/logging.ts';
import { serve } from '#app/serve.ts';
import type { Planner } from '#domain/planning/run.ts';
import { add } from '../../fixtures/slack/browser.ts';
import { type SlackDouble, type SlackOptions, startSlack } from '../../fixtures/slack/double.ts';
import type { SlackMessage, User, Workspace } from '../../fixtures/slack/types.ts';
import type { TestDatabase } from '../../setup/database.ts';
import {
  noop,
  openTestInstance,
  scriptedPlanner,
  type TestInstance,
} from '../../setup/instance.ts';
import { createSharing } from '../../setup/share.ts';
import { waitFor } from '../../wait.ts';

export const key = Buffer.alloc(32, 7).toString('base64');
export const stateSecret = 'state-secret-of-the-tests';

const twoOfNothing = scriptedPlanner(() => ({
  kind: 'proposal',
  draft: { title: 'Two of nothing', steps: [noop('a'), noop('b')] },
}));

async function openAt(
  url: string,
  slack: SlackDouble,
  options: {
    planner: Planner | null;
    socket: boolean;
    env: Record<string, string>;
    work: boolean;
    settings: object;
  },
): Promise<{ instance: TestInstance; home: string; lines: string[]; close(): Promise<void> }> {
  const { planner, socket, env, work, settings } = options;
  const lines: string[] = [];
  const sink = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk));
      done();
    },
  });
  const log = pino(logOptions('debug'), sink);
  const instance = await openTestInstance(url, {
    env: {
      SLACK_API_URL: slack.apiUrl,
      SLACK_CLIENT_ID: slack.app.clientId,
      SLACK_CLIENT_SECRET: slack.app.clientSecret,
      SLACK_STATE_SECRET: stateSecret,
      SLACK_ALLOWED_WORKSPACES: 'any',
      COUNTERSIGN_ENCRYPTION_KEY: key,
      ...(socket
        ? { SLACK_APP_TOKEN: slack.app.appToken }
        : { SLACK_SIGNING_SECRET: slack.app.signingSecret }),
      PORT: '0',
      ...env,
    },
    inboxRule: { backoffMs: 20, longestBackoffMs: 40, lateSeconds: 0 },
    deliveryRule: { backoffMs: 20, longestBackoffMs: 40, paceMs: 100 },
    ...(planner === null ? {} : { planner }),
    work,
    settings,
    log,
  });
  const connections = slack.socket.connections();
  const { app, port } = await serve(instance, instance.config, log);
  if (socket) await waitFor('a connection', () => slack.socket.connections() > connections);
  const close = async () => {
    await slack.settle();
    await app.close();
    await instance.close();
  };
  return { instance, home: `http://127.0.0.1:${port}`, lines, close };
}

type InstallOptions = {
  /** Null for the environment's. */
  planner?: Planner | null;
  socket?: boolean;
  slack?: SlackOptions;
  env?: Record<string, string>;
  work?: boolean;
  settings?: object;
  /** Not shared with other tests. */
  own?: boolean;
};

async function open(url: string, options: InstallOptions) {
  const slack = await startSlack(options.slack);
  const { planner = twoOfNothing, socket = false, env = {}, work = true, settings = {} } = options;
  const opened = await openAt(url, slack, { planner, socket, env, work, settings });
  let closing: Promise<void> | null = null;
  const end = async () => {
    await opened.close();
    await slack.end();
  };
  return {
    ...opened,
    slack,
    socket,
    close() {
      closing ??= end();
      return closing;
    },
    /** A second process, which ends with the test. */
    async another(changes: Record<string, string> = {}, works = false) {
      const all = { ...env, ...changes };
      const one = await openAt(url, slack, { planner, socket, env: all, work: works, settings });
      onTestFinished(one.close);
      return one;
    },
  };
}

const share = createSharing(open, async ({ slack, lines }) => {
  await slack.settle();
  slack.forget();
  lines.length = 0;
});

export type InstallInstance = Awaited<ReturnType<typeof useInstallInstance>>;

// Reused if the options match.
export async function useInstallInstance(database: TestDatabase, options: InstallOptions = {}) {
  const use = await share(database, options);
  const { slack, home, socket } = use;
  slack.app.redirectUrls = [`${home}/slack/oauth_redirect`];
  slack.connect(socket ? 'socket mode' : { url: `${home}/slack/events` });
  return use;
}

export type WorkspacePlace = { workspace: Workspace; user: User; channel: string };

export function addPlace(slack: SlackDouble, name: string): WorkspacePlace {
  const workspace = slack.addWorkspace(name);
  const user = slack.addUser({ name: `ana-${workspace.domain}`, team: workspace.id });
  const channel = slack.addChannel({ name: 'work', members: [user.id], team: workspace.id }).id;
  return { workspace, user, channel };
}

export function findCard(slack: SlackDouble, channel: string, root: string): SlackMessage | null {
  const cards = slack
    .replies(channel, root)
    .filter(({ blocks }) => JSON.stringify(blocks).includes('countersign:approve'));
  return cards.at(-1) ?? null;
}

export function planOf(card: SlackMessage): string {
  const id = /PLAN-[0-9a-f]+/.exec(JSON.stringify(card.blocks))?.[0];
  if (id === undefined) throw new Error('The card names no plan.');
  return id;
}

export async function useWorkspace(use: InstallInstance, name: string) {
  const place = addPlace(use.slack, name);
  await add(use, place.user);
  await use.slack.inviteApp(place.user.id, place.channel);
  return { ...place, ...(await ask(use, place)) };
}

export async function ask(
  { slack }: Pick<InstallInstance, 'slack'>,
  { user, channel }: WorkspacePlace,
  text = 'do nothing, twice',
) {
  const { message } = await slack.mention(user.id, channel, text);
  const card = await waitFor('a card', async () => findCard(slack, channel, message.ts));
  return { root: message.ts, card };
}
