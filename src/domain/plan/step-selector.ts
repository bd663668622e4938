// Selects steps of a plan.
import { z } from 'zod';
import { line } from '../text.ts';

export const StepSelector = z
  .strictObject({
    ids: z.array(line(200)).min(1).max(100_000).optional(),
    partition: line(200).optional(),
    tag: line(200).optional(),
  })
  .refine(
    ({ ids, partition, tag }) => ids !== undefined || partition !== undefined || tag !== undefined,
    'needs ids, a partition or a tag',
  );
export type StepSelector = z.infer<typeof StepSelector>;
