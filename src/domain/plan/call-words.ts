// A call in a few words, from the call itself.
import { showExact, showString } from '../shown-text.ts';
import { countOf, shorten } from '../words.ts';
import type { CallDescription, CallValue } from './call.ts';

const maxShort = 120;

/** Text that reads like another type is quoted. */
export function exactOf({ text, later, json }: CallValue): string {
  return later || json === true ? showExact(text) : showString(text);
}

/** `Moves a.txt to b.txt`. */
export function sayHeadline({ headline }: Pick<CallDescription, 'headline'>): string {
  return headline.map((word) => (typeof word === 'string' ? word : exactOf(word))).join(' ');
}

export function shortenSized(text: string, most: number): string {
  return text.length <= most
    ? text
    : `${shorten(text, most)} (${countOf(text.length, 'character')})`;
}

/** `Calls tracker_open · title: Broken`, shortened. */
export function nameCall({ headline, parts }: Pick<CallDescription, 'headline' | 'parts'>): string {
  const values = parts.filter(({ aid }) => aid !== true);
  const phrases = [
    sayHeadline({ headline }),
    ...values.map((part) => `${showExact(part.label)}: ${exactOf(part)}`),
  ];
  return shortenSized(phrases.join(' · '), maxShort);
}
