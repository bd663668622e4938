// Compares two values word by word.
import { diffWordsWithSpace } from 'diff/lib/diff/word.js';

export type Piece = { text: string; changed: boolean };

/** Longer values are compared as wholes. */
const maxCompared = 10_000;

/** The pieces add up to the values. */
export function compareWords(from: string, to: string): { before: Piece[]; after: Piece[] } {
  if (from.length + to.length > maxCompared)
    return { before: [{ text: from, changed: true }], after: [{ text: to, changed: true }] };
  const pieces = diffWordsWithSpace(from, to);
  return {
    before: pieces.flatMap(({ value, added, removed }) =>
      added ? [] : [{ text: value, changed: removed }],
    ),
    after: pieces.flatMap(({ value, added, removed }) =>
      removed ? [] : [{ text: value, changed: added }],
    ),
  };
}
