// Opens the Teams adapter.
import { greetWords } from '#cards/chat-words.ts';
import type { EventAttempt, InboxHandler } from '#chat/inbox/inbox-context.ts';
import type { OpenPlatform, PlatformParts } from '#chat/platform.ts';
import { unlessForbidden } from '#chat/talk.ts';
import { createTeamsConversations } from '#chat/teams-conversations.ts';
import type { ChatContent, ChatPlace, ChatPort, Posted } from '#domain/chat/chat.ts';
import type { InboxEvent } from '#domain/chat/inbox.ts';
import type { TeamsConversation, TeamsConversations } from '#domain/chat/teams-conversation.ts';
import { CountersignError } from '#domain/errors.ts';
import { isServed, type TeamsAccess } from './access.ts';
import type { Calls, Connector } from './connector/connector.ts';
import { proposeBuild, refuseTerms, showBuild } from './extension/build.ts';
import { handlePlanThis, openPlanThis } from './extension/plan-this.ts';
import { accountOfMember, createPeople } from './people.ts';
import { makeActivity } from './port/make-activity.ts';
import { createReaders, type Readers } from './port/members.ts';
import { findMentioned, linkTo, reachEach } from './port/mention.ts';
import { createPlanningStatus, postAsEnd, streamToEnd } from './port/planning-status.ts';
import { handlePress } from './press/handle-press.ts';
import { tellPresser } from './press/reply.ts';
import { createShow } from './press/show.ts';
import {
  conversationIdOf,
  type MessageSignal,
  type MovedSignal,
  readActivity,
  readSignal,
  type Scene,
  type Signal,
} from './signals/read-activity.ts';
import { createFetchFile, sealAddresses } from './talk/fetch-file.ts';
import { createFindPlace } from './talk/find-place.ts';
import { createReadThread } from './talk/read-thread.ts';
import { receiveMessage } from './talk/receive-message.ts';
import type { TeamsContext } from './teams-context.ts';
import { createAccept } from './transport/accept.ts';
import { registerTeams } from './transport/http.ts';

// Teams can't look up lost responses, so messages are reposted: better twice than unread.

/** Posted without an ID. */
const unnamed = '';
const cannotChange = 'Teams did not say how this message is called, so it cannot be changed.';
const unknownPlace =
  'Nothing ever came from this conversation in Teams. Write to the app there once.';

/** @throws `not_allowed` for unknown places */
function createChatFinder({
  connector,
  conversations,
}: {
  connector: Pick<Calls, 'openChat'>;
  conversations: TeamsConversations;
}) {
  async function find({ tenant, channel }: ChatPlace): Promise<TeamsConversation> {
    const found = await conversations.find(tenant, channel);
    if (found !== null) return found;
    throw new CountersignError('not_allowed', unknownPlace);
  }

  /** Opened if needed, for people who share a team or chat with the bot. */
  async function findChat(place: ChatPlace, person: string): Promise<TeamsConversation> {
    const known = await conversations.findPersonal(place.tenant, person);
    if (known !== null) return known;
    const from = await find(place);
    const channel = await connector.openChat(from, person);
    const { tenant, service_url, bot } = from;
    const chat: TeamsConversation = {
      ...{ tenant, channel, kind: 'personal', service_url, bot, person },
      team: null,
      timezone: null,
    };
    await conversations.keep(chat);
    return chat;
  }

  return { find, findChat };
}

export function createTeamsPort(options: {
  connector: Calls;
  conversations: TeamsConversations;
  readers: Readers;
  /** All accounts of the same person. */
  everyNameOf(name: string): Promise<string[]>;
  /** Used if a person's zone is unknown. */
  timezone: string;
}): ChatPort {
  const { connector, readers, everyNameOf, timezone } = options;

  const { find, findChat } = createChatFinder(options);

  /** @param aloud Teams notifies */
  async function draw(where: TeamsConversation, content: ChatContent, aloud: boolean) {
    const refreshed = await readers.choose(where, content.concerns ?? []);
    const mentioned =
      where.kind === 'personal'
        ? null
        : await findMentioned(content.mention, () => readers.read(where), everyNameOf);
    const named = { bot: where.bot, readers: refreshed, mentioned, aloud };
    return { activity: makeActivity(content, named), mentioned };
  }

  return {
    status: createPlanningStatus(connector, find),

    async post(place, content, key, triedSince, givenUp, shown = null) {
      const where = await find(place);
      const { activity, mentioned } = await draw(where, content, true);
      const tried = triedSince != null;
      // First, since only a certainly failed post can be repeated.
      const reached =
        mentioned === null
          ? null
          : await reachEach(mentioned, (id) => findChat(place, id), { timezone, tried });
      const answer = (message: string): Posted => {
        if (reached === null) return { ...place, message };
        const link = message === unnamed ? null : linkTo(place, message);
        return { ...place, message, reached, link };
      };
      const stream = shown === null ? null : streamToEnd(shown, key);
      if (shown !== null && stream !== null) {
        const words = content.text.split('\n', 1)[0] ?? '';
        const end = { activity, words, shown, stream, tried, givenUp };
        if (await postAsEnd(connector, where, place, end)) return answer(stream.id);
      }
      const message = await connector.post(where, conversationIdOf(place), activity, givenUp);
      return answer(message ?? unnamed);
    },

    async update(post, content, givenUp) {
      // As if deleted: a needed card is posted again.
      if (post.message === unnamed) throw new CountersignError('not_found', cannotChange);
      const where = await find(post);
      const { activity } = await draw(where, content, false);
      const { message } = post;
      const at = { conversation: conversationIdOf(post), message };
      await connector.update(where, at, { ...activity, id: message }, givenUp);
    },

    async whisper(place, user, content) {
      const where = await findChat(place, user);
      const activity = makeActivity(content, { bot: where.bot, readers: [user] });
      await connector.post(where, where.channel, activity);
    },
  };
}

export function openTeams(
  access: TeamsAccess,
  connector: Connector,
  parts: PlatformParts,
): OpenPlatform {
  const { service, clock, timezone, everyNameOf, namesOf, warn } = parts;
  const conversations = createTeamsConversations(parts.store);
  const readers = createReaders({
    ...{ connector, clock, warn, namesOf },
    accountOf: (member, tenant) => accountOfMember(access, member, tenant),
  });
  const { personOf, noteName } = service;
  const context: TeamsContext = {
    ...parts,
    people: createPeople({
      ...{ access, connector, conversations, clock, timezone, personOf, noteName },
    }),
    port: createTeamsPort({ connector, conversations, readers, timezone, everyNameOf }),
    conversations,
  };
  return {
    handle: createHandler(context),
    port: context.port,
    findPlace: createFindPlace({
      ...{ connector, conversations, readers, everyNameOf, clock },
      findChat: createChatFinder({ connector, conversations }).findChat,
    }),
    fetchFile: createFetchFile(parts),
    readThread: createReadThread({
      connector,
      conversations,
      readers,
      clock,
      appId: access.kind === 'Local' ? null : access.appId,
    }),
    receive: (app, { receive, wait }) =>
      registerTeams(app, {
        authenticate: connector.authenticate,
        accept: createAccept({
          receive: (event, first) =>
            receive({ ...event, body: sealAddresses(parts, event) }, first),
          ...{ wait, clock, show: createShow(context), showFirst: createFirstStatus(context) },
          openPlanThis: (signal, withinMs) => openPlanThis(context, signal, withinMs),
          build: {
            show: (signal, withinMs) => showBuild(context, signal, withinMs),
            refuseTerms: (signal, withinMs) => refuseTerms(context, signal, withinMs),
          },
        }),
        serves: (tenant) => isServed(access, tenant),
        warn,
      }),
  };
}

/** An unknown conversation needs its address. */
const createFirstStatus =
  (context: TeamsContext) =>
  ({ scene }: MessageSignal, sent: () => void): Promise<void> =>
    keepScene(context, scene)
      .then(() => context.port.status?.showFirst(scene.place, null, sent))
      .catch((error: unknown) => context.warn('Could not show the first status in Teams.', error));

// Handles stored activities by kind; idempotent.

/** To write there later. */
async function keepScene({ conversations }: TeamsContext, scene: Scene): Promise<void> {
  const { tenant, place, kind, serviceUrl, bot, from, team, timezone } = scene;
  const personal = kind === 'personal';
  await conversations.keep({
    ...{ tenant, channel: place.channel, kind, service_url: serviceUrl, bot, team },
    person: personal ? from.id : null,
    timezone: personal ? timezone : null,
  });
}

function createHandler(context: TeamsContext): InboxHandler {
  return async (event, attempt) => {
    const activity = readActivity(event.body);
    const signal = activity === null ? null : readSignal(activity);
    if (signal === null) return;
    const isDialog = signal.kind === 'plan_this' || signal.kind === 'build';
    const asks = isDialog || (signal.kind === 'press' && signal.asks);
    await unlessForbidden(
      () => act(context, signal, event, attempt),
      (why) => tellPresser(context, signal.scene, why, asks, attempt),
    );
  };
}

async function act(
  context: TeamsContext,
  signal: Signal,
  event: InboxEvent,
  attempt: EventAttempt,
): Promise<void> {
  const keep = () => keepScene(context, signal.scene);
  const knownLater = ['removed', 'plan_this', 'build'].includes(signal.kind);
  if (!knownLater) await keep();
  switch (signal.kind) {
    case 'message':
      return receiveMessage(context, signal, event, attempt);
    case 'press':
      return handlePress(context, signal, event, attempt);
    case 'plan_this':
      return handlePlanThis(context, signal, event, attempt, keep);
    case 'build':
      return proposeBuild(context, signal, event, attempt, keep);
    case 'added':
    case 'removed':
      return greet(context, signal, signal.sentAt ?? event.received_at);
    case 'other':
      return;
    default:
      signal satisfies never;
  }
}

// Welcomes once; then posts waiting messages.
function welcomeIn({ kind }: Scene, hasModel: boolean): string {
  const mention = kind === 'personal' ? null : '@Countersign';
  return greetWords.welcome({ mention, help: '“help”', hasModel });
}

async function greet(
  { conversations, hasModel }: TeamsContext,
  { kind, scene }: MovedSignal,
  sentAt: Date,
): Promise<void> {
  const { place, team } = scene;
  const area = { tenant: place.tenant, channel: place.channel, team };
  if (kind === 'removed') return conversations.leave(area, sentAt);
  await conversations.comeBack(area, sentAt);
  await conversations.welcome({ ...place, thread: null }, welcomeIn(scene, hasModel));
}
