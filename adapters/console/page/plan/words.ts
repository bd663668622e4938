// Step states as symbol and words; colour is never alone.
import type { Tone } from '#cards/view.ts';
import { stepWords } from '#cards/words.ts';
import type { StepStatus } from '#domain/plan/plan.ts';
import { capitalise } from '#domain/words.ts';

export type Words = { symbol: string; words: string; tone: Tone };

const signs: Record<StepStatus, [symbol: string, tone: Tone]> = {
  pending: ['○', 'default'],
  ready: ['◌', 'default'],
  running: ['▸', 'accent'],
  waiting: ['◷', 'warning'],
  succeeded: ['✓', 'good'],
  failed: ['✕', 'attention'],
  skipped: ['–', 'default'],
  cancelled: ['⊘', 'default'],
  stale: ['≈', 'warning'],
  unknown: ['?', 'warning'],
};

export function describeStep(status: StepStatus): Words {
  const [symbol, tone] = signs[status];
  return { symbol, words: capitalise(stepWords[status]), tone };
}

/** `step_succeeded` → `Step succeeded`, or `Step 2b succeeded`. */
export function describeKind(kind: string, step?: string): string {
  const [subject, ...words] = kind.split('_');
  if (step !== undefined && subject === 'step') return `Step ${step} ${words.join(' ')}`;
  const name = capitalise(kind.replaceAll('_', ' '));
  return step === undefined ? name : `${name}: ${step}`;
}
