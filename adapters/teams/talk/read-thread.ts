// Reads messages above a request by Microsoft Graph, with consent.
// https://learn.microsoft.com/graph/api/chatmessage-list-replies, https://learn.microsoft.com/graph/api/chat-list-messages
import { threadWords } from '#cards/chat-words.ts';
import type { ChatPlace } from '#domain/chat/chat.ts';
import type { TeamsConversation, TeamsConversations } from '#domain/chat/teams-conversation.ts';
import type { ReadMessages, ThreadMessages } from '#domain/chat/thread.ts';
import type { Clock } from '#domain/clock.ts';
import { CountersignError } from '#domain/errors.ts';
import { createRecent } from '#domain/recent.ts';
import { mapInSlices } from '#domain/slices.ts';
import type { Calls, ChannelMessage } from '../connector/connector.ts';
import type { Readers } from '../port/members.ts';
import { linkTo } from '../port/mention.ts';
import { nameMessage } from '../signals/read-activity.ts';
import {
  Attachments,
  filesIn,
  isWritten,
  readAttachments,
  readBody,
} from '../signals/read-content.ts';

/** Graph gives fifty at once. */
const maxReplies = 200;
const keptForMs = 60 * 60_000;
const maxKept = 1000;

/** Others report changes of the team. */
const isMessage = ({ messageType }: ChannelMessage) => (messageType ?? 'message') === 'message';

function textOf({ body, subject, attachments }: ChannelMessage): string {
  const attached = readAttachments(Attachments.parse(attachments)).filter(isWritten);
  return [subject ?? '', ...readBody(body ?? {}, attached)]
    .filter((part) => part !== '')
    .join('\n');
}

const filesOf = ({ attachments }: ChannelMessage) =>
  filesIn(readAttachments(Attachments.parse(attachments)), null);

const nothing = (note: string): ThreadMessages => ({
  messages: [],
  gap: 0,
  total: null,
  link: null,
  note,
});

export function createReadThread({
  connector,
  conversations,
  readers,
  clock,
  appId,
}: {
  connector: Pick<Calls, 'groupOf' | 'replies' | 'newest' | 'visibleSince'>;
  conversations: Pick<TeamsConversations, 'find'>;
  readers: Pick<Readers, 'read'>;
  clock: Clock;
  /** Null for local clients without Graph. */
  appId: string | null;
}): ReadMessages {
  const groups = createRecent<string>({ keep: maxKept, forMs: keptForMs, clock });

  async function groupOf(team: string, where: Parameters<Calls['groupOf']>[0]) {
    const group = groups.get(team) ?? (await connector.groupOf(where, team));
    if (group !== null) groups.set(team, group);
    return group;
  }

  /** `begins`: messages before the gap. Null without consent or messages. */
  async function look(
    { tenant, channel, thread }: ChatPlace,
    where: TeamsConversation,
  ): Promise<{ found: ChannelMessage[]; begins: number; more: boolean } | null> {
    if (where.kind === 'group') {
      const at = { tenant, chat: channel };
      const { messages, more } = await connector.newest(at);
      // The plan shows what was read to every member, also to those who joined later.
      const since = await connector.visibleSince(at);
      const found = messages.filter((one) => one.createdDateTime >= since);
      return { found, begins: 0, more: more || found.length < messages.length };
    }
    const group = where.team === null ? null : await groupOf(where.team, where);
    if (group === null || thread === null) return null;
    const at = { tenant, group, channel, post: thread };
    const { post, replies, more } = await connector.replies(at, maxReplies);
    return { found: [...replies, post], begins: 1, more };
  }

  return async (place, asked) => {
    const { tenant, channel, thread } = place;
    const [, asks] = asked.split(nameMessage(place, ''));
    const until = Number.parseInt(asks ?? '', 10);
    const where = await conversations.find(tenant, channel);
    if (asks === undefined || where === null || where.kind === 'personal') return null;
    const isGroup = where.kind === 'group';
    // The request is the post itself.
    if (!isGroup && (thread === null || thread === asks || where.team === null)) return null;
    const unread = nothing(isGroup ? threadWords.groupChat : threadWords.notConsented);
    if (appId === null) return isGroup ? unread : null;
    try {
      const read = await look(place, where);
      if (read === null) return unread;
      const { found, begins, more } = read;
      const above = found
        .filter((one) => Number(one.id) < until || one.id === thread)
        .filter((one) => isMessage(one) && one.from?.application?.id !== appId)
        .sort((one, other) => Number(one.id) - Number(other.id));
      if (above.length === 0) return null;
      const members = await readers.read(where);
      const byObject = new Map(members.map((member) => [member.object, member]));
      const writerOf = ({ from }: ChannelMessage) => byObject.get(from?.user?.id ?? '');
      return {
        messages: await mapInSlices(above, (one) => ({
          at: one.createdDateTime,
          account: writerOf(one)?.account ?? null,
          author:
            (one.from?.user ?? one.from?.application)?.displayName ?? writerOf(one)?.name ?? null,
          text: textOf(one),
          edited: one.lastEditedDateTime ?? null,
          deleted: one.deletedDateTime != null,
          files: filesOf(one),
          once: nameMessage(place, one.id),
        })),
        // Newest first.
        gap: more ? begins : null,
        total: more ? null : above.length,
        link: linkTo(place, thread ?? asks),
        note: null,
      };
    } catch (error) {
      if (error instanceof CountersignError && error.code === 'not_allowed') return unread;
      throw error;
    }
  };
}
