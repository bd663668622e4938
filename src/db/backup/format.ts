// Backup format: gzipped tar of `backup.json`, tables, `sequences.json`, files, `manifest.json`.
// Tables are COPY text in pieces (`tables/NAME/000001.copy`), in foreign key order. Without pg-boss's jobs: they are only hints.
import { z } from 'zod';

export const formatVersion = 1;

export const Header = z.object({
  format: z.literal('countersign-backup'),
  format_version: z.number().int(),
  version: z.string(),
  postgres: z.string(),
  made_at: z.iso.datetime(),
  /** The newest migration; `when` in ms since 1970. */
  migration: z.object({ tag: z.string(), when: z.number().int() }),
  /** Columns in the order of the pieces, without generated ones. */
  tables: z.array(z.object({ name: z.string(), columns: z.array(z.string()) })),
});
export type Header = z.infer<typeof Header>;

export const Manifest = z.object({
  /** Over the bytes of all pieces, without framing. */
  tables: z.record(
    z.string(),
    z.object({ rows: z.number().int(), bytes: z.number().int(), sha256: z.string() }),
  ),
  files: z.record(z.string(), z.object({ bytes: z.number().int(), sha256: z.string() })),
});
export type Manifest = z.infer<typeof Manifest>;

export const Sequences = z.record(z.string(), z.number().int());
