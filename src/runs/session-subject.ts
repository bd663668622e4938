// The subject that a run's session waits for, and its digest. Pure.
import { createHash } from 'node:crypto';
import type { RunRow } from '#db/planning/runs.ts';
import type { Pause } from '#domain/planning/state.ts';
import { quoteWords } from '#domain/shown-text.ts';

type Kind = Pause['kind'];
/** A waiting plan has its own card. */
export type Waits = Exclude<Kind, 'plan'>;

type Shown = Pick<
  RunRow,
  'id' | 'turn' | 'planning_status' | 'pause' | 'questions' | 'rfc' | 'response_text' | 'request'
>;

/** Null if it waits for nothing or for the plan. */
export function waitsFor({ planning_status: status, pause, questions }: Shown): Waits | null {
  if (status !== 'needs_clarification' && status !== 'needs_scheduling_escalation') return null;
  if (pause !== null) return pause.kind === 'plan' ? null : pause.kind;
  return questions === null ? null : 'questions';
}

export function isOpen(run: Shown | null): boolean {
  return run !== null && (run.planning_status === 'running' || waitsFor(run) !== null);
}

/** `approve` and `propose changes: …` refer to the session, not a plan. */
export function isDecidable(waits: Waits | null): waits is Exclude<Waits, 'questions'> {
  return waits !== null && waits !== 'questions';
}

/** A gate's is its artifact's; otherwise it covers the message. */
export function digestShown(run: Shown): string {
  if (run.pause?.digest != null) return run.pause.digest;
  const shown = [run.id, run.turn, run.pause?.kind ?? null, run.rfc?.text ?? null];
  return createHash('sha256')
    .update(JSON.stringify([...shown, run.response_text]))
    .digest('hex');
}

export function nameShown(run: Shown): string {
  const waits = waitsFor(run);
  switch (waits) {
    case 'gate':
      return `the ${run.pause?.gate ?? 'draft'}`;
    case 'rfc':
      return `the request for ${run.rfc?.proposes ?? 'a new pattern'}`;
    case 'budget':
      return 'a question about the planning budget';
    case 'escalation':
      return 'a schedule that doesn’t fit';
    case 'answer':
      return 'an answer to a step';
    case 'questions':
      return 'a question';
    case null:
      return run.planning_status === 'running' ? 'planning in progress' : 'nothing to decide';
    default:
      return waits satisfies never;
  }
}

/** With its subject, to distinguish several. */
export function nameWaiting(run: Shown): string {
  return `${nameShown(run)} of ${quoteWords(run.request, 60)}`;
}
