// Writes to Teams: posts and changes what `cards/` drew, and tells one person something in their chat with the bot. Teams knows no
// key by which a message could be found whose answer was lost: such a message is posted again, since one that is read twice does
// less harm than a question nobody ever reads.
import type { ChatPlace, ChatPort } from '#contracts/chat.ts';
import { CountersignError } from '#contracts/errors.ts';
import type { TeamsConversation, TeamsConversations } from '#contracts/teams-conversation.ts';
import { conversationIdOf } from '../place.ts';
import type { Connector } from './connector.ts';
import { makeActivity } from './make-activity.ts';
import type { ReadersOf } from './members.ts';

/** Of a message that is there although nobody knows by what name. */
const unnamed = '';
const cannotChange = 'Teams did not say how this message is called, so it cannot be changed.';
const unknownPlace =
  'Nothing ever came from this conversation in Teams. Write to the app there once.';

export function createTeamsPort(options: {
  connector: Connector;
  conversations: TeamsConversations;
  readersOf: ReadersOf;
}): ChatPort {
  const { connector, conversations, readersOf } = options;

  async function find({ tenant, channel }: ChatPlace): Promise<TeamsConversation> {
    const found = await conversations.find(tenant, channel);
    if (found !== null) return found;
    throw new CountersignError('not_allowed', unknownPlace);
  }

  /** The chat with one person; where they have none yet it is opened, as it may be with whoever shares a team or chat with the bot. */
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

  return {
    async post(place, content, _key, _triedSince, givenUp) {
      const where = await find(place);
      const readers = await readersOf(where, content.concerns ?? []);
      const activity = makeActivity(content, { bot: where.bot, readers });
      const message = await connector.post(where, conversationIdOf(place), activity, givenUp);
      return { ...place, message: message ?? unnamed };
    },

    async update(post, content, givenUp) {
      // As if somebody had deleted it: a card that is needed is posted once more.
      if (post.message === unnamed) throw new CountersignError('not_found', cannotChange);
      const where = await find(post);
      const readers = await readersOf(where, content.concerns ?? []);
      const activity = makeActivity(content, { bot: where.bot, readers });
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
