// Detects a full database disk, and probes until there is room again.
import { type SQL, sql } from 'drizzle-orm';
import type { Pool } from 'pg';
import { diskFull, isDiskFull } from './transient.ts';

export const diskFullWords =
  "The disk of the database is full. Free space on it or enlarge it (PostgreSQL's data_directory says where it is).";

const neededKb = 4096;

/** @returns whether the disk is full: probed each time after a refusal, leaving nothing behind */
export function watchDisk(
  pool: Pool,
  transaction: (
    work: (tx: { execute(query: SQL): Promise<unknown> }) => Promise<void>,
  ) => Promise<void>,
): () => Promise<boolean> {
  let full = false;
  let trying: Promise<boolean> | null = null;
  pool.on('connect', ({ connection }) => {
    connection.on('errorMessage', ({ code }: { code?: string }) => {
      if (code === diskFull) full = true;
    });
  });

  async function tryRoom(): Promise<boolean> {
    try {
      await transaction(async (tx) => {
        await tx.execute(sql`create temporary table room on commit drop as
          select repeat('x', 1000) as kilobyte from generate_series(1, ${sql.raw(String(neededKb))})`);
      });
      full = false;
    } catch (error) {
      if (!isDiskFull(error)) throw error;
    } finally {
      trying = null;
    }
    return full;
  }

  return async () => {
    if (!full) return false;
    trying ??= tryRoom();
    return await trying;
  };
}
