// How a press is answered: with a card or a sentence that only the presser sees. Pure.
// https://learn.microsoft.com/microsoftteams/platform/task-modules-and-cards/cards/universal-actions-for-adaptive-cards/work-with-universal-actions-for-adaptive-cards
import { cardType } from '../port/make-activity.ts';

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
