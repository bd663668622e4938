// Scores options for a person: fidelity, speed and safety, weighed by policy, pattern and wishes. With the default policy
// nothing outweighs what was stated.
import type { InteractionPolicy } from '#domain/people/policy.ts';
import { canonicalPattern, type PatternSpec } from '#domain/plan/pattern.ts';
import type { RoadmapMetrics, RoadmapWay } from '#domain/planning/roadmap.ts';

type Weights = { fidelity: number; speed: number; safety: number };

const weights: Record<InteractionPolicy['autonomy'], Weights> = {
  high: { fidelity: 0.5, speed: 0.45, safety: 0.05 },
  medium: { fidelity: 0.5, speed: 0.25, safety: 0.25 },
  low: { fidelity: 0.35, speed: 0.1, safety: 0.55 },
};

/** Where so much depends on each change, being safe is worth a little of being fast. */
const strategic = 0.1;
/** What was asked for in so many words decides, whatever the policy. */
const wished = 0.7;
/** How close a way is to what was said that holds more than that. */
const addsOrder = 0.25;
/** Share of what cannot be taken back in how safe a way is; the rest are changes that nobody watches. */
const delicateShare = 0.65;

export type Measured = { name: RoadmapWay; metrics: RoadmapMetrics };

function weigh(policy: InteractionPolicy, pattern: PatternSpec, wish: RoadmapWay | null): Weights {
  const base = weights[policy.autonomy];
  const shift =
    canonicalPattern(pattern) === 'strategic_transformation' && policy.autonomy === 'medium'
      ? strategic
      : 0;
  const { fidelity, speed, safety } = {
    ...base,
    speed: base.speed - shift,
    safety: base.safety + shift,
  };
  if (wish === null) return { fidelity, speed, safety };
  const rest = (1 - wished) / (speed + safety);
  return { fidelity: wished, speed: speed * rest, safety: safety * rest };
}

function shareOf(part: number, most: number): number {
  return most === 0 ? 0 : part / most;
}

/** 0..1 for each way, in their order. */
export function scoreWays(
  ways: Measured[],
  policy: InteractionPolicy,
  pattern: PatternSpec,
  wish: RoadmapWay | null,
): number[] {
  const { fidelity, speed, safety } = weigh(policy, pattern, wish);
  const metrics = ways.map((way) => way.metrics);
  const shortest = Math.min(...metrics.map(({ makespan_minutes }) => makespan_minutes));
  const unchecked = Math.max(...metrics.map(({ unchecked_writes }) => unchecked_writes));
  const unguarded = Math.max(...metrics.map(({ unguarded: count }) => count));
  return ways.map(({ name, metrics: own }) => {
    const close = name === (wish ?? 'as said') ? 1 : addsOrder;
    const fast = own.makespan_minutes === 0 ? 1 : shortest / own.makespan_minutes;
    const safe =
      1 -
      delicateShare * shareOf(own.unguarded, unguarded) -
      (1 - delicateShare) * shareOf(own.unchecked_writes, unchecked);
    const score = fidelity * close + speed * fast + safety * safe;
    return Math.min(1, Math.max(0, Math.round(score * 1e4) / 1e4));
  });
}
