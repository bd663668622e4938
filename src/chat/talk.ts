// Handles messages, presses and “plan this message”.
import { pressWords } from '#cards/chat-words.ts';
import { askAboutMessage } from '#cards/plan-this.ts';
import { carryOutPressIn } from '#conversation/press.ts';
import type { AttachedFile } from '#domain/attached-file.ts';
import type { Pressed } from '#domain/chat/card.ts';
import { type ChatPlace, conversationAt } from '#domain/chat/chat.ts';
import type { Press } from '#domain/chat/press.ts';
import { CountersignError } from '#domain/errors.ts';
import type { Actor } from '#domain/people/actor.ts';
import type { EventAttempt } from './inbox/inbox-context.ts';
import type { ChatContext } from './platform.ts';

type Talk = Pick<ChatContext, 'service' | 'openConversation'>;

/** `direct`: time zone of the only reader. */
type Speaker = { actor: Actor; direct: string | null };

/** `maybe`: if the bot is there. */
export type Addressed = 'yes' | 'maybe' | 'no';

export type WrittenMessage = {
  place: ChatPlace;
  addressed: Addressed;
  /** Called only if it is for the bot. */
  read(): string | Promise<string>;
  /** Null for an app or former member. @throws to be retried */
  from(): Promise<Speaker | null>;
  answerNothing(): Promise<void>;
  /** @returns false if it is talk */
  answerCommand?(text: string): Promise<boolean>;
  files?: AttachedFile[];
  once: string;
  /** By the platform's clock. */
  writtenAt: Date | null;
};

export async function handleMessage(
  { service, openConversation }: Talk,
  message: WrittenMessage,
  attempt: Pick<EventAttempt, 'forget'>,
): Promise<void> {
  const { place, addressed, once, writtenAt, files = [] } = message;
  if (addressed === 'no') return attempt.forget();
  if (addressed === 'maybe' && !(await service.isSpokenIn(conversationAt(place))))
    return attempt.forget();
  const text = await message.read();
  if (text === '') return message.answerNothing();
  if (await message.answerCommand?.(text)) return;
  const speaker = await message.from();
  if (speaker === null) return;
  const conversation = await openConversation(place, speaker.direct);
  const written = writtenAt === null ? {} : { written_at: writtenAt };
  const attached = files.length === 0 ? {} : { files };
  await service.say(conversation, text, speaker.actor, { once, ...written, ...attached });
}

/** In its card's conversation. @param place null for a list or Home, where nothing is decided @returns the refusal or null */
export async function decideInChat(
  { service }: Pick<ChatContext, 'service'>,
  place: ChatPlace | null,
  press: Press,
  actor: Actor,
  pressed: Pressed,
): Promise<string | null> {
  const conversation = place === null ? null : conversationAt(place);
  const { elsewhere } = pressWords;
  const refusal = await carryOutPressIn(service, conversation, press, actor, pressed, elsewhere);
  return refusal?.message ?? null;
}

/** A new request: the words are another person's. */
export async function planMessage(
  { service, openConversation }: Talk,
  place: ChatPlace,
  { actor, direct }: Speaker,
  about: Parameters<typeof askAboutMessage>[0],
  once: string,
): Promise<void> {
  const conversation = await openConversation(place, direct);
  const request = { text: askAboutMessage(about), conversation, user: actor.id, typed: about.what };
  await service.startRun(request, actor, { once });
}

/** @returns the refusal or null @throws transient errors */
export async function sayRefusal(act: () => Promise<unknown>): Promise<string | null> {
  try {
    await act();
    return null;
  } catch (error) {
    if (!(error instanceof CountersignError) || error.passesAfterMs !== null) throw error;
    return error.message;
  }
}

/** Explains refusals to people who may not use the bot. */
export async function unlessForbidden(
  act: () => Promise<void>,
  tell: (why: string) => Promise<void>,
): Promise<void> {
  try {
    await act();
  } catch (error) {
    if (!(error instanceof CountersignError) || error.code !== 'forbidden') throw error;
    await tell(error.message);
  }
}
