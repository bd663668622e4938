// A step whose work goes on elsewhere after its call came back. Its output is then how the work is found again.
import type { Step } from './plan.ts';

export function isHandedOver({ status, output }: Pick<Step, 'status' | 'output'>): boolean {
  return status === 'running' && typeof output === 'object' && output !== null && 'later' in output;
}

/** What such a step waits for, in words; null: it is none. */
export function describeHandedOver(step: Pick<Step, 'status' | 'output' | 'tool'>): string | null {
  return isHandedOver(step) ? `${step.tool} is working on it` : null;
}
