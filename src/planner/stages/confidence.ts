// Composite confidence of a stage and the verdict that follows (B8). Sums are rounded before comparison, so floating-point
// noise never decides whether a person is asked.
import type { Confidence } from '#domain/planning/trace.ts';

const weights = { self: 0.5, rules: 0.3, heuristics: 0.2 };

/** From `continue` on a stage goes on; below `escalate` a person is asked; between, it is tried again. */
export type Thresholds = { continue: number; escalate: number };
export type Verdict = 'continue' | 'retry' | 'escalate';

/** Nine digits: far finer than anything scored, far coarser than what adding doubles leaves behind. */
function round(score: number): number {
  return Math.round(score * 1e9) / 1e9;
}

/** Within 0 and 1; what is no number is no sureness. */
function clamp(score: number): number {
  return Number.isNaN(score) ? 0 : Math.min(1, Math.max(0, score));
}

/**
 * 0.50 × the model's own score + 0.30 × rules + 0.20 × heuristics. Without an own score (null, or no number) the other
 * two carry all of the weight, in their proportion.
 */
export function composeConfidence(scores: {
  self: number | null;
  rules: number;
  heuristics: number;
}): Confidence {
  const self = scores.self === null || Number.isNaN(scores.self) ? null : clamp(scores.self);
  const rules = clamp(scores.rules);
  const heuristics = clamp(scores.heuristics);
  const others = weights.rules * rules + weights.heuristics * heuristics;
  const composite =
    self === null ? others / (weights.rules + weights.heuristics) : weights.self * self + others;
  return { self, rules, heuristics, composite: clamp(round(composite)) };
}

/** What a stage does with a composite confidence; one that is no number is none. */
export function judgeConfidence(confidence: number, thresholds: Thresholds): Verdict {
  const score = round(clamp(confidence));
  if (score >= round(thresholds.continue)) return 'continue';
  return score >= round(thresholds.escalate) ? 'retry' : 'escalate';
}
