// States of steps in words and a symbol. The symbol is never alone and the colour never the only sign.
import type { Tone } from '#cards/view.ts';
import type { StepStatus } from '#domain/plan/plan.ts';
import { capitalise } from './format.ts';

export type Words = { symbol: string; words: string; tone: Tone };

const stepWords: Record<StepStatus, Words> = {
  pending: { symbol: '○', words: 'Not yet', tone: 'default' },
  ready: { symbol: '◌', words: 'Ready', tone: 'default' },
  running: { symbol: '▸', words: 'Running', tone: 'accent' },
  waiting: { symbol: '◷', words: 'Waiting for a person', tone: 'warning' },
  succeeded: { symbol: '✓', words: 'Done', tone: 'good' },
  failed: { symbol: '✕', words: 'Failed', tone: 'attention' },
  skipped: { symbol: '–', words: 'Skipped', tone: 'default' },
  cancelled: { symbol: '⊘', words: 'Cancelled', tone: 'default' },
  stale: { symbol: '≈', words: 'On hold', tone: 'warning' },
  unknown: { symbol: '?', words: 'Outcome unknown', tone: 'warning' },
};

export function describeStep(status: StepStatus): Words {
  return stepWords[status];
}

/** `step_succeeded` → `Step succeeded`, or `Step 2b succeeded`. */
export function describeKind(kind: string, step?: string): string {
  const [subject, ...words] = kind.split('_');
  if (step !== undefined && subject === 'step') return `Step ${step} ${words.join(' ')}`;
  const name = capitalise(kind.replaceAll('_', ' '));
  return step === undefined ? name : `${name}: ${step}`;
}
