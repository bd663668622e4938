// The roadmap: node order, chosen among options (B14).
import { z } from 'zod';
import { DependencyType } from '../plan/dependency.ts';
import { PatternSpec } from '../plan/pattern.ts';
import { line } from '../text.ts';

export const RoadmapEdge = z.strictObject({
  from: line(200),
  to: line(200),
  type: DependencyType,
  /** Negative for a lead. */
  lag_minutes: z.number().int(),
  /** `stated` by a person or outline, `data` that a step uses, `pattern` rules, this option's `strategy`. */
  why: z.enum(['stated', 'data', 'pattern', 'strategy']),
});
export type RoadmapEdge = z.infer<typeof RoadmapEdge>;

export const RoadmapWay = z.enum(['as said', 'one at a time', 'checked']);
export type RoadmapWay = z.infer<typeof RoadmapWay>;

export const RoadmapMetrics = z.strictObject({
  /** By stated or assumed durations. */
  makespan_minutes: z.number().min(0),
  /** Maximum concurrent nodes with work. */
  width: z.number().int().min(0),
  /** Changes begun before an earlier one is known to have succeeded. */
  unchecked_writes: z.number().int().min(0),
  /** Guarded or destructive operations without a checkpoint before. */
  unguarded: z.number().int().min(0),
  checkpoints: z.number().int().min(0),
});
export type RoadmapMetrics = z.infer<typeof RoadmapMetrics>;

export const RoadmapOption = z.strictObject({
  name: line(60),
  differs: line(500),
  metrics: RoadmapMetrics,
  /** 0..1, higher is better. */
  score: z.number().min(0).max(1),
});
export type RoadmapOption = z.infer<typeof RoadmapOption>;

export const RoadmapContext = z.strictObject({
  /** @deprecated Kept for backward compatibility; use `pattern`. */
  pattern_type: z.string().optional(),
  pattern: PatternSpec.optional(),
  notes: z.array(line(1000)).default([]),
});
export type RoadmapContext = z.infer<typeof RoadmapContext>;

export const Roadmap = z.strictObject({
  pattern: PatternSpec,
  context: RoadmapContext,
  /** Node IDs; a wave may run in parallel. */
  waves: z.array(z.array(line(200))),
  edges: z.array(RoadmapEdge),
  /** Best first; one if there is no alternative. */
  options_tried: z.array(RoadmapOption).min(1).max(3),
  chosen: line(60),
  reason: line(1000),
});
export type Roadmap = z.infer<typeof Roadmap>;
