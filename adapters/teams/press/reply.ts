// Replies to one presser: in Teams' answer or the bot's chat.
// https://learn.microsoft.com/microsoftteams/platform/task-modules-and-cards/cards/universal-actions-for-adaptive-cards/work-with-universal-actions-for-adaptive-cards
import { z } from 'zod';
import type { EventAttempt } from '#chat/inbox/inbox-context.ts';
import { CountersignError } from '#domain/errors.ts';
import { drawNote } from '../lists/answer-command.ts';
import { cardType } from '../port/make-activity.ts';
import type { Scene } from '../signals/read-activity.ts';
import type { TeamsContext } from '../teams-context.ts';

/** The handler's answer for the waiting request. */
export const Reply = z.object({ note: z.string() });
export type Reply = z.infer<typeof Reply>;

/** Later answers may go unseen, so they are handled again and sent to the chat. */
const redirectAfterMs = 6000;

export async function tellPerson(context: TeamsContext, scene: Scene, text: string): Promise<void> {
  try {
    await context.port.whisper(scene.place, scene.from.id, drawNote(text));
  } catch (cause) {
    if (cause instanceof CountersignError && cause.passesAfterMs !== null) throw cause;
    // The refusal holds unseen.
    context.warn('Could not show in Teams why a press was refused.', cause);
  }
}

/** @param asks they wait for an answer */
export async function tellPresser(
  context: TeamsContext,
  scene: Scene,
  note: string,
  asks: boolean,
  attempt: Pick<EventAttempt, 'reply' | 'age'>,
): Promise<void> {
  const reply: Reply = { note };
  if (asks && attempt.age() < redirectAfterMs) attempt.reply(reply);
  else await tellPerson(context, scene, note);
}

export type InvokeAnswer = { statusCode: number; type: string; value: unknown };

/** For the presser only. */
export function answerCard(card: unknown): InvokeAnswer {
  return { statusCode: 200, type: cardType, value: card };
}

export function answerText(text: string): InvokeAnswer {
  return { statusCode: 200, type: 'application/vnd.microsoft.activity.message', value: text };
}

export function answerUnknown(message: string): InvokeAnswer {
  return {
    statusCode: 400,
    type: 'application/vnd.microsoft.error',
    value: { code: 'BadRequest', message },
  };
}
