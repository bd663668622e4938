// The outcome of a patch, for people and programs.
import { z } from 'zod';

/** `superseded`: replaced by the same author's next change, or the plan has moved past it. */
export const PatchStatus = z.enum(['applied', 'needs_approval', 'rejected', 'superseded']);
export type PatchStatus = z.infer<typeof PatchStatus>;

export const PatchOutcome = z.object({
  patch_id: z.string(),
  plan_id: z.string(),
  status: PatchStatus,
  /** The plan's version with this patch, and the digest to approve. */
  version: z.int(),
  digest: z.string(),
  base_revision: z.int(),
  /** Why it needs approval, one sentence each; empty if it narrows the plan. */
  widening: z.array(z.string()),
  /** Its effects, one sentence each; the first 20. */
  changes: z.array(z.string()),
  added: z.int(),
  changed: z.int(),
  removed: z.int(),
  /** Steps that run again, and steps that become stale. */
  rerun: z.int(),
  invalidated: z.int(),
  reason: z.string().nullable(),
  proposed_by: z.string(),
  created_at: z.iso.datetime(),
});
export type PatchOutcome = z.infer<typeof PatchOutcome>;
