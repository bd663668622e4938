// What people write: a mention, a direct message, or a reply in a thread where a conversation lives already.
import { greetWords } from '#cards/chat-words.ts';
import { escapeMrkdwn } from '#cards/plain.ts';
import { conversationAt } from '#domain/chat/chat.ts';
import { CountersignError } from '#domain/errors.ts';
import { person } from '#domain/people/actor.ts';
import { nameMessage, placeOf } from '../place.ts';
import type { SlackContext } from '../slack-context.ts';
import { isWritten } from '../transport/name-signal.ts';
import type { MessageSignal, StoppedSignal } from '../transport/read-signal.ts';

// What somebody wrote, as text: Slack's markup for people, channels, links and dates becomes what is read there.
// https://docs.slack.dev/messaging/formatting-message-text
const markup = /<([^<>]+)>/g;

/** Whom the text names. */
export function mentionedIn(text: string): string[] {
  return [...text.matchAll(/<@([UW][A-Z0-9]+)(?:\|[^<>]*)?>/g)].flatMap(([, user]) => user ?? []);
}

function readMark(mark: string, names: ReadonlyMap<string, string>): string {
  const bar = mark.indexOf('|');
  const [target, label] = bar < 0 ? [mark, ''] : [mark.slice(0, bar), mark.slice(bar + 1)];
  if (target.startsWith('@')) return `@${names.get(target.slice(1)) ?? (label || target.slice(1))}`;
  if (target.startsWith('#')) return `#${label || target.slice(1)}`;
  if (target.startsWith('!subteam'))
    return label || (names.get(target.slice('!subteam^'.length)) ?? '@group');
  if (target.startsWith('!date')) return label;
  if (target.startsWith('!')) return `@${target.slice(1)}`;
  const shown = target.replace(/^(mailto|tel):/, '');
  return label === '' || label === shown ? shown : `${label} (${shown})`;
}

/** The bot's name, as it stands for it in the middle of a text. */
const ownName = 'Countersign';

/** @param bot whose mention is left out where it begins or ends the text: it is the address on the letter, not the letter */
export function readPlainText(
  text: string,
  names: ReadonlyMap<string, string>,
  bot: string | null,
): string {
  return (bot === null ? text : dropAddress(text, bot))
    .replace(markup, (_, mark: string) => readMark(mark, names))
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
    .trim();
}

function dropAddress(text: string, bot: string): string {
  const mention = `<@${bot}(?:\\|[^<>]*)?>`;
  const whole = new RegExp(`^${mention}$`);
  let rest = text.trim().replace(new RegExp(`^(?:${mention}[\\s:,]*)+`), '');
  while (rest.endsWith('>')) {
    const at = rest.lastIndexOf('<');
    if (at < 0 || !whole.test(rest.slice(at))) break;
    rest = rest.slice(0, at).trimEnd();
  }
  return rest.replace(new RegExp(mention, 'g'), `@${ownName}`);
}

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

/** The names of the people a text mentions, and the handles of user groups where Slack does not say them. */
export async function nameMentioned(
  { people, userGroups }: Pick<SlackContext, 'people' | 'userGroups'>,
  team: string,
  text: string,
  bot: string | null,
): Promise<Map<string, string>> {
  const named = new Map<string, string>();
  for (const one of new Set(mentionedIn(text))) {
    if (one === bot) continue;
    // A name that cannot be had stays the id; what was asked for does not wait for it.
    const found = await people.find(team, one).catch(() => null);
    if (found !== null) named.set(one, found.name);
  }
  if (/<!subteam\^S[A-Z0-9]+>/.test(text)) {
    const groups = await userGroups.list(team).catch(() => []);
    for (const { id, handle } of groups) named.set(id, `@${handle}`);
  }
  return named;
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
  const named = await nameMentioned(context, team, message.text, bot);
  const text = readPlainText(message.text, named, bot);
  if (text === '') {
    await port.whisper(place, user, { text: escapeMrkdwn(emptyMention), card: null });
    return;
  }
  const who = await people.find(team, user);
  const conversation = await openConversation(place, place.thread === null ? who.timezone : null);
  // However often this is tried, the message is heard once.
  const once = nameMessage(team, channel, ts);
  const written_at = new Date(Number(ts) * 1000);
  await service.say(conversation, text, person(who.id, 'slack', who.timezone), {
    once,
    written_at,
  });
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
  const { id, timezone } = await people.find(team, user);
  try {
    await service.stopRun(planning.run_id, planning.turn, person(id, 'slack', timezone));
  } catch (error) {
    if (!(error instanceof CountersignError) || error.passesAfterMs !== null) throw error;
    if (error.code === 'invalid_transition') return;
    await port.whisper(place, user, { text: escapeMrkdwn(error.message), card: null });
  }
}
