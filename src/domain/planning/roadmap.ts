// The roadmap, in what order: edges between nodes, chosen among alternatives that a person can tell apart (B14).
import { z } from 'zod';
import { DependencyType } from '../plan/dependency.ts';
import { PatternSpec } from '../plan/pattern.ts';
import { line } from '../text.ts';

export const RoadmapEdge = z.strictObject({
  from: line(200),
  to: line(200),
  type: DependencyType,
  /** Negative: a lead. */
  lag_minutes: z.number().int(),
  /** `stated` by a person or the outline, `data` that a step takes from another, `pattern` by its rules, `strategy` of this option. */
  why: z.enum(['stated', 'data', 'pattern', 'strategy']),
});
export type RoadmapEdge = z.infer<typeof RoadmapEdge>;

/** Ways through an outline that a person can tell apart. */
export const RoadmapWay = z.enum(['as said', 'one at a time', 'checked']);
export type RoadmapWay = z.infer<typeof RoadmapWay>;

export const RoadmapMetrics = z.strictObject({
  /** Longest path, by stated or assumed durations. */
  makespan_minutes: z.number().min(0),
  /** Most nodes with work at the same moment. */
  width: z.number().int().min(0),
  /** Changes that begin before an earlier change was seen to succeed. */
  unchecked_writes: z.number().int().min(0),
  /** Guarded or destructive operations that no checkpoint precedes. */
  unguarded: z.number().int().min(0),
  checkpoints: z.number().int().min(0),
});
export type RoadmapMetrics = z.infer<typeof RoadmapMetrics>;

export const RoadmapOption = z.strictObject({
  name: line(60),
  /** One sentence: what is different about it. */
  differs: line(500),
  metrics: RoadmapMetrics,
  /** 0..1, higher is better, by the person's policy. */
  score: z.number().min(0).max(1),
});
export type RoadmapOption = z.infer<typeof RoadmapOption>;

export const RoadmapContext = z.strictObject({
  /** @deprecated Present for backward compatibility; `pattern` is the truth. */
  pattern_type: z.string().optional(),
  pattern: PatternSpec.optional(),
  notes: z.array(line(1000)).default([]),
});
export type RoadmapContext = z.infer<typeof RoadmapContext>;

export const Roadmap = z.strictObject({
  pattern: PatternSpec,
  context: RoadmapContext,
  /** Node ids in waves: what stands together may run together. */
  waves: z.array(z.array(line(200))),
  edges: z.array(RoadmapEdge),
  /** Two or three, or one where there is only one way; best first. */
  options_tried: z.array(RoadmapOption).min(1).max(3),
  /** The name of the option that was taken. */
  chosen: line(60),
  /** One sentence: why that one. */
  reason: line(1000),
});
export type Roadmap = z.infer<typeof Roadmap>;
