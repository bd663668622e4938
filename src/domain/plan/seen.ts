// The state of a step's target when the plan was proposed (A12). If it differs at the call, a person is asked.
import { z } from 'zod';

export const SeenState = z.strictObject({
  /** `new`: nothing is there; `exists`: it is, and is changed or replaced; `missing`: the call needs it, and it is not there. */
  state: z.enum(['new', 'exists', 'missing']),
  /** Changes whenever the target does: a hash of a file's content, an ETag; null: there is nothing to compare. */
  fingerprint: z.string().max(200).nullable(),
  /** Of a move or copy: the destination's fingerprint alone. Without a `fingerprint`, a step before creates what is moved. */
  onto: z.string().max(200).exactOptional(),
  /** Bytes; null where that means nothing. */
  size: z.number().int().nullable(),
  /** ISO 8601 in UTC; null where it is not known. */
  modified_at: z.string().max(40).nullable(),
  /** What a read says of it, or the beginning of that. */
  text: z.string().max(1000).exactOptional(),
  /** Where the link leads that the call names: that is what it touches. */
  leads_to: z.string().max(2000).exactOptional(),
  /** How many files are in it, where it is a folder. */
  files: z.number().int().exactOptional(),
});
export type SeenState = z.infer<typeof SeenState>;

/** Whether a target is as it was. Of a move whose source was still to be created, only the destination counts. */
export function isSameState(was: SeenState | null, now: SeenState | null): boolean {
  if (was?.fingerprint === null && was.onto !== undefined) return was.onto === now?.onto;
  return was?.state === now?.state && was?.fingerprint === now?.fingerprint;
}
