// A step whose work continues elsewhere after its call returned. Its output holds the work's handle.
import type { Step } from './plan.ts';

export function isHandedOver({ status, output }: Pick<Step, 'status' | 'output'>): boolean {
  return status === 'running' && typeof output === 'object' && output !== null && 'later' in output;
}

/** Describes what such a step waits for, or null. */
export function describeHandedOver(step: Pick<Step, 'status' | 'output' | 'tool'>): string | null {
  return isHandedOver(step) ? `${step.tool} is working on it` : null;
}
