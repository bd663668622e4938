// Sentences of planners and tools: our own are shown as they are, those of models, people and servers are quoted.
import { quoteWords, showTitle } from '../shown-text.ts';

/** Built-in tools that say themselves what came of a call; elsewhere a person, a model or a server does. */
const ownWords = new Set(['workspace', 'chat', 'reminder', 'calendar', 'control']);

/** What came of a step; '' if nothing is known. */
export function showResult(
  { tool, result_summary: text }: { tool: string; result_summary: string | null },
  max: number,
): string {
  return (ownWords.has(tool) ? showTitle : quoteWords)(text ?? '', max);
}

/** The name of the planner without a model. */
export const offlinePlanner = 'offline planner';

/** A planner's sentence; '' if there is none. */
export function showPlanned(text: string, planner: string | null, max: number): string {
  return planner === offlinePlanner ? showTitle(text, max) : quoteWords(text, max);
}
