// Findings in words.
import type { Finding, Severity } from '#domain/plan/finding.ts';
import { countOf } from '#domain/words.ts';
import type { Tone } from './view.ts';

export function describeHeld({ stale_steps: held }: Finding): string {
  if (held === 0) return 'No step is on hold.';
  return `${countOf(held, 'step')} that ${held === 1 ? 'depends' : 'depend'} on it ${held === 1 ? 'is' : 'are'} on hold; everything else continues.`;
}

/** '' if it waits for a person or needs none. */
export function describeProgress({ status, replans }: Finding): string {
  switch (status) {
    case 'replanning':
      return replans > 1
        ? `working out a change of the plan, try ${replans}`
        : 'working out a change of the plan';
    case 'awaiting_approval':
      return 'a change of the plan waits for approval';
    case 'open':
    case 'resolved':
    case 'dismissed':
      return '';
    default:
      return status satisfies never;
  }
}

export const severityWords: Record<Severity, { symbol: string; words: string; tone: Tone }> = {
  INFO: { symbol: 'ⓘ', words: 'Note', tone: 'default' },
  WARN: { symbol: '△', words: 'Warning', tone: 'warning' },
  ERROR: { symbol: '✕', words: 'Problem', tone: 'attention' },
  CRITICAL: { symbol: '✕', words: 'Critical problem', tone: 'attention' },
};
