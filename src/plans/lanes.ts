// Lanes: the kinds of steps of a plan, by what a worker must offer to run them and what they reserve.
import type { StepContent } from '#contracts/plan.ts';
import type { Lane } from '#store/steps.ts';

type Kind = Pick<StepContent, 'tool' | 'operation' | 'capabilities' | 'resources'>;

/** Numbers kinds of steps from 1 in the order in which they are met. */
export class Lanes {
  readonly list: Lane[] = [];
  readonly #numbers = new Map<string, number>();

  /** @param known lanes that the plan has already */
  constructor(known: Lane[] = []) {
    for (const lane of known) {
      this.list.push(lane);
      this.#numbers.set(keyOf(lane), lane.lane);
    }
  }

  /** The number of the lane of such a step. */
  of(step: Kind): number {
    const key = keyOf(step);
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    const lane = Math.max(0, this.list.at(-1)?.lane ?? 0) + 1;
    const { tool, operation, resources } = step;
    this.list.push({
      lane,
      tool,
      operation,
      capabilities: [...step.capabilities].sort(),
      resources,
    });
    this.#numbers.set(key, lane);
    return lane;
  }

  /** Every resource pool that a lane reserves from, sorted. */
  pools(): string[] {
    return [...new Set(this.list.flatMap(({ resources }) => Object.keys(resources)))].sort();
  }
}

function keyOf({ tool, operation, capabilities, resources }: Kind): string {
  if (capabilities.length === 0 && Object.keys(resources).length === 0) {
    return `${tool}\n${operation}`;
  }
  const amounts = Object.entries(resources).sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([tool, operation, [...capabilities].sort(), amounts]);
}
