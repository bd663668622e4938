// A step whose work goes on elsewhere after its call came back.
import { z } from 'zod';
import type { Step } from './plan.ts';

/** What the step keeps meanwhile as its output: how its work is found again, and the back end that made the call. */
export const HandedOver = z.object({ later: z.string(), caller: z.string() });

export function isHandedOver({ status, output }: Pick<Step, 'status' | 'output'>): boolean {
  return status === 'running' && HandedOver.safeParse(output).success;
}

/** What such a step waits for, in words; null: it is none. */
export function describeHandedOver(step: Pick<Step, 'status' | 'output' | 'tool'>): string | null {
  return isHandedOver(step) ? `${step.tool} is working on it` : null;
}
