// Ready steps without a worker or a free resource.
import { z } from 'zod';

export const Blockage = z.object({
  /** `worker`: none offers it. `resource`: a pool lacks it. */
  kind: z.enum(['worker', 'resource']),
  /** At most three. */
  step_ids: z.array(z.string()),
  /** At most `maxCounted`. */
  count: z.int(),
  needs: z.array(z.string()),
  /** With advice: `no worker offers the capability gpu. Start a worker …`. */
  reason: z.string(),
});
export type Blockage = z.infer<typeof Blockage>;

export const maxCounted = 1000;

function describeOthers(others: number): string {
  if (others === 0) return '';
  if (others === 1) return ' (and 1 other)';
  if (others >= maxCounted) return ` (and more than ${maxCounted.toLocaleString('en-US')} others)`;
  return ` (and ${others} others)`;
}

type Labels = ReadonlyMap<string, string>;

/** `Step 3 (and 4 others) waits: …` @param begun now, rather than once it starts */
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
