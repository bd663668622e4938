// The outcome of a patch, for people and programs.
import { z } from 'zod';

/** `superseded`: another change of the same author took its place, or the plan has gone past it. */
export const PatchStatus = z.enum(['applied', 'needs_approval', 'rejected', 'superseded']);
export type PatchStatus = z.infer<typeof PatchStatus>;

/** What became of a patch. */
export const PatchOutcome = z.object({
  patch_id: z.string(),
  plan_id: z.string(),
  status: PatchStatus,
  /** The version of the plan with this patch, and the digest to approve where approval is needed. */
  version: z.int(),
  digest: z.string(),
  base_revision: z.int(),
  /** Why it needs an approval, one sentence each; empty: it narrows what was approved. */
  widening: z.array(z.string()),
  /** What it does, one sentence each; the first 20. */
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
