// Others' words on a card: labelled, quoted, on their own line.
import { showPlanned } from '#domain/plan/planner-words.ts';
import { quoteWords } from '#domain/shown-text.ts';
import type { Quote } from './view.ts';

/** Maximum characters of a text shown in full. Its source limits it. */
export const maxFullText = 20_000;
/** Maximum characters of a sentence on a card. */
export const maxSentence = 500;

/** `Reason: “…”` */
export function drawQuote({ by, words }: Quote): string {
  return by === '' ? words : `${by}: ${words}`;
}

/** The planner's sentence about the plan's purpose. */
export function goal(summary: string | null | undefined, planner: string | null): Quote[] {
  const words = showPlanned(summary ?? '', planner, maxSentence);
  return words === '' ? [] : [{ by: 'Goal', words }];
}

/** One quote, or none for an empty text. */
export function quote(by: string, text: string | null | undefined, max: number): Quote[] {
  const words = quoteWords(text ?? '', max);
  return words === '' ? [] : [{ by, words }];
}
