// The modes of planning and what the level means: how fine the steps are, not how hard a planner thinks.
import { z } from 'zod';

export const Mode = z.enum(['normal', 'extensive']);
export const ReasoningLevel = z.int().min(0).max(10);

export const PlanningModes = z.strictObject({
  /** Extensive: "all", "every" and "each" are literal, and the draft is compared with what was said. */
  plan_reasoning_mode: Mode,
  /** Extensive: a scaffold of parts first, then a planner of its own for each part. */
  planning_mode: Mode,
  reasoning_level: ReasoningLevel,
});
export type PlanningModes = z.infer<typeof PlanningModes>;

/** What of it somebody asked for. */
export const WantedModes = z.strictObject({
  plan_reasoning_mode: Mode.exactOptional(),
  planning_mode: Mode.exactOptional(),
  reasoning_level: ReasoningLevel.exactOptional(),
});
export type WantedModes = z.infer<typeof WantedModes>;

/** What a control asks for that says “extensively” and no more. */
export const extensively = {
  plan_reasoning_mode: 'extensive',
  planning_mode: 'extensive',
} as const;

/** The modes among what somebody said. */
export function pickModes({
  plan_reasoning_mode,
  planning_mode,
  reasoning_level,
}: { [key in keyof WantedModes]: WantedModes[key] | undefined }): WantedModes {
  return {
    ...(plan_reasoning_mode === undefined ? {} : { plan_reasoning_mode }),
    ...(planning_mode === undefined ? {} : { planning_mode }),
    ...(reasoning_level === undefined ? {} : { reasoning_level }),
  };
}

type Granularity = {
  /** Steps that a planner aims at, for a plan of one layer and for each part of one in two. */
  steps: number;
  /** Parts that a scaffold aims at. */
  parts: number;
  /** Steps of one kind in a partition at most. */
  partitionSize: number;
};

const coarsest: Granularity = { steps: 3, parts: 4, partitionSize: 500 };

/** By level, from 0 to 10. `docs/planning.md` shows the same table. */
const granularities: readonly Granularity[] = [
  coarsest,
  { steps: 5, parts: 6, partitionSize: 400 },
  { steps: 8, parts: 8, partitionSize: 300 },
  { steps: 12, parts: 12, partitionSize: 200 },
  { steps: 16, parts: 16, partitionSize: 150 },
  { steps: 20, parts: 24, partitionSize: 100 },
  { steps: 30, parts: 32, partitionSize: 75 },
  { steps: 40, parts: 40, partitionSize: 50 },
  { steps: 60, parts: 60, partitionSize: 30 },
  { steps: 80, parts: 80, partitionSize: 20 },
  { steps: 100, parts: 120, partitionSize: 10 },
];

export function granularityOf(level: number): Granularity {
  return granularities[level] ?? coarsest;
}

/** Steps of one kind that make a partition at most, at a level from 0 to 10. */
export function partitionSizeOf(level: number): number {
  return granularityOf(level).partitionSize;
}
