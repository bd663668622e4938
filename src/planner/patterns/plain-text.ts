// Words of a model inside a message of ours: one line of bounded length that no surface can read as anything but text.
import { makeStorableText } from '#contracts/text.ts';
import { shorten } from '#contracts/words.ts';

/** Control characters, direction overrides and zero-width characters: they change how text looks, not what it says. */
const invisible = /[\p{Cc}\p{Cf}]/gu;
/** What Markdown, mrkdwn and HTML give a meaning to. */
const markup = /[<>`*[\]|~\\#]/g;

export function toPlainText(text: string, most: number): string {
  const plain = makeStorableText(text)
    .replace(/\s+/g, ' ')
    .replace(invisible, '')
    .replace(markup, '')
    // Quotes that stand around it in a sentence cannot be closed from inside.
    .replace(/[“”„«»"]/g, "'")
    .replace(/ {2,}/g, ' ')
    .trim();
  return shorten(plain, most);
}
