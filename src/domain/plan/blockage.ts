// Ready steps that can't run: no worker offers what they need, or a resource pool is in use.
import { z } from 'zod';

export const Blockage = z.object({
  /** `worker`: not offered by any worker. `resource`: not enough in a shared pool. */
  kind: z.enum(['worker', 'resource']),
  /** The first three. */
  step_ids: z.array(z.string()),
  /** Up to `maxCounted`. */
  count: z.int(),
  /** The missing capabilities, operations or pools. */
  needs: z.array(z.string()),
  /** The reason with advice: `no worker offers the capability gpu. Start a worker …`, `for 4 of gpu; 6 of 8 …`. */
  reason: z.string(),
});
export type Blockage = z.infer<typeof Blockage>;

/** Limit for counting, so that the cost doesn't depend on the plan's size. */
export const maxCounted = 1000;

function describeOthers(others: number): string {
  if (others === 0) return '';
  if (others === 1) return ' (and 1 other)';
  if (others >= maxCounted) return ` (and more than ${maxCounted.toLocaleString('en-US')} others)`;
  return ` (and ${others} others)`;
}

type Labels = ReadonlyMap<string, string>;

/**
 * `Step 3 (and 4 others) waits: no worker offers the capability gpu. Start a worker …`
 * @param begun whether the steps wait now, rather than would
 */
export function describeBlockage(
  { kind, step_ids, count, reason }: Blockage,
  labels: Labels,
  begun = true,
): string {
  const [first = ''] = step_ids;
  const steps = `Step ${labels.get(first) ?? first}${describeOthers(count - 1)}`;
  const waits = begun ? 'waits' : 'would have to wait';
  return `${steps} ${waits}${kind === 'resource' ? ' ' : ': '}${reason}`;
}
