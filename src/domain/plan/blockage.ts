// Steps that are ready but cannot run: no worker offers what they need, or a resource pool is in use.
import { z } from 'zod';

export const Blockage = z.object({
  /** `worker`: nobody offers what they need. `resource`: a shared pool has not enough, or not enough left. */
  kind: z.enum(['worker', 'resource']),
  /** The first three. */
  step_ids: z.array(z.string()),
  /** How many there are; over `maxCounted` they are not counted any further. */
  count: z.int(),
  /** The capabilities, operations or pools that are missing. */
  needs: z.array(z.string()),
  /** Why, and what to do about it: `no worker offers the capability gpu. Start a worker …`, `for 4 of gpu; 6 of 8 …`. */
  reason: z.string(),
});
export type Blockage = z.infer<typeof Blockage>;

/** Steps of one blockage are counted up to here, so that looking costs the same whatever the plan's size. */
export const maxCounted = 1000;

function describeOthers(others: number): string {
  if (others === 0) return '';
  if (others === 1) return ' (and 1 other)';
  if (others >= maxCounted) return ` (and more than ${maxCounted.toLocaleString('en-US')} others)`;
  return ` (and ${others} others)`;
}

/** Labels of the steps of a blockage, by id. */
type Labels = ReadonlyMap<string, string>;

/**
 * `Step 3 (and 4 others) waits: no worker offers the capability gpu. Start a worker …`
 * @param begun the steps wait now; otherwise they would have to
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
