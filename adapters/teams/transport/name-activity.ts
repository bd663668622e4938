// What an activity is called in the inbox: the name that makes two of them one, and the thread whose order it keeps. Pure.
import { hash } from 'node:crypto';
import type { ReceivedEvent } from '#contracts/inbox.ts';
import { conversationAt } from '#conversation/delivery/open-conversation.ts';
import type { Signal } from './read-activity.ts';

const digestOf = (...parts: (string | Uint8Array)[]) =>
  hash('sha256', Buffer.concat(parts.map((part) => Buffer.from(part))), 'hex');

/** The event of the inbox that keeps `body` as it came. */
export function nameActivity(
  { scene }: Signal,
  body: Buffer<ArrayBuffer>,
  receivedAt: Date,
): ReceivedEvent {
  const { tenant, place, activity } = scene;
  // Teams names activities within their conversation, and its names are longer than an index likes.
  const name =
    activity === null
      ? `body:${digestOf(body)}`
      : `activity:${digestOf(JSON.stringify([place.channel, activity]))}`;
  return {
    platform: 'teams',
    tenant,
    thread: conversationAt(place),
    keys: [name],
    kind: 'activity',
    body,
    received_at: receivedAt,
    author: digestOf(scene.from.id),
  };
}
