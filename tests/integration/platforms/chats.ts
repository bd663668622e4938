// One instance on three chat platforms, used as people do.
import { randomUUID } from 'node:crypto';
import pino from 'pino';
import { slack as slackPlatform } from '#adapters/slack/platform.ts';
import { teamsWith } from '#adapters/teams/platform.ts';
import { serve } from '#app/serve.ts';
import type { Planner } from '#domain/planning/run.ts';
import { type SlackDouble, startSlack } from '../../fixtures/slack/double.ts';
import type { SlackMessage } from '../../fixtures/slack/types.ts';
import { type Connector, startConnector } from '../../fixtures/teams/connector.ts';
import { webhookChat } from '../../fixtures/webhook-chat/platform.ts';
import { startWebhookChat } from '../../fixtures/webhook-chat/server.ts';
import { openTestInstance } from '../../setup/instance.ts';
import { waitFor } from '../../wait.ts';

export type Who = 'ana' | 'ben' | 'cleo';

/** `title` is its label in Teams. */
export type Button = { action: string; title: string };

export type Chat = {
  ask(text: string): Promise<void>;
  say(who: Who, text: string): Promise<void>;
  /** The bot's current messages, as JSON. */
  messages(): string[];
  /** @param text input with the press */
  press(who: Who, index: number, button: Button, text?: string): Promise<void>;
  /** Messages only this person sees. */
  told(who: Who): string[];
  list(who: Who, args: string): Promise<void>;
};

// `changed`: text after an edit; `alert`: another app's message.
type Above = {
  who: Who;
  text: string;
  changed?: string;
  file?: string;
  alert?: string;
  gone?: true;
};

export type ChatOfPeople = Chat & {
  /** Without a mention, so not sent to the bot. */
  write(message: Above): Promise<void>;
  // On the last message.
  planThis(what: string): Promise<void>;
  /** @returns the bot's posts there, and to each person */
  addChannel(name: string): { posts(): string[]; posted(who: Who): string[] };
};

const alertBy = 'Grafana';

function openSlackChat(slack: SlackDouble): ChatOfPeople {
  const people = {
    ana: slack.addUser({ name: 'ana' }),
    ben: slack.addUser({ name: 'ben' }),
    cleo: slack.addUser({ name: 'cleo' }),
  };
  const members = Object.values(people).map(({ id }) => id);
  const channel = slack.addChannel({ name: `room-${randomUUID().slice(0, 8)}`, members }).id;
  let above: SlackMessage | null = null;
  let root = '';
  const posted = () => slack.replies(channel, root).filter(({ bot_id }) => bot_id != null);
  return {
    async ask(text) {
      const thread = root === '' ? undefined : { thread_ts: root };
      const { message } = await slack.mention(people.ana.id, channel, text, thread);
      root = message.thread_ts ?? message.ts;
    },
    async write({ who, text, changed, file, alert, gone }) {
      above = slack.wrote(people[who].id, channel, text, {
        ...(root === '' ? {} : { thread_ts: root }),
        ...(file === undefined ? {} : { files: [{ name: file, content: Buffer.alloc(2048) }] }),
        ...(alert === undefined
          ? {}
          : { attachments: [{ is_share: true, author_name: alertBy, text: alert }] }),
      });
      root ||= above.ts;
      if (changed !== undefined) await slack.edit(people[who].id, above, changed);
      if (gone) slack.erase(people[who].id, above);
    },
    async planThis(what) {
      if (above === null) throw new Error('Nothing was written.');
      const { id } = people.ana;
      await slack.shortcut(id, above, 'countersign:plan_this');
      const view = await waitFor('the window', () => slack.views(id).at(-1));
      await slack.submit(id, view, { value: what });
    },
    addChannel(name) {
      const { id } = slack.addChannel({ name, members });
      const textsIn = (where: string) => slack.messages(where).map(({ text }) => text);
      return {
        posts: () => textsIn(id),
        posted: (who) => textsIn(slack.direct(people[who].id).id),
      };
    },
    say: async (who, text) =>
      void (await slack.say(people[who].id, channel, text, { thread_ts: root })),
    messages: () => posted().map((message) => JSON.stringify(message)),
    async press(who, index, { action }, text) {
      const card = posted()[index];
      if (card === undefined) throw new Error('There is no such message.');
      const { id } = people[who];
      const name = /"action_id":"(countersign:[^"]+)"/g;
      const found = [...JSON.stringify(card.blocks).matchAll(name)].map(([, one = '']) => one);
      const actionId = found.find((one) => one.split(':')[1] === action) ?? action;
      await slack.press(id, card, actionId);
      if (text === undefined) return;
      const view = await waitFor('a window that is filled', async () => {
        const shown = slack.views(id).at(-1);
        return shown !== undefined && !JSON.stringify(shown).includes('Loading') && shown;
      });
      await slack.submit(id, view, { value: text });
    },
    told: (who) => slack.ephemerals(people[who].id).map((message) => JSON.stringify(message)),
    list: async (who, args) => void (await slack.command(people[who].id, channel, '/plans', args)),
  };
}

const forward = (text: string) => ({
  contentType: 'forwardedMessageReference',
  content: JSON.stringify({
    originalMessageContent: `<p>${text}</p>`,
    originalMessageSender: { application: { displayName: alertBy } },
  }),
});

function openTeamsChat(teams: Connector): ChatOfPeople {
  const people = {
    ana: teams.addPerson('ana'),
    ben: teams.addPerson('ben'),
    cleo: teams.addPerson('cleo'),
  };
  const channel = teams.addChannel(Object.values(people));
  const answers: Record<Who, string[]> = { ana: [], ben: [], cleo: [] };
  const directs = {
    ana: teams.addPersonal(people.ana),
    ben: teams.addPersonal(people.ben),
    cleo: teams.addPersonal(people.cleo),
  };
  let root: string | null = null;
  let above: ReturnType<typeof teams.graph.write> | null = null;
  let conversation = '';
  const inPlace = (place: string) => teams.messages.filter((one) => one.conversation === place);
  return {
    async ask(text) {
      const thread = root === null ? {} : { root };
      ({ root, conversation } = await teams.say(people.ana, channel, text, thread));
    },
    async write({ who, text, changed, file, alert, gone }) {
      const words = (changed ?? text).replaceAll('\n', '<br>');
      above = teams.graph.write(people[who], channel, gone ? '' : `<p>${words}</p>`, {
        ...(root === null ? {} : { root }),
        attachments: [
          ...(file === undefined ? [] : [{ contentType: 'reference', name: file }]),
          ...(alert === undefined ? [] : [forward(alert)]),
        ],
      });
      root ??= above.id;
      conversation = `${channel.id};messageid=${root}`;
      if (changed !== undefined) above.lastEditedDateTime = above.createdDateTime;
      if (gone) above.deletedDateTime = above.createdDateTime;
    },
    async planThis(what) {
      if (above === null) throw new Error('Nothing was written.');
      const { id, replyToId, from, body, attachments } = above;
      const chosen = {
        ...{ id, by: from.user?.displayName ?? '', html: body.content, attachments },
        ...(replyToId === null ? {} : { replyToId }),
      };
      const data = { plan: 'this', what };
      await teams.send(teams.describePlanThis(people.ana, channel, chosen, data));
    },
    addChannel(name) {
      teams.addChannel(Object.values(people), '19:another-team@thread.tacv2', 'opps');
      const { id } = teams.addChannel(Object.values(people), channel.team ?? '', name);
      const textsIn = (place: string) =>
        inPlace(place).map(({ activity }) => JSON.stringify(activity));
      return { posts: () => textsIn(id), posted: (who) => textsIn(directs[who].id) };
    },
    async say(who, text) {
      await teams.say(people[who], channel, text, { ...(root === null ? {} : { root }) });
    },
    messages: () => inPlace(conversation).map(({ activity }) => JSON.stringify(activity)),
    async press(who, index, { action, title }, text) {
      const card = inPlace(conversation)[index];
      if (card === undefined) throw new Error('There is no such message.');
      const path = text === undefined ? title : [title, 'Send'];
      const inputs: Record<string, string> = text === undefined ? {} : { [`text:${action}`]: text };
      const press = teams.describePress(people[who], card, path, inputs);
      answers[who].push(JSON.stringify((await teams.send(press)).body));
    },
    told: (who) => [
      ...answers[who],
      ...inPlace(directs[who].id).map(({ activity }) => JSON.stringify(activity)),
    ],
    list: async (who, args) => void (await teams.say(people[who], directs[who], `plans ${args}`)),
  };
}

function openWebhookChat(chat: Awaited<ReturnType<typeof startWebhookChat>>): Chat {
  const room = randomUUID();
  let thread = '';
  const send = async (user: Who, did: Parameters<typeof chat.send>[0]['did']) => {
    await chat.send({ id: randomUUID(), room, thread, user, did });
  };
  const posted = () => chat.messages.filter((one) => one.room === room && one.thread === thread);
  return {
    async ask(text) {
      thread = randomUUID();
      await send('ana', { text, mentions: true });
    },
    say: (who, text) => send(who, { text, mentions: false }),
    messages: () => posted().map(({ card }) => JSON.stringify(card)),
    async press(who, index, { action, title }, text = '') {
      const buttons = posted()[index]?.card.buttons ?? [];
      const found = buttons.find((one) => one.press.action === action && one.label === title);
      if (found === undefined) throw new Error(`The card has no button ${title}.`);
      await send(who, { press: found.press, text });
    },
    told: (who) => chat.whispers.filter(({ user }) => user === who).map(({ text }) => text),
    list: (who, args) => send(who, { text: `/plans ${args}`, mentions: true }),
  };
}

/** @param planner replaces the product's own @param gateways the first one also works */
export async function startChats(
  url: string,
  planner?: Planner,
  recoverEveryMs = 1000,
  env: Record<string, string> = {},
  gateways = 1,
) {
  const [slack, teams, webhook] = await Promise.all([
    startSlack(),
    startConnector(),
    startWebhookChat(),
  ]);
  const open = async (work: boolean) => {
    const instance = await openTestInstance(url, {
      work,
      ...(planner === undefined ? {} : { planner }),
      recoverEveryMs,
      platforms: [slackPlatform, teamsWith(teams.cloud), webhookChat],
      env: {
        SLACK_API_URL: slack.apiUrl,
        SLACK_BOT_TOKEN: slack.token,
        SLACK_SIGNING_SECRET: slack.app.signingSecret,
        MicrosoftAppId: teams.appId,
        MicrosoftAppPassword: 'a-client-secret',
        MicrosoftAppTenantId: teams.tenant,
        WEBHOOK_CHAT_URL: webhook.url,
        WEBHOOK_CHAT_SECRET: webhook.secret,
        PORT: '0',
        ...env,
      },
      inboxRule: { backoffMs: 20, longestBackoffMs: 40, lateSeconds: 0 },
      deliveryRule: { backoffMs: 20, longestBackoffMs: 40, paceMs: 50 },
    });
    const { app, port } = await serve(instance, instance.config, pino({ level: 'silent' }));
    return { instance, app, home: `http://127.0.0.1:${port}` };
  };
  const first = await open(true);
  const opened = [first];
  while (opened.length < gateways) opened.push(await open(false));
  let turn = 0;
  /** Chats reach the next gateway from now on. */
  const connectNext = () => {
    const { home } = opened[turn % opened.length] ?? first;
    turn += 1;
    slack.connect({ url: `${home}/slack/events` });
    teams.connect(`${home}/api/messages`);
    webhook.connect(`${home}/webhook-chat`);
    return home;
  };
  return {
    ...{ instance: first.instance, slack, teams, origin: connectNext(), connectNext },
    instances: opened.map(({ instance }) => instance),
    open: {
      slack: () => openSlackChat(slack),
      teams: () => openTeamsChat(teams),
      'webhook-chat': () => openWebhookChat(webhook),
    } satisfies Record<string, () => Chat>,
    async close() {
      await slack.settle();
      for (const { app } of opened) await app.close();
      for (const { instance } of opened) await instance.close();
      await Promise.all([slack.end(), teams.end(), webhook.close()]);
    },
  };
}
