// Offered alternatives: number, distinctness, wording.
import { z } from 'zod';
import type { InteractionPolicy } from '#domain/people/policy.ts';
import type { MessageLine } from '#domain/planning/asked-question.ts';
import { quoteWords } from '#domain/shown-text.ts';
import { type JsonObject, line } from '#domain/text.ts';
import { trimTail } from '#domain/words.ts';
import { detailOf, optionsWanted } from './effects.ts';

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

/** Jaccard index. */
function measureOverlap(one: string, other: string): number {
  const [a, b] = [meaningfulWords(one), meaningfulWords(other)];
  if (a.size === 0 && b.size === 0) return one.trim() === other.trim() ? 1 : 0;
  const shared = [...a].filter((word) => b.has(word)).length;
  return shared / (a.size + b.size - shared);
}

export function areAlike(one: string, other: string, share: number): boolean {
  if (namesOf(one) !== namesOf(other)) return false;
  return measureOverlap(one, other) >= share;
}

/** Paths, numbers and quoted words, which tell equal wordings apart. */
function namesOf(text: string): string {
  const parts = text.split(/["“”«»]/);
  const found = parts.flatMap((part, at) => {
    if (at % 2 === 1 && at < parts.length - 1) return [`"${part}"`];
    const words = part.split(/[\s,;:?!]/).map((word) => trimTail(word, /\W/));
    return words.filter((word) => /[\d./_@]./.test(word));
  });
  return found.toSorted().join(' ').toLowerCase();
}

const optionLength = 240;

export const Alternative = z.strictObject({
  name: line(60),
  text: line(optionLength),
  differs: line(optionLength).describe('its cost, gain or risk'),
});
export type Alternative = z.infer<typeof Alternative>;

/** Above this share of words, two are one. */
const sameAbove = 0.5;
const sameDifferenceAbove = 0.8;

export type Checked = { kept: Alternative[]; problems: string[] };

/** Fewer than two count as none. */
export function checkAlternatives(given: Alternative[], policy: InteractionPolicy): Checked {
  const kept: Alternative[] = [];
  const problems: string[] = [];
  for (const one of given) {
    const problem = findProblem(one, kept);
    if (problem === null) kept.push(one);
    else problems.push(problem);
  }
  return { kept: kept.slice(0, optionsWanted(policy)), problems };
}

function findProblem(one: Alternative, kept: Alternative[]): string | null {
  const name = quoteWords(one.name, 200);
  if (measureOverlap(one.differs, one.text) > sameDifferenceAbove)
    return `${name} does not say how it differs; it says itself again.`;
  for (const other of kept) {
    if (other.name.toLowerCase() === one.name.toLowerCase())
      return `${name} is there twice; give each a name of its own.`;
    if (measureOverlap(other.text, one.text) > sameAbove)
      return `${name} is nearly the same as ${quoteWords(other.name, 200)}; give one that goes about it differently.`;
    if (measureOverlap(other.differs, one.differs) > sameDifferenceAbove)
      return `${name} differs in the same way as ${quoteWords(other.name, 200)}; say what sets it apart.`;
  }
  return null;
}

/** Named so that an answer can refer to one. */
export function toOffered(kept: Alternative[]): JsonObject[] {
  return kept.map((one, index) => ({ kind: 'option', number: index + 1, ...one }));
}

/** Differences are for talkative policies. */
export function writeAlternatives(
  question: string,
  kept: Alternative[],
  policy: InteractionPolicy,
): MessageLine[] {
  const brief = detailOf(policy) === 'short';
  const lines = kept.flatMap(({ name, text, differs }, index): MessageLine[] => [
    { text: `${index + 1}. ${name}: ${text}`, on_card: true },
    ...(brief ? [] : [{ text: `   ${differs}` }]),
  ]);
  return [{ text: question, on_card: true }, ...lines];
}
