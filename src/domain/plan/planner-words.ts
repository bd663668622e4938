// The offline planner is our own code: its sentences are ours, while those of models and people are quoted.
import { quoteWords, showTitle } from '../shown-text.ts';

/** What cards call the planner without a model. */
export const offlinePlanner = 'offline planner';

/** A sentence that a planner wrote; '' if it wrote none. */
export function showPlanned(text: string, planner: string | null, max: number): string {
  return planner === offlinePlanner ? showTitle(text, max) : quoteWords(text, max);
}
