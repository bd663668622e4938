// Alternatives offered to a person: how many, how distinct, and how they are worded. The same rules for ideas and options.
import { z } from 'zod';
import type { InteractionPolicy } from '#domain/people/policy.ts';
import type { MessageLine } from '#domain/planning/asked-question.ts';
import { quoteWords } from '#domain/shown-text.ts';
import { type JsonObject, line } from '#domain/text.ts';
import { detailOf, optionsWanted } from './effects.ts';
import { measureOverlap } from './likeness.ts';

/** Characters of an option's sentence. */
const optionLength = 240;

export const Alternative = z.strictObject({
  name: line(60),
  text: line(optionLength),
  differs: line(optionLength).describe('its cost, gain or risk'),
});
export type Alternative = z.infer<typeof Alternative>;

/** Alternatives that share more words are one. */
const sameAbove = 0.5;
const sameDifferenceAbove = 0.8;

export type Checked = { kept: Alternative[]; problems: string[] };

/** Limited by the person's preference, with the problems of the others. Fewer than two count as none. */
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

/** An answer can then name one. */
export function toOffered(kept: Alternative[]): JsonObject[] {
  return kept.map((one, index) => ({ kind: 'option', number: index + 1, ...one }));
}

/** Numbered below `question`; differences are for those who read more than a line each. */
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
