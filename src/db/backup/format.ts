// Backup format: a gzipped tar file that begins with `backup.json` and ends with `manifest.json`. Between them are the tables
// of the schema `countersign` in COPY's text format, in pieces (`tables/NAME/000001.copy`) that respect foreign keys, then
// `sequences.json`, and the files of folders. pg-boss's jobs are left out: they only say where to look, and every worker looks
// by itself.
import { z } from 'zod';

export const formatVersion = 1;

export const Header = z.object({
  format: z.literal('countersign-backup'),
  format_version: z.number().int(),
  /** The version of the program that wrote it. */
  version: z.string(),
  postgres: z.string(),
  made_at: z.iso.datetime(),
  /** The newest migration: its name, and when it was made (ms since 1970). */
  migration: z.object({ tag: z.string(), when: z.number().int() }),
  /** Columns in the order of the pieces; generated ones are computed again. */
  tables: z.array(z.object({ name: z.string(), columns: z.array(z.string()) })),
});
export type Header = z.infer<typeof Header>;

export const Manifest = z.object({
  /** Covers the bytes of all pieces of a table, without their frames. */
  tables: z.record(
    z.string(),
    z.object({ rows: z.number().int(), bytes: z.number().int(), sha256: z.string() }),
  ),
  files: z.record(z.string(), z.object({ bytes: z.number().int(), sha256: z.string() })),
});
export type Manifest = z.infer<typeof Manifest>;

export const Sequences = z.record(z.string(), z.number().int());
