// Which steps send text to the language model's provider when they run.
import { hasRuntime } from './arguments.ts';
import type { Step } from './plan.ts';

const writers = new Set(['text_write', 'text_summarize', 'draft_finalise']);

/** Whether a step has a model write or decide something: what it works on goes to whoever serves that. */
export function asksModel({
  tool,
  operation,
  args,
}: Pick<Step, 'tool' | 'operation' | 'args'>): boolean {
  return writers.has(`${tool}_${operation}`) || hasRuntime(args);
}
