// Somebody else's words on a card: labelled, in quotation marks, in a line of their own.
import { quoteWords } from '#domain/shown-text.ts';
import type { Quote } from './view.ts';

/** `Reason: “…”` */
export function drawQuote({ by, words }: Quote): string {
  return by === '' ? words : `${by}: ${words}`;
}

/** One quote, or none where nothing was said. */
export function quote(by: string, text: string | null | undefined, max: number): Quote[] {
  const words = quoteWords(text ?? '', max);
  return words === '' ? [] : [{ by, words }];
}
