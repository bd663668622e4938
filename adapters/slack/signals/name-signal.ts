// Names places and messages, and signals for the inbox: idempotency keys and thread. Pure.
import { type ChatPlace, conversationAt } from '#domain/chat/chat.ts';
import type { ReceivedEvent } from '#domain/chat/inbox.ts';
import type { PressSignal, Signal } from './read-signal.ts';

/** One conversation, without threads. */
function isDirect(channel: string): boolean {
  return channel.startsWith('D');
}

/** @param root any message of a channel can start a thread */
export function placeOf(tenant: string, channel: string, root: string | null): ChatPlace {
  return { platform: 'slack', tenant, channel, thread: isDirect(channel) ? null : root };
}

export function nameMessage(team: string, channel: string, ts: string): string {
  return `slack:${team}:${channel}:${ts}`;
}

/** Null for other keys. */
export function readMessageName(name: string | null): string | null {
  return /^slack:[^:]+:[^:]+:([\d.]+)$/.exec(name ?? '')?.[1] ?? null;
}

/** Written by people; others report changes. */
const written = new Set([undefined, 'file_share', 'me_message', 'thread_broadcast']);

export function isWritten(subtype: string | undefined): boolean {
  return written.has(subtype);
}

/** Null without a message. */
export function placeOfPress({ team, pressed }: PressSignal) {
  const { container, message } = pressed;
  if (container.channel_id === undefined || container.message_ts === undefined) return null;
  const root = message?.thread_ts ?? container.thread_ts ?? container.message_ts;
  return placeOf(team, container.channel_id, root);
}

function namesOf(signal: Signal): Pick<ReceivedEvent, 'kind' | 'keys' | 'thread'> {
  switch (signal.kind) {
    case 'message': {
      const { message, team, event } = signal;
      const { channel, ts, thread_ts, subtype } = message;
      // A mention comes twice, with two IDs.
      const key = isWritten(subtype) ? `message:${channel}:${ts}` : `event:${event}`;
      const thread = conversationAt(placeOf(team, channel, thread_ts ?? ts));
      return { kind: 'event', keys: [key], thread };
    }
    case 'opened':
      return {
        kind: 'event',
        keys: [`event:${signal.event}`],
        thread: conversationAt(placeOf(signal.team, signal.channel, null)),
      };
    case 'home':
      return { kind: 'event', keys: [`event:${signal.event}`], thread: `home:${signal.user}` };
    case 'stopped': {
      const { channel, thread_ts } = signal.stopped;
      const thread = conversationAt(placeOf(signal.team, channel, thread_ts));
      return { kind: 'event', keys: [`event:${signal.event}`], thread };
    }
    case 'links': {
      const { links, event } = signal;
      // Not urgent.
      return { kind: 'event', keys: [`event:${event}`], thread: `links:${links.channel}` };
    }
    case 'groups':
      return { kind: 'event', keys: [`event:${signal.event}`], thread: 'user groups' };
    case 'other':
      return { kind: 'event', keys: [`event:${signal.event}`], thread: 'workspace' };
    case 'press': {
      const { pressed } = signal;
      const place = placeOfPress(signal);
      const acts = pressed.actions.map(
        ({ action_id, action_ts }) => `press:${pressed.user.id}:${action_ts}:${action_id}`,
      );
      return {
        kind: 'interaction',
        keys: [`trigger:${pressed.trigger_id}`, ...acts.slice(0, 5)],
        thread: place === null ? `user:${pressed.user.id}` : conversationAt(place),
      };
    }
    case 'sent': {
      const { view, user } = signal.sent;
      const keys = [`sent:${view.id}:${view.hash}`];
      return { kind: 'interaction', keys, thread: `user:${user.id}` };
    }
    case 'shortcut':
    case 'start': {
      const { trigger_id, user } = signal.kind === 'start' ? signal.start : signal.shortcut;
      return { kind: 'interaction', keys: [`trigger:${trigger_id}`], thread: `user:${user.id}` };
    }
    case 'suggest':
      return { kind: 'interaction', keys: [], thread: `user:${signal.suggest.user.id}` };
    case 'command': {
      const { trigger_id, user_id } = signal.command;
      // Unanswerable commands must not block forms.
      return { kind: 'command', keys: [`trigger:${trigger_id}`], thread: `command:${user_id}` };
    }
    default:
      return signal satisfies never;
  }
}

function authorOf(signal: Signal): string | undefined {
  switch (signal.kind) {
    case 'message':
      return signal.message.user;
    case 'home':
    case 'opened':
      return signal.user;
    case 'press':
      return signal.pressed.user.id;
    case 'sent':
      return signal.sent.user.id;
    case 'shortcut':
      return signal.shortcut.user.id;
    case 'start':
      return signal.start.user.id;
    case 'suggest':
      return signal.suggest.user.id;
    case 'command':
      return signal.command.user_id;
    case 'stopped':
      return signal.stopped.user;
    case 'links':
      return signal.links.user;
    case 'groups':
    case 'other':
      return undefined;
    default:
      return signal satisfies never;
  }
}

/** Stores `body` unchanged. */
export function nameSignal(
  signal: Signal,
  body: Buffer<ArrayBuffer>,
  receivedAt: Date,
): ReceivedEvent {
  const author = authorOf(signal);
  return {
    platform: 'slack',
    tenant: signal.team,
    ...namesOf(signal),
    body,
    received_at: receivedAt,
    ...(author === undefined ? {} : { author }),
  };
}
