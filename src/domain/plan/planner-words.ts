// Sentences of planners: the offline planner's are our own, those of models and people are quoted.
import { quoteWords, showTitle } from '../shown-text.ts';

/** The name of the planner without a model. */
export const offlinePlanner = 'offline planner';

/** A planner's sentence; '' if there is none. */
export function showPlanned(text: string, planner: string | null, max: number): string {
  return planner === offlinePlanner ? showTitle(text, max) : quoteWords(text, max);
}
