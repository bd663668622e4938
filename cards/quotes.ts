// Others' words on a card: labelled, quoted, on their own line.
import type { PlanCardFacts } from '#domain/chat/card.ts';
import { showPlanned } from '#domain/plan/planner-words.ts';
import { quoteWords } from '#domain/shown-text.ts';
import { addRun, describeRun } from './times.ts';
import type { Quote } from './view.ts';

/** Maximum characters of a text shown in full. Its source limits it. */
export const maxFullText = 20_000;
/** Maximum characters of a sentence on a card. */
export const maxSentence = 500;

/** `Reason: “…”` */
export function drawQuote({ by, words }: Quote): string {
  return by === '' ? words : `${by}: ${words}`;
}

/** The planner's sentence about the plan's purpose, then when it runs: `… Repeats every Monday.` */
export function goal(
  summary: string | null | undefined,
  planner: string | null,
  run: string | null,
): Quote[] {
  const words = showPlanned(summary ?? '', planner, maxSentence);
  if (words === '') return [];
  const sentence = (run: string) => ` ${run.charAt(0).toUpperCase()}${run.slice(1)}.`;
  return [{ by: 'Goal', words: addRun(words, run, sentence) }];
}

/** Without a sentence, the title says it. */
export function goalOf(facts: PlanCardFacts): Quote[] {
  const { summary, planner_model } = facts.plan;
  return goal(summary, planner_model, describeRun(facts));
}

/** One quote, or none for an empty text. */
export function quote(by: string, text: string | null | undefined, max: number): Quote[] {
  const words = quoteWords(text ?? '', max);
  return words === '' ? [] : [{ by, words }];
}
