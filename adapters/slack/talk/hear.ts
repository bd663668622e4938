// What people write: a mention, a direct message, or a reply in a thread where a conversation lives already.
import { greetWords } from '#cards/chat-words.ts';
import { escapeMrkdwn } from '#cards/escape.ts';
import { person } from '#contracts/actor.ts';
import { conversationAt } from '#conversation/delivery/open-conversation.ts';
import { placeOf } from '../place.ts';
import type { SlackContext } from '../slack-context.ts';
import { isWritten } from '../transport/name-signal.ts';
import type { MessageSignal } from '../transport/read-signal.ts';
import { mentionedIn, readPlainText } from './plain-text.ts';

const emptyMention = greetWords.nothingSaid({ help: '/plans help' });

/** Whether a person wrote it to us, as far as the message itself tells; `maybe`: if we are in that conversation. */
export function isAddressed({ message, bot }: MessageSignal): 'yes' | 'maybe' | 'no' {
  const { type, subtype, bot_id, user, channel, thread_ts, text } = message;
  if (!isWritten(subtype) || user === undefined || user === bot) return 'no';
  if (bot_id !== undefined && bot_id !== null) return 'no';
  const named = mentionedIn(text);
  if (type === 'app_mention' || channel.startsWith('D')) return 'yes';
  if (bot !== null && named.includes(bot)) return 'yes';
  if (thread_ts === undefined) return 'no';
  // A reply that begins with somebody's name is meant for them.
  return /^\s*<@[UW]/.test(text) ? 'no' : 'maybe';
}

/** Hands a message to the conversation of its place. */
export async function hear(context: SlackContext, signal: MessageSignal): Promise<void> {
  const { service, people, port, openConversation } = context;
  const { team, message, bot } = signal;
  const addressed = isAddressed(signal);
  const { user, channel, ts, thread_ts } = message;
  if (addressed === 'no' || user === undefined) return;
  const place = placeOf(team, channel, thread_ts ?? ts);
  if (addressed === 'maybe' && !(await service.isSpokenIn(conversationAt(place)))) return;
  const named = new Map<string, string>();
  for (const one of new Set(mentionedIn(message.text))) {
    if (one === bot) continue;
    // A name that cannot be had stays the id; what was asked for does not wait for it.
    const found = await people.find(team, one).catch(() => null);
    if (found !== null) named.set(one, found.name);
  }
  const text = readPlainText(message.text, named, bot);
  if (text === '') {
    await port.whisper(place, user, { text: escapeMrkdwn(emptyMention), card: null });
    return;
  }
  const who = await people.find(team, user);
  const conversation = await openConversation(place, place.thread === null ? who.timezone : null);
  // However often this is tried, the message is heard once.
  const once = `slack:${team}:${channel}:${ts}`;
  const written_at = new Date(Number(ts) * 1000);
  await service.say(conversation, text, person(who.id, 'slack', who.timezone), {
    once,
    written_at,
  });
}
