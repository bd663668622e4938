// The state of a step's target when the plan was proposed (A12). If it differs at the call, a person is asked.
import { z } from 'zod';

export const SeenState = z.strictObject({
  /** `new`: doesn't exist; `exists`: will be changed or replaced; `missing`: required but doesn't exist. */
  state: z.enum(['new', 'exists', 'missing']),
  /** Changes whenever the target does: a content hash, an ETag, or null if there is none. */
  fingerprint: z.string().max(200).nullable(),
  /** For moves and copies: the destination's fingerprint. Without `fingerprint`, an earlier step creates the source. */
  onto: z.string().max(200).exactOptional(),
  /** Bytes, or null if not applicable. */
  size: z.number().int().nullable(),
  /** ISO 8601 in UTC, or null if unknown. */
  modified_at: z.string().max(40).nullable(),
  /** The beginning of what a read returned. */
  text: z.string().max(1000).exactOptional(),
  /** The real target if the call names a link. */
  leads_to: z.string().max(2000).exactOptional(),
  files: z.number().int().exactOptional(),
});
export type SeenState = z.infer<typeof SeenState>;

/** Whether a target is unchanged. For a move whose source didn't exist yet, only the destination counts. */
export function isSameState(was: SeenState | null, now: SeenState | null): boolean {
  if (was?.fingerprint === null && was.onto !== undefined) return was.onto === now?.onto;
  return was?.state === now?.state && was?.fingerprint === now?.fingerprint;
}
