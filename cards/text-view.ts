// Answers, notes and questions as views: the same care for untrusted text, no plan.
import { countOf } from '#contracts/words.ts';
import { cutShown, showLine } from './plain.ts';
import type { TextView, Tone } from './view.ts';

const paragraphsAtMost = 80;
const paragraphAtMost = 2000;

function splitParagraphs(text: string): { paragraphs: string[]; hidden: number } {
  const lines = text
    .split(/\r\n|[\r\n\u2028\u2029]/u)
    .map((line) => showLine(line, paragraphAtMost))
    .filter((line) => line !== '');
  return {
    paragraphs: lines.slice(0, paragraphsAtMost),
    hidden: Math.max(0, lines.length - paragraphsAtMost),
  };
}

/** How many lines were left out, in words. */
export function moreLines(hidden: number): string {
  return hidden === 0 ? '' : `… and ${countOf(hidden, 'more line')}`;
}

/** Something the bot says: an answer, or what became of a wish. */
export function viewNotice(
  text: string,
  options: { heading?: string; tone?: Tone; link?: string | null } = {},
): TextView {
  const { paragraphs, hidden } = splitParagraphs(text);
  return {
    kind: 'notice',
    heading: cutShown(options.heading ?? '', 140),
    tone: options.tone ?? 'default',
    paragraphs,
    more: moreLines(hidden),
    link: options.link ?? null,
  };
}
