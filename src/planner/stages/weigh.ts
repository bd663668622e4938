// Weighs a stage's confidence (B8): continue, retry, or ask a person.
import type { Stage } from '#domain/planning/stages.ts';
import type { Confidence, Violation } from '#domain/planning/trace.ts';
import { traceStep } from '../trace-step.ts';
import { composeConfidence, judgeConfidence, type StageContext, type Verdict } from './stage.ts';

/** Keeps the result with the session. */
export function weighStage(
  { session, thresholds }: Pick<StageContext, 'session' | 'thresholds'>,
  parts: Pick<Confidence, 'self' | 'rules' | 'heuristics'>,
): Verdict {
  const confidence = composeConfidence(parts);
  session.setConfidence(session.state.stage, confidence);
  return judgeConfidence(confidence.composite, thresholds);
}

/** Counts this as a try. */
export function mayRetry({ session, limits }: StageContext, stage: Stage): boolean {
  if ((session.state.retries[stage] ?? 0) >= limits.retries) return false;
  session.retry(stage);
  return true;
}

/** VALIDATE_OUTLINE adds the confidence of its rules. */
export function keepSureness(session: StageContext['session']): void {
  const { self, heuristics } = session.sureness;
  if (self === null && heuristics === null) return;
  session.setConfidence(
    'DRAFT_OUTLINE',
    composeConfidence({ self, rules: 1, heuristics: heuristics ?? 1 }),
  );
}

/** A blocking violation of an order or of times costs a half, a doubt a tenth. */
export function scoreViolations(violations: readonly Violation[]): number {
  const blocking = violations.filter((violation) => violation.blocking).length;
  return Math.max(0, 1 - 0.5 * blocking - 0.1 * (violations.length - blocking));
}

/** Traces the stage's own check since `at`. @param sound the message without findings */
export function noteCheck(
  { session, clock }: StageContext,
  at: Date,
  violations: Violation[],
  sound: string,
): void {
  const { stage, confidence } = session.state;
  session.note({
    ...traceStep({
      stage,
      tool: 'controller',
      startedAt: at,
      endedAt: clock.now(),
      ok: violations.every(({ blocking }) => !blocking),
      confidence: confidence[stage]?.composite ?? null,
      explanation: violations.map(({ text }) => text).join(' ') || sound,
    }),
    ...(violations.length === 0 ? {} : { violations }),
  });
}
