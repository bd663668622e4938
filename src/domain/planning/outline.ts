// The outline: a tree of nodes on two axes (B7), structure and rhythm. Leaves carry the steps.
import { z } from 'zod';
import { Dependency } from '../plan/dependency.ts';
import { IntroducedBy, PatternSpec } from '../plan/pattern.ts';
import { BudgetUsd, PlanContext, Risk } from '../plan/plan.ts';
import { StepDraft } from '../plan/step-content.ts';
import { JsonObject, line, StorableText } from '../text.ts';
import { RoadmapWay } from './roadmap.ts';

/** From the whole to its parts. At a checkpoint a person reviews before the rest continues. */
export const Structure = z.enum(['goal', 'phase', 'milestone', 'task', 'checkpoint']);
export type Structure = z.infer<typeof Structure>;

/** Once; repeated by a rule; adding up towards an amount; maintained all the time. */
export const Rhythm = z.enum(['one_off', 'recurring', 'cumulative', 'continuous']);
export type Rhythm = z.infer<typeof Rhythm>;

/** RFC 5545 rule and end of a recurring node. */
export const Recurs = z.strictObject({
  rrule: line(500),
  /** First occurrence; ISO 8601 with offset. */
  starts_at: z.iso.datetime({ offset: true }),
  /** IANA zone of the rule. */
  timezone: line(100),
  /** Last possible start, or null for no end. */
  until: z.iso.datetime({ offset: true }).nullable().default(null),
});
export type Recurs = z.infer<typeof Recurs>;

export const OutlineNode = z.strictObject({
  /** Unique in the outline; stable over versions. */
  id: line(200),
  /** Null for a root. */
  parent: line(200).nullable().default(null),
  title: line(3000),
  structure: Structure,
  rhythm: Rhythm.default('one_off'),
  /** Depth: 1 for roots (L1). */
  level: z.number().int().min(1).max(9),
  origin: IntroducedBy.default('system'),
  /** Precedence between nodes, by ID. */
  after: z.array(Dependency).max(1000).default([]),
  /** Unused; precedence in words, in older outlines. */
  timing: line(500).optional(),
  /** Steps of tasks and checkpoints; IDs are unique over the outline, `after` refers to the same node. */
  steps: z.array(StepDraft).max(1_000_000).default([]),
  /** The `for_each` that made its steps. */
  each: JsonObject.exactOptional(),
  duration_minutes: z.number().min(0).max(5_256_000).nullable().default(null),
  not_before: z.iso.datetime({ offset: true }).nullable().default(null),
  deadline: z.iso.datetime({ offset: true }).nullable().default(null),
  /** Only with rhythm `recurring`. */
  recurs: Recurs.nullable().default(null),
  /** For rhythm `cumulative`: 500 pages. */
  target: z
    .strictObject({ amount: z.number().positive(), unit: line(100) })
    .nullable()
    .default(null),
});
export type OutlineNode = z.infer<typeof OutlineNode>;

/** How the person wants the work done, or null if unspecified. */
export const OutlinePreferences = z.strictObject({
  order: RoadmapWay.nullable(),
  /** Ask people only in their working hours. */
  in_working_hours: z.boolean().nullable(),
  /** A limit on what the plan's model calls cost. */
  budget_usd: BudgetUsd.exactOptional(),
});

/** Items missing from a group of steps. */
export const OutlineGap = z.strictObject({
  /** ID of the group's node. */
  node: line(200),
  /** The first risk of the plan. */
  text: line(1000),
  /** Option that accepts the gap, or null if only shown. */
  choice: line(80).nullable(),
});
export type OutlineGap = z.infer<typeof OutlineGap>;

export const PlanOutline = z.strictObject({
  title: line(300),
  /** One sentence: what will be true afterwards. */
  summary: line(1000),
  pattern: PatternSpec,
  nodes: z.array(OutlineNode).max(5000),
  risks: z.array(Risk).max(50).default([]),
  /** Facts found for this plan; becomes its context. */
  context: z.union([StorableText, PlanContext]).optional(),
  /** Assumptions, all shown on the card. */
  assumptions: z.array(line(1000)).max(50).default([]),
  preferences: OutlinePreferences.exactOptional(),
  gaps: z.array(OutlineGap).max(50).exactOptional(),
});
export type PlanOutline = z.infer<typeof PlanOutline>;

/** The plan's own limit of its model calls in US dollars, or undefined. */
export function limitOf({ preferences, context }: PlanOutline): number | undefined {
  const before = typeof context === 'object' ? context.budget_usd : undefined;
  return preferences?.budget_usd ?? before;
}
