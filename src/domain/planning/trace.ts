// The planning trace, one entry per step (B11).
import { z } from 'zod';
import { IntroducedBy } from '../plan/pattern.ts';
import { line } from '../text.ts';
import { Stage, StageEvent } from './stages.ts';

/** B8: 0.50 × self + 0.30 × rules + 0.20 × heuristics. */
export const Confidence = z.strictObject({
  /** Null leaves its weight to the others. */
  self: z.number().min(0).max(1).nullable(),
  rules: z.number().min(0).max(1),
  heuristics: z.number().min(0).max(1),
  composite: z.number().min(0).max(1),
});
export type Confidence = z.infer<typeof Confidence>;

export const Violation = z.strictObject({
  /** Stable: `cycle`, `l1_structure`, `unreachable`, … */
  code: line(60),
  node: line(200).nullable(),
  text: line(1000),
  /** Otherwise it only lowers confidence. */
  blocking: z.boolean(),
});
export type Violation = z.infer<typeof Violation>;

export const Adaptation = z.strictObject({
  what: z.enum(['added', 'removed', 'changed', 'moved', 'linked', 'unlinked', 'rescheduled']),
  /** `3` or `3 → 5`. */
  node: line(500),
  introduced_by: IntroducedBy,
  why: line(1000),
});
export type Adaptation = z.infer<typeof Adaptation>;

export const TraceEntry = z.strictObject({
  stage: z.string(),
  /** A tool, a model, or `controller`. */
  tool: z.string(),
  at: z.string(),
  duration_ms: z.number(),
  ok: z.boolean(),
  confidence: z.number().nullable(),
  /** US dollars; 0 if stored. */
  cost_delta: z.number(),
  explanation: z.string(),
  turn: z.number().int().optional(),
  violations: z.array(Violation).optional(),
  adaptations: z.array(Adaptation).optional(),
  parts: Confidence.optional(),
  event: StageEvent.optional(),
  to: Stage.optional(),
  /** `approve by ana`. */
  decision: z.string().optional(),
  call_to_action: z.string().optional(),
  /** From the memo. */
  remembered: z.boolean().optional(),
});
export type TraceEntry = z.infer<typeof TraceEntry>;
