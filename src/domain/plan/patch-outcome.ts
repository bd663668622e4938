// The outcome of a patch.
import { z } from 'zod';

/** `superseded`: by the author's next change, or the plan has moved on. */
export const PatchStatus = z.enum(['applied', 'needs_approval', 'rejected', 'superseded']);
export type PatchStatus = z.infer<typeof PatchStatus>;

export const PatchOutcome = z.object({
  patch_id: z.string(),
  plan_id: z.string(),
  status: PatchStatus,
  /** With this patch; `digest`: to approve. */
  version: z.int(),
  digest: z.string(),
  base_revision: z.int(),
  /** Sentences; empty if it narrows the plan. */
  widening: z.array(z.string()),
  /** Sentences, at most 20. */
  changes: z.array(z.string()),
  added: z.int(),
  changed: z.int(),
  removed: z.int(),
  rerun: z.int(),
  invalidated: z.int(),
  reason: z.string().nullable(),
  proposed_by: z.string(),
  created_at: z.iso.datetime(),
});
export type PatchOutcome = z.infer<typeof PatchOutcome>;
