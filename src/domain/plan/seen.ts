// A step's target as proposed (A12); changes ask a person.
import { z } from 'zod';

export const SeenState = z.strictObject({
  /** `exists`: will be changed; `missing`: but required. */
  state: z.enum(['new', 'exists', 'missing']),
  /** A content hash or ETag. */
  fingerprint: z.string().max(200).nullable(),
  /** Destination of moves and copies. Without `fingerprint`, an earlier step creates the source. */
  onto: z.string().max(200).exactOptional(),
  /** Bytes. */
  size: z.number().int().nullable(),
  /** ISO 8601, UTC. */
  modified_at: z.string().max(40).nullable(),
  /** Beginning of a read's result. */
  text: z.string().max(1000).exactOptional(),
  /** Target of a link. */
  leads_to: z.string().max(2000).exactOptional(),
  files: z.number().int().exactOptional(),
});
export type SeenState = z.infer<typeof SeenState>;

/** If a move's source didn't exist, only the destination counts. */
export function isSameState(was: SeenState | null, now: SeenState | null): boolean {
  if (was?.fingerprint === null && was.onto !== undefined) return was.onto === now?.onto;
  return was?.state === now?.state && was?.fingerprint === now?.fingerprint;
}
