// Handles messages from people.
import { greetWords } from '#cards/chat-words.ts';
import { escapeMrkdwn } from '#cards/plain.ts';
import type { EventAttempt } from '#chat/inbox/inbox-context.ts';
import { type Addressed, handleMessage, type WrittenMessage } from '#chat/talk.ts';
import { type ChatPlace, conversationAt } from '#domain/chat/chat.ts';
import { CountersignError } from '#domain/errors.ts';
import { personInChat } from '#domain/people/actor.ts';
import { speakerAt } from '../people/people.ts';
import { isWritten, nameMessage, placeOf } from '../signals/name-signal.ts';
import type { MessageSignal, StoppedSignal } from '../signals/read-signal.ts';
import { readFiles } from '../signals/shapes.ts';
import type { SlackContext } from '../slack-context.ts';
import { collectText } from './read-blocks.ts';
import { mentionedIn, readPlainText } from './read-text.ts';

const emptyMention = greetWords.nothingSaid({ help: '/plans help' });

/** By the message alone; `maybe` depends on the conversation. */
export function isAddressed({ message, bot }: MessageSignal): Addressed {
  const { type, subtype, bot_id, user, channel, thread_ts, text } = message;
  if (!isWritten(subtype) || user === undefined || user === bot) return 'no';
  if (bot_id !== undefined && bot_id !== null) return 'no';
  const named = mentionedIn(text);
  if (type === 'app_mention' || channel.startsWith('D')) return 'yes';
  if (bot !== null && named.includes(bot)) return 'yes';
  if (thread_ts === undefined) return 'no';
  // Meant for the mentioned person.
  return /^\s*<@[UW]/.test(text) ? 'no' : 'maybe';
}

/** Slack allows about fifty a minute. */
const namesLookedUp = 25;

/** Others keep their IDs. */
export async function nameMentioned(
  { people, userGroups }: Pick<SlackContext, 'people' | 'userGroups'>,
  team: string,
  text: string,
  bot: string | null,
): Promise<Map<string, string>> {
  const named = new Map<string, string>();
  const ids = [...new Set(mentionedIn(text))].filter((id) => id !== bot);
  for (const id of ids.slice(0, namesLookedUp)) {
    // The request doesn't wait for names.
    const found = await people.find(team, id).catch(() => null);
    if (found !== null) named.set(id, found.name);
  }
  if (/<!subteam\^S[A-Z0-9]+>/.test(text)) {
    const groups = await userGroups.list(team).catch(() => []);
    for (const { id, handle } of groups) named.set(id, `@${handle}`);
  }
  return named;
}

export async function receiveMessage(
  context: SlackContext,
  signal: MessageSignal,
  attempt: Pick<EventAttempt, 'forget'>,
): Promise<void> {
  const { people, port } = context;
  const { team, message, bot } = signal;
  const { user, channel, ts, thread_ts } = message;
  if (user === undefined) return attempt.forget();
  const place = placeOf(team, channel, thread_ts ?? ts);
  const addressed = isAddressed(signal);
  const once = nameMessage(team, channel, ts);
  const written: WrittenMessage = {
    place,
    addressed,
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
    files: readFiles(message.files),
    once,
    writtenAt: new Date(Number(ts) * 1000),
  };
  try {
    await handleMessage(context, written, attempt);
  } finally {
    if (addressed === 'yes') await hideFirstStatus(context, place, once);
  }
}

/** Slack hides what remains, so failures are ignored. */
async function hideFirstStatus(
  { service, port, warn }: SlackContext,
  place: ChatPlace,
  asked: string,
): Promise<void> {
  try {
    if ((await service.activityIn(conversationAt(place))) === null)
      await port.status?.hideFirst?.(place, asked);
  } catch (error) {
    warn('A planning status was not removed in Slack.', error);
  }
}

/** Finished work stays. */
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
