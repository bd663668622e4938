// What people write: a mention, a direct message, or a reply in a thread where a conversation lives already.
import { greetWords } from '#cards/chat-words.ts';
import { escapeMrkdwn } from '#cards/plain.ts';
import type { EventAttempt } from '#chat/inbox/inbox-context.ts';
import { type Addressed, hearMessage, type WrittenMessage } from '#chat/talk.ts';
import { conversationAt } from '#domain/chat/chat.ts';
import { CountersignError } from '#domain/errors.ts';
import { personInChat } from '#domain/people/actor.ts';
import { nameMessage, placeOf, speakerAt } from '../place.ts';
import { isWritten } from '../signals/name-signal.ts';
import type { MessageSignal, StoppedSignal } from '../signals/read-signal.ts';
import type { SlackContext } from '../slack-context.ts';
import { collectText } from './read-blocks.ts';
import { mentionedIn, readPlainText } from './read-text.ts';

const emptyMention = greetWords.nothingSaid({ help: '/plans help' });

/** Whether a person wrote it to us, as far as the message itself tells; `maybe`: if we are in that conversation. */
export function isAddressed({ message, bot }: MessageSignal): Addressed {
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

/** Names that are looked up for one text. Slack takes some fifty such calls a minute. */
const namesLookedUp = 25;

/** The names of the people a text mentions, and the handles of user groups where Slack does not say them. Others keep their ids. */
export async function nameMentioned(
  { people, userGroups }: Pick<SlackContext, 'people' | 'userGroups'>,
  team: string,
  text: string,
  bot: string | null,
): Promise<Map<string, string>> {
  const named = new Map<string, string>();
  const ids = [...new Set(mentionedIn(text))].filter((id) => id !== bot);
  for (const id of ids.slice(0, namesLookedUp)) {
    // A name that cannot be had stays the id; what was asked for does not wait for it.
    const found = await people.find(team, id).catch(() => null);
    if (found !== null) named.set(id, found.name);
  }
  if (/<!subteam\^S[A-Z0-9]+>/.test(text)) {
    const groups = await userGroups.list(team).catch(() => []);
    for (const { id, handle } of groups) named.set(id, `@${handle}`);
  }
  return named;
}

export async function hear(
  context: SlackContext,
  signal: MessageSignal,
  attempt: Pick<EventAttempt, 'forget'>,
): Promise<void> {
  const { people, port } = context;
  const { team, message, bot } = signal;
  const { user, channel, ts, thread_ts } = message;
  if (user === undefined) return attempt.forget();
  const place = placeOf(team, channel, thread_ts ?? ts);
  const written: WrittenMessage = {
    place,
    addressed: isAddressed(signal),
    async read() {
      const text = collectText(message);
      return readPlainText(text, await nameMentioned(context, team, text, bot), bot);
    },
    async from() {
      const who = await people.find(team, user);
      return who.acts ? speakerAt(place, who) : null;
    },
    answerNothing: () =>
      port.whisper(place, user, { text: escapeMrkdwn(emptyMention), card: null }),
    once: nameMessage(team, channel, ts),
    writtenAt: new Date(Number(ts) * 1000),
  };
  await hearMessage(context, written, attempt);
}

/** Stops what is being planned in a thread. What is over by then is left as it is; who may not stop it is told so. */
export async function stop(
  { service, people, port }: SlackContext,
  { team, stopped }: StoppedSignal,
): Promise<void> {
  const { channel, user, thread_ts } = stopped;
  const place = placeOf(team, channel, thread_ts);
  const planning = await service.activityIn(conversationAt(place));
  if (planning === null) return;
  const who = await people.find(team, user);
  try {
    await service.stopRun(planning.run_id, planning.turn, personInChat(who, 'slack'));
  } catch (error) {
    if (!(error instanceof CountersignError) || error.passesAfterMs !== null) throw error;
    if (error.code === 'invalid_transition') return;
    await port.whisper(place, user, { text: escapeMrkdwn(error.message), card: null });
  }
}
