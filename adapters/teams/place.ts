// Where a conversation takes place in Teams: a chat is one conversation, in a channel each post is. Pure.
import type { ChatPlace } from '#domain/chat/chat.ts';

const threadMark = ';messageid=';

/** `19:…@thread.tacv2;messageid=1700000000000` as channel and post. */
export function splitConversation(id: string): { channel: string; post: string | null } {
  const at = id.indexOf(threadMark);
  return at < 0
    ? { channel: id, post: null }
    : { channel: id.slice(0, at), post: id.slice(at + threadMark.length) };
}

/** By what Teams calls the place when one writes to it. */
export function conversationIdOf({
  channel,
  thread,
}: Pick<ChatPlace, 'channel' | 'thread'>): string {
  return thread === null ? channel : `${channel}${threadMark}${thread}`;
}
