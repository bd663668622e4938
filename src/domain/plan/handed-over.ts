// A step whose work continues elsewhere after its call returned. Its output holds the work's handle.
import type { Step } from './plan.ts';

export function isHandedOver({ status, output }: Pick<Step, 'status' | 'output'>): boolean {
  return status === 'running' && typeof output === 'object' && output !== null && 'later' in output;
}

/** Names who such a step waits for, or null; a wait of our own says how long itself. */
export function describeHandedOver(step: Pick<Step, 'status' | 'output' | 'tool'>): string | null {
  return isHandedOver(step) && step.tool !== 'control' ? `${step.tool} is working on it` : null;
}
