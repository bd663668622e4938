// "Plan this": asks in a window, plans in the thread.
import type { types } from '@slack/bolt';
import { platformLimits } from '#cards/limits.ts';
import { escapeMrkdwn } from '#cards/plain.ts';
import { planThisWords as words } from '#cards/plan-this.ts';
import { drawForm, textSection } from '#cards/slack-windows.ts';
import { planMessage } from '#chat/talk.ts';
import type { ChatPlace } from '#domain/chat/chat.ts';
import { CountersignError } from '#domain/errors.ts';
import { quoteWords } from '#domain/shown-text.ts';
import { speakerAt } from '../people/people.ts';
import { nameMessage, placeOf } from '../signals/name-signal.ts';
import type { SentSignal, ShortcutSignal } from '../signals/read-signal.ts';
import type { SlackContext } from '../slack-context.ts';
import { collectText, cutMarkup } from '../talk/read-blocks.ts';
import { readPlainText } from '../talk/read-text.ts';
import { nameMentioned } from '../talk/receive-message.ts';
import { type About, planThisCallback, readAbout } from './about.ts';
import { readText } from './read-entered.ts';
import { makeWindow, toBlocks } from './windows.ts';

/** A window stores little more. */
const maxQuoted = 2000;

/** To what a window can store. */
function fitAbout(about: About): { about: About; cut: boolean } {
  let text = about.text.slice(0, maxQuoted);
  const fits = () => JSON.stringify({ ...about, text }).length <= platformLimits.slack.viewMetadata;
  while (!fits()) text = text.slice(0, Math.floor(text.length * 0.8));
  text = cutMarkup(about.text, text.length);
  return { about: { ...about, text }, cut: text.length < about.text.length };
}

function planThisWindow(whole: About): types.ModalView {
  const { about, cut } = fitAbout(whole);
  const quoted = readPlainText(about.text, new Map(), null);
  return {
    ...makeWindow({
      title: words.title,
      submit: words.submit,
      kind: 'form',
      blocks: [
        textSection(quoted === '' ? words.nothing : quoteWords(quoted, maxQuoted)),
        ...(cut ? [textSection(words.cut({ atMost: about.text.length }))] : []),
        ...toBlocks(
          drawForm({
            fields: [],
            label: words.what,
            placeholder: words.placeholder,
            required: quoted === '',
            missing: words.nothing,
            submit: words.submit,
          }),
        ),
      ],
    }),
    callback_id: planThisCallback,
    private_metadata: JSON.stringify(about),
  };
}

/** First, since triggers expire after three seconds. */
export async function openPlanThis(
  { clientOf, clock }: SlackContext,
  { team, shortcut }: ShortcutSignal,
): Promise<void> {
  const { callback_id, trigger_id, user, channel, message } = shortcut;
  if (callback_id !== planThisCallback) return;
  const view = planThisWindow({
    team,
    user: user.id,
    channel: channel.id,
    thread: message.thread_ts ?? message.ts,
    message: message.ts,
    author: message.bot_id == null ? (message.user ?? null) : null,
    app: (message.username ?? message.bot_profile?.name)?.slice(0, 100),
    at: (clock.now().getTime() / 1000).toFixed(6),
    text: collectText(message),
  });
  const client = await clientOf(team);
  await client.views.open({ trigger_id, view });
}

/** Null if Slack gives none. */
async function readLink({ clientOf }: SlackContext, { team, channel, message }: About) {
  const client = await clientOf(team);
  const call = client.chat.getPermalink({ channel, message_ts: message });
  const answer = await call.catch(() => null);
  return answer?.permalink ?? null;
}

/** @returns thread or direct messages; null if neither works */
async function choosePlace(
  { port, reach, people, warn }: SlackContext,
  { team, user, channel, thread }: About,
  link: string | null,
): Promise<ChatPlace | null> {
  const place = placeOf(team, channel, thread);
  try {
    await port.whisper(place, user, { text: escapeMrkdwn(words.heard), card: null });
    return place;
  } catch (error) {
    // Transient errors retry the event.
    if (!(error instanceof CountersignError) || error.passesAfterMs !== null) throw error;
    const { timezone } = await people.find(team, user);
    const direct = await reach.openDirect(team, { user, timezone });
    if (direct === null) {
      warn(
        "Could not plan a message: the app can't post in its conversation or to the person directly.",
        error,
      );
      return null;
    }
    const text = escapeMrkdwn(words.heardElsewhere({ link }));
    await port.whisper(direct, user, { text, card: null });
    return direct;
  }
}

/** Once per window, as its person. */
export async function planThis(context: SlackContext, { team, sent }: SentSignal): Promise<void> {
  const { people } = context;
  const about = readAbout(sent.view);
  if (about === null || about.team !== team || about.user !== sent.user.id) return;
  const who = await people.find(team, about.user);
  const link = await readLink(context, about);
  const place = await choosePlace(context, about, link);
  if (place === null) return;
  const named = await nameMentioned(context, team, about.text, null);
  const author =
    about.author === null ? null : await people.find(team, about.author).catch(() => null);
  const message = {
    what: readText(sent.view),
    author: author?.name ?? about.app ?? words.someone,
    text: readPlainText(about.text, named, null),
    link,
  };
  const { channel, at = about.message } = about;
  // The planner reads the thread up to then.
  const once = `${nameMessage(team, channel, at)}:plan_this:${sent.view.id}`;
  await planMessage(context, place, speakerAt(place, who), message, once);
}
