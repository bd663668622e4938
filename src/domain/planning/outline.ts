// The outline: nodes by structure and rhythm (B7); leaves carry steps.
import { z } from 'zod';
import { Dependency } from '../plan/dependency.ts';
import { IntroducedBy, PatternSpec } from '../plan/pattern.ts';
import { BudgetUsd, PlanContext, Risk } from '../plan/plan.ts';
import { StepDraft } from '../plan/step-content.ts';
import { JsonObject, line, StorableText } from '../text.ts';
import { RoadmapWay } from './roadmap.ts';

/** From whole to part. A checkpoint pauses for review. */
export const Structure = z.enum(['goal', 'phase', 'milestone', 'task', 'checkpoint']);
export type Structure = z.infer<typeof Structure>;

/** `cumulative`: towards an amount; `continuous`: maintained. */
export const Rhythm = z.enum(['one_off', 'recurring', 'cumulative', 'continuous']);
export type Rhythm = z.infer<typeof Rhythm>;

export const Recurs = z.strictObject({
  rrule: line(500),
  /** ISO 8601 with offset. */
  starts_at: z.iso.datetime({ offset: true }),
  /** IANA. */
  timezone: line(100),
  /** Last possible start. */
  until: z.iso.datetime({ offset: true }).nullable().default(null),
});
export type Recurs = z.infer<typeof Recurs>;

export const OutlineNode = z.strictObject({
  /** Stable over versions. */
  id: line(200),
  parent: line(200).nullable().default(null),
  title: line(3000),
  structure: Structure,
  rhythm: Rhythm.default('one_off'),
  /** 1 for roots (L1). */
  level: z.number().int().min(1).max(9),
  origin: IntroducedBy.default('system'),
  after: z.array(Dependency).max(1000).default([]),
  /** Unused; in older outlines. */
  timing: line(500).optional(),
  /** IDs are unique over the outline; `after` refers to the same node. */
  steps: z.array(StepDraft).max(1_000_000).default([]),
  each: JsonObject.exactOptional(),
  duration_minutes: z.number().min(0).max(5_256_000).nullable().default(null),
  not_before: z.iso.datetime({ offset: true }).nullable().default(null),
  deadline: z.iso.datetime({ offset: true }).nullable().default(null),
  /** If rhythm is `recurring`. */
  recurs: Recurs.nullable().default(null),
  /** If `cumulative`: 500 pages. */
  target: z
    .strictObject({ amount: z.number().positive(), unit: line(100) })
    .nullable()
    .default(null),
});
export type OutlineNode = z.infer<typeof OutlineNode>;

export const OutlinePreferences = z.strictObject({
  order: RoadmapWay.nullable(),
  /** When asking people. */
  in_working_hours: z.boolean().nullable(),
  /** US dollars of model calls. */
  budget_usd: BudgetUsd.exactOptional(),
});

export const OutlineGap = z.strictObject({
  /** ID of the group's node. */
  node: line(200),
  /** The plan's first risk. */
  text: line(1000),
  /** Accepts the gap; null if only shown. */
  choice: line(80).nullable(),
});
export type OutlineGap = z.infer<typeof OutlineGap>;

export const PlanOutline = z.strictObject({
  title: line(300),
  /** True once done. */
  summary: line(1000),
  pattern: PatternSpec,
  nodes: z.array(OutlineNode).max(5000),
  risks: z.array(Risk).max(50).default([]),
  /** Becomes the plan's context. */
  context: z.union([StorableText, PlanContext]).optional(),
  /** All shown on the card. */
  assumptions: z.array(line(1000)).max(50).default([]),
  preferences: OutlinePreferences.exactOptional(),
  gaps: z.array(OutlineGap).max(50).exactOptional(),
});
export type PlanOutline = z.infer<typeof PlanOutline>;

/** US dollars. */
export function limitOf({ preferences, context }: PlanOutline): number | undefined {
  const before = typeof context === 'object' ? context.budget_usd : undefined;
  return preferences?.budget_usd ?? before;
}
