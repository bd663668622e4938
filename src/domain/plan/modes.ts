// Planning modes; levels set how fine steps are.
import { z } from 'zod';

export const Mode = z.enum(['normal', 'extensive']);
export const ReasoningLevel = z.int().min(0).max(10);

export const PlanningModes = z.strictObject({
  /** Extensive: takes "all" and "every" literally and compares the draft with the request. */
  plan_reasoning_mode: Mode,
  /** Extensive: a scaffold of parts, each with its planner. */
  planning_mode: Mode,
  reasoning_level: ReasoningLevel,
});
export type PlanningModes = z.infer<typeof PlanningModes>;

export const WantedModes = z.strictObject({
  plan_reasoning_mode: Mode.exactOptional(),
  planning_mode: Mode.exactOptional(),
  reasoning_level: ReasoningLevel.exactOptional(),
});
export type WantedModes = z.infer<typeof WantedModes>;

export const extensively = {
  plan_reasoning_mode: 'extensive',
  planning_mode: 'extensive',
} as const;

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
  /** Also per part. */
  steps: number;
  parts: number;
  partitionSize: number;
};

const coarsest: Granularity = { steps: 3, parts: 4, partitionSize: 500 };

/** By level, 0 to 10, as in `docs/planning.md`. */
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

export function partitionSizeOf(level: number): number {
  return granularityOf(level).partitionSize;
}
