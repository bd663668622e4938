// Where a conversation takes place in Slack: workspace, channel and thread are all part of it, so that nothing said or
// pressed elsewhere is ever about it.
import type { ChatPlace } from '#domain/chat/chat.ts';
import { personInChat } from '#domain/people/actor.ts';
import type { SlackPerson } from './people/people.ts';

/** A direct message is one conversation; people do not think in threads there. */
function isDirect(channel: string): boolean {
  return channel.startsWith('D');
}

/** @param root the first message of the thread; in a channel each of its messages can be one */
export function placeOf(tenant: string, channel: string, root: string | null): ChatPlace {
  return { platform: 'slack', tenant, channel, thread: isDirect(channel) ? null : root };
}

/** Somebody who speaks there. */
export function speakerAt({ thread }: ChatPlace, who: SlackPerson) {
  return { actor: personInChat(who, 'slack'), direct: thread === null ? who.timezone : null };
}

/** What a message is called when it is heard, so that it is heard once. */
export function nameMessage(team: string, channel: string, ts: string): string {
  return `slack:${team}:${channel}:${ts}`;
}

/** The timestamp in such a name; null: it is none. */
export function readMessageName(name: string | null): string | null {
  return /^slack:[^:]+:[^:]+:([\d.]+)$/.exec(name ?? '')?.[1] ?? null;
}
