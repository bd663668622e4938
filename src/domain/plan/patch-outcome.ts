// The outcome of a patch, for people and programs.
import { z } from 'zod';

/** `superseded`: another change of the same author took its place, or the plan has gone past it. */
export const PatchStatus = z.enum(['applied', 'needs_approval', 'rejected', 'superseded']);
export type PatchStatus = z.infer<typeof PatchStatus>;

/** What became of a patch. */
export type PatchOutcome = {
  patch_id: string;
  plan_id: string;
  status: PatchStatus;
  /** The version of the plan with this patch, and the digest to approve where approval is needed. */
  version: number;
  digest: string;
  base_revision: number;
  /** Why it needs an approval, one sentence each; empty: it narrows what was approved. */
  widening: string[];
  /** What it does, one sentence each; the first 20. */
  changes: string[];
  added: number;
  changed: number;
  removed: number;
  reason: string | null;
  proposed_by: string;
  created_at: string;
};
