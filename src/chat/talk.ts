// Platform-independent handling of messages, presses and “plan this message”.
import { pressWords } from '#cards/chat-words.ts';
import { askAboutMessage } from '#cards/plan-this.ts';
import { carryOutPressIn } from '#conversation/press.ts';
import type { Pressed } from '#domain/chat/card.ts';
import { type ChatPlace, conversationAt } from '#domain/chat/chat.ts';
import type { Press } from '#domain/chat/press.ts';
import { CountersignError } from '#domain/errors.ts';
import type { Actor } from '#domain/people/actor.ts';
import type { EventAttempt } from './inbox/inbox-context.ts';
import type { ChatContext } from './platform.ts';

type Talk = Pick<ChatContext, 'service' | 'openConversation'>;

/** `direct`: their time zone, where they alone read the place. */
type Speaker = { actor: Actor; direct: string | null };

/** Whether a message is for the bot, as far as it says itself; `maybe`: if the bot is in that conversation. */
export type Addressed = 'yes' | 'maybe' | 'no';

export type WrittenMessage = {
  place: ChatPlace;
  addressed: Addressed;
  /** Its words; called only for what is for the bot. */
  read(): string | Promise<string>;
  /** null: an app, or somebody who has left. @throws where the platform does not say, so that it is tried again */
  from(): Promise<Speaker | null>;
  /** There were no words in it. */
  answerNothing(): Promise<void>;
  /** Answers a command. @returns false: it is talk */
  answerCommand?(text: string): Promise<boolean>;
  /** The message's name: it is heard once, however often it is tried. */
  once: string;
  /** By the platform's time; null: it does not say. */
  writtenAt: Date | null;
};

/** Hands a message to the conversation of its place. */
export async function hearMessage(
  { service, openConversation }: Talk,
  message: WrittenMessage,
  attempt: Pick<EventAttempt, 'forget'>,
): Promise<void> {
  const { place, addressed, once, writtenAt } = message;
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
  await service.say(conversation, text, speaker.actor, { once, ...written });
}

/**
 * Carries a press out in the conversation of its card.
 * @param place null: it belongs to none, as a list or a Home, where nothing is decided
 * @returns why nothing was done; null: it was done
 */
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

/** Plans a message that somebody picked. Always a new request: its words are someone else's. */
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

/** @returns what `act` was refused with; null: it was not. @throws what passes by itself */
export async function sayRefusal(act: () => Promise<unknown>): Promise<string | null> {
  try {
    await act();
    return null;
  } catch (error) {
    if (!(error instanceof CountersignError) || error.passesAfterMs !== null) throw error;
    return error.message;
  }
}

/** Does what an event asks for; who may not use the bot at all is told. */
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
