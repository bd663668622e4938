// Similarity of two short texts by shared words.
import { trimTail } from '#domain/words.ts';

const empty = new Set(
  'a an the and or of to in on at for with by from as is are be was were it its this that these those do does did will would should shall can could may i you we they he she me my your our their what which who when where how there then than so not no if please'.split(
    ' ',
  ),
);

export function meaningfulWords(text: string): Set<string> {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+(?:[./_-][\p{L}\p{N}]+)*/gu) ?? [];
  return new Set(
    words
      .filter((word) => !empty.has(word))
      .map((word) => (/^\p{L}{5,}$/u.test(word) ? word.replace(/(?:ing|ed|es|s|e)$/, '') : word)),
  );
}

/** Jaccard index: 0 nothing in common, 1 the same words. */
export function measureOverlap(one: string, other: string): number {
  const [a, b] = [meaningfulWords(one), meaningfulWords(other)];
  if (a.size === 0 && b.size === 0) return one.trim() === other.trim() ? 1 : 0;
  const shared = [...a].filter((word) => b.has(word)).length;
  return shared / (a.size + b.size - shared);
}

/** They share at least `share` of their words, and differ in no name or number. */
export function areAlike(one: string, other: string, share: number): boolean {
  if (namesOf(one) !== namesOf(other)) return false;
  return measureOverlap(one, other) >= share;
}

/** Paths, numbers and quoted words: "What should a.txt contain?" and "… b.txt contain?" are two questions. */
function namesOf(text: string): string {
  const parts = text.split(/["“”«»]/);
  const found = parts.flatMap((part, at) => {
    if (at % 2 === 1 && at < parts.length - 1) return [`"${part}"`];
    const words = part.split(/[\s,;:?!]/).map((word) => trimTail(word, /\W/));
    return words.filter((word) => /[\d./_@]./.test(word));
  });
  return found.toSorted().join(' ').toLowerCase();
}
