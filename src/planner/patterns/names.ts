// The pattern, subtype or variant meant by a name that differs by a letter, a word or an ending.
import { PatternType } from '#domain/plan/pattern.ts';
import { patternRules } from './rules.ts';

/** Small letters and digits, in order; everything else separates. */
export function toTokens(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** Number of letters to change, put in or take out (Levenshtein 1966), in one row. */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let i = 1; i <= one.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= other.length; j += 1) {
      const change = (row[j - 1] ?? 0) + (one[i - 1] === other[j - 1] ? 0 : 1);
      next.push(Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[other.length] ?? 0;
}

function nearlyEqual(one: string, other: string): boolean {
  if (one === other) return true;
  const longest = Math.max(one.length, other.length);
  return longest > 3 && distance(one, other) / longest <= 0.25;
}

/** Names are short; what is longer is compared by its beginning, so that nobody can make this slow. */
const maxCompared = 100;

/** 0..1: share of words that two names have in common, small differences in spelling forgiven (Dice 1945). */
function similarity(one: string, other: string): number {
  const left = toTokens(one.slice(0, maxCompared).replaceAll('_', ' '));
  const right = toTokens(other.slice(0, maxCompared).replaceAll('_', ' '));
  if (left.length === 0 || right.length === 0) return 0;
  if (left.join('') === right.join('')) return 1;
  const free = [...right];
  let shared = 0;
  for (const word of left) {
    const index = free.findIndex((candidate) => nearlyEqual(word, candidate));
    if (index === -1) continue;
    free.splice(index, 1);
    shared += 1;
  }
  return (2 * shared) / (left.length + right.length);
}

/** A name is taken for a known one from here on. */
const nearEnough = 0.6;

function nearest(name: string, known: string[]): string | null {
  let found: { name: string; score: number } | null = null;
  for (const candidate of known) {
    const score = similarity(name, candidate);
    if (score >= nearEnough && score > (found?.score ?? 0)) found = { name: candidate, score };
  }
  return found?.name ?? null;
}

/** The pattern meant by a name that is nearly right (`Milestone Project`, `recurring-cycles`); null: none. */
export function findPattern(name: string): PatternType | null {
  const found = PatternType.safeParse(nearest(name, PatternType.options));
  return found.success ? found.data : null;
}

/** The known subtype meant by `name`; null: none is near. */
export function findSubtype(pattern: PatternType, name: string): string | null {
  return nearest(name, patternRules[pattern].subtypes);
}

export function findVariant(pattern: PatternType, name: string): string | null {
  return nearest(name, patternRules[pattern].variants);
}
