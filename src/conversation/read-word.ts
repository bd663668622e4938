// The words that decide, matched exactly; everything else is talk, and no model reads a decision into it.
import { readStepChoice, type StepChoice } from '#domain/plan/step-choice.ts';
import type { Waits } from '#runs/session-subject.ts';

export type Word =
  /** `now`: steps whose start has passed run at once. */
  | { kind: 'approve'; now?: true }
  | { kind: 'approve_part'; choice: StepChoice }
  | { kind: 'reject' }
  | { kind: 'cancel' }
  | { kind: 'status' }
  | { kind: 'propose_changes'; feedback: string }
  /** `to`: a version, or null for the one before. */
  | { kind: 'go_back'; to: number | null }
  | { kind: 'talk' };

/**
 * The decision in `text`. Ignores case and surrounding space; any other word makes it talk. Steps are named by the card's
 * numbers: `approve 1-3, 5`, `approve all but 4`.
 */
export function readWord(text: string): Word {
  const trimmed = text.trim();
  switch (trimmed.toLowerCase()) {
    case 'approve':
      return { kind: 'approve' };
    case 'approve now':
      return { kind: 'approve', now: true };
    case 'reject':
      return { kind: 'reject' };
    case 'cancel':
      return { kind: 'cancel' };
    case 'status':
      return { kind: 'status' };
    case 'undo':
      return { kind: 'go_back', to: null };
    default:
      return readApprovedPart(trimmed) ?? readVersion(trimmed) ?? readChanges(trimmed);
  }
}

function readApprovedPart(text: string): Word | null {
  const steps = /^approve\s([\s\S]*)$/i.exec(text)?.[1];
  const choice = steps === undefined ? null : readStepChoice(steps);
  return choice === null ? null : { kind: 'approve_part', choice };
}

function readVersion(text: string): Word | null {
  const version = /^go back to version (\d{1,6})$/i.exec(text)?.[1];
  return version === undefined ? null : { kind: 'go_back', to: Number(version) };
}

function readChanges(text: string): Word {
  const rest = /^propose changes/i.test(text) ? text.slice('propose changes'.length) : null;
  const isAsked = rest !== null && (rest.startsWith(':') || ['', ':'].includes(rest.trim()));
  return isAsked
    ? { kind: 'propose_changes', feedback: rest.replace(':', '').trim() }
    : { kind: 'talk' };
}

const continueWords = /^(?:go on|yes|continue)$/;
const stop = /^(?:stop|no)$/;

/** The same for a waiting session: budget questions also accept everyday answers. */
export function readWordFor(text: string, waits: Waits | null): Word {
  const word = readWord(text);
  if (waits !== 'budget' || word.kind !== 'talk') return word;
  const plain = text.trim().toLowerCase().replace(/[.!]$/, '');
  if (continueWords.test(plain)) return { kind: 'approve' };
  return stop.test(plain) ? { kind: 'reject' } : word;
}
