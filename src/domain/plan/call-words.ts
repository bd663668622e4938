// A call in a few words, for sentences about a step. Computed from the call, never a planner's description.
import { showExact } from '../shown-text.ts';
import { countOf, shorten } from '../words.ts';
import type { CallDescription } from './call.ts';

const shortAtMost = 120;

/** `Moves a.txt to b.txt`, whole. */
export function sayHeadline({ headline }: Pick<CallDescription, 'headline'>): string {
  return headline.map((word) => (typeof word === 'string' ? word : showExact(word.text))).join(' ');
}

/** `text` in at most `most` characters and, where that cuts it, how long it is. */
export function shortenSized(text: string, most: number): string {
  return text.length <= most
    ? text
    : `${shorten(text, most)} (${countOf(text.length, 'character')})`;
}

/** `Calls tracker_open · title: Broken`: the headline and its values, shortened. */
export function nameCall({ headline, parts }: Pick<CallDescription, 'headline' | 'parts'>): string {
  const values = parts.filter(({ aid }) => aid !== true);
  const said = [
    sayHeadline({ headline }),
    ...values.map(({ label, text }) => `${showExact(label)}: ${showExact(text)}`),
  ];
  return shortenSized(said.join(' · '), shortAtMost);
}
