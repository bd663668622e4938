// Lanes: a plan's kinds of steps by what a worker must offer and which pools they use. The amount reserved makes no lane of its own,
// since every lane costs each claim a lookup.
import type { Lane } from '#db/steps/steps.ts';
import type { StepContent } from '#domain/plan/step-content.ts';

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
    const pools = Object.keys(step.resources).sort();
    const kind = { ...step, capabilities: [...step.capabilities].sort(), pools };
    const key = keyOf(kind);
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    const lane = (this.list.at(-1)?.lane ?? 0) + 1;
    const { tool, operation, capabilities } = kind;
    this.list.push({ lane, tool, operation, capabilities, pools });
    this.#numbers.set(key, lane);
    return lane;
  }

  /** Every resource pool that a lane reserves from, sorted. */
  pools(): string[] {
    return [...new Set(this.list.flatMap(({ pools }) => pools))].sort();
  }
}

function keyOf({ tool, operation, capabilities, pools }: Omit<Lane, 'lane'>): string {
  if (capabilities.length === 0 && pools.length === 0) return `${tool}\n${operation}`;
  return JSON.stringify([tool, operation, capabilities, pools]);
}
