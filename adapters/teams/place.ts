// Places in Teams: a chat is one conversation; in a channel each post is one. Pure.
import type { ChatPlace } from '#domain/chat/chat.ts';

const threadMark = ';messageid=';

/** Splits `19:…@thread.tacv2;messageid=1700000000000` into channel and post. */
export function splitConversation(id: string): { channel: string; post: string | null } {
  const at = id.indexOf(threadMark);
  return at < 0
    ? { channel: id, post: null }
    : { channel: id.slice(0, at), post: id.slice(at + threadMark.length) };
}

/** The ID that Teams uses for posting there. */
export function conversationIdOf({
  channel,
  thread,
}: Pick<ChatPlace, 'channel' | 'thread'>): string {
  return thread === null ? channel : `${channel}${threadMark}${thread}`;
}

/** The idempotency key of a message. */
export function nameMessage({ tenant, channel }: ChatPlace, id: string | number): string {
  return `teams:${tenant}:${channel}:${id}`;
}
