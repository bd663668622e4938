// Sentences of planners and tools: our own are shown as they are, others are quoted.
import { quoteWords, showTitle } from '../shown-text.ts';

/** Built-in tools that word their own results; elsewhere people, models or servers do. */
const ownWords = new Set(['workspace', 'chat', 'reminder', 'calendar', 'control']);

/** A step's result, or ''. */
export function showResult(
  { tool, result_summary: text }: { tool: string; result_summary: string | null },
  max: number,
): string {
  return (ownWords.has(tool) ? showTitle : quoteWords)(text ?? '', max);
}

/** The name of the planner without a model. */
export const offlinePlanner = 'offline planner';

/** A planner's sentence, or ''. */
export function showPlanned(text: string, planner: string | null, max: number): string {
  return planner === offlinePlanner ? showTitle(text, max) : quoteWords(text, max);
}
