// Replies to one person about what they did: as the answer that Teams waits for, or in their own chat with the bot. The answer is a
// card or a sentence that only the presser sees:
// https://learn.microsoft.com/microsoftteams/platform/task-modules-and-cards/cards/universal-actions-for-adaptive-cards/work-with-universal-actions-for-adaptive-cards
import { z } from 'zod';
import type { EventAttempt } from '#chat/inbox/inbox-context.ts';
import { CountersignError } from '#domain/errors.ts';
import { drawNote } from '../lists/answer-command.ts';
import { cardType } from '../port/make-activity.ts';
import type { Scene } from '../signals/read-activity.ts';
import type { TeamsContext } from '../teams-context.ts';

/** What the handler of a press leaves for its waiter. */
export const Reply = z.object({ note: z.string() });
export type Reply = z.infer<typeof Reply>;

/**
 * After this long the waiting person may be gone before they could read the answer. What they do not read all the same
 * is handled once more, and told then.
 */
const toldElsewhereAfterMs = 6000;

/** Tells one person in their chat with the bot. */
export async function tellPerson(context: TeamsContext, scene: Scene, text: string): Promise<void> {
  try {
    await context.port.whisper(scene.place, scene.from.id, drawNote(text));
  } catch (cause) {
    if (cause instanceof CountersignError && cause.passesAfterMs !== null) throw cause;
    // It was refused, whether or not its person learns of it.
    context.warn('The reason why a press was refused could not be shown in Teams.', cause);
  }
}

/** Tells them where they wait for the answer to a press, else in their chat with the bot. @param asks they wait for one */
export async function tellPresser(
  context: TeamsContext,
  scene: Scene,
  note: string,
  asks: boolean,
  attempt: Pick<EventAttempt, 'reply' | 'age'>,
): Promise<void> {
  const reply: Reply = { note };
  if (asks && attempt.age() < toldElsewhereAfterMs) attempt.reply(reply);
  else await tellPerson(context, scene, note);
}

export type InvokeAnswer = { statusCode: number; type: string; value: unknown };

/** The card takes the place of the one that was pressed, for the presser alone. */
export function answerCard(card: unknown): InvokeAnswer {
  return { statusCode: 200, type: cardType, value: card };
}

export function answerText(text: string): InvokeAnswer {
  return { statusCode: 200, type: 'application/vnd.microsoft.activity.message', value: text };
}

/** The press is none that we know. */
export function answerUnknown(message: string): InvokeAnswer {
  return {
    statusCode: 400,
    type: 'application/vnd.microsoft.error',
    value: { code: 'BadRequest', message },
  };
}
