// Immutable plan data too large for a row.
import { z } from 'zod';

export const Artifact = z.object({
  id: z.string(),
  name: z.string(),
  media_type: z.string(),
  /** Bytes. */
  size: z.int(),
  sha256: z.string(),
  /** Null if from the proposal or its planning. */
  step_id: z.string().nullable(),
  created_at: z.iso.datetime(),
});
export type Artifact = z.infer<typeof Artifact>;

export type ArtifactContent = Pick<Artifact, 'name' | 'media_type'> & { content: Uint8Array };

export type ArtifactPage = { artifacts: Artifact[]; next_cursor: string | null };
