// A place in Slack: workspace, channel and thread, so that a message or press elsewhere never matches.
import type { ChatPlace } from '#domain/chat/chat.ts';
import { personInChat } from '#domain/people/actor.ts';
import type { SlackPerson } from './people.ts';

/** A direct message is one conversation, without threads. */
function isDirect(channel: string): boolean {
  return channel.startsWith('D');
}

/** @param root the first message of the thread; in a channel any message can be one */
export function placeOf(tenant: string, channel: string, root: string | null): ChatPlace {
  return { platform: 'slack', tenant, channel, thread: isDirect(channel) ? null : root };
}

/** A speaker in this place. */
export function speakerAt({ thread }: ChatPlace, who: SlackPerson) {
  return { actor: personInChat(who, 'slack'), direct: thread === null ? who.timezone : null };
}

/** The idempotency key of a message. */
export function nameMessage(team: string, channel: string, ts: string): string {
  return `slack:${team}:${channel}:${ts}`;
}

/** The timestamp in such a key, or null for other keys. */
export function readMessageName(name: string | null): string | null {
  return /^slack:[^:]+:[^:]+:([\d.]+)$/.exec(name ?? '')?.[1] ?? null;
}
