// Sentences of planners and tools: our own are shown as they are, others are quoted. And of steps whose work continues elsewhere
// after the call returned.
import { quoteWords, showTitle } from '../shown-text.ts';
import type { Step } from './plan.ts';

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

export function isHandedOver({ status, output }: Pick<Step, 'status' | 'output'>): boolean {
  return status === 'running' && typeof output === 'object' && output !== null && 'later' in output;
}

/** Names who such a step waits for, or null; a wait of our own says how long itself. */
export function describeHandedOver(step: Pick<Step, 'status' | 'output' | 'tool'>): string | null {
  return isHandedOver(step) && step.tool !== 'control' ? `${step.tool} is working on it` : null;
}
