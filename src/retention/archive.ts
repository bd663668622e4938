// The archive of deleted data: JSON lines, one file per kind and day.
// A line cut off by a crash or full disk is removed before the next write; repeated lines have the same IDs.
import { constants, createReadStream, createWriteStream } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { Clock } from '#domain/clock.ts';
import { CountersignError, errorMessage } from '#domain/errors.ts';

export type Archive = {
  folder: string;
  /** @returns the file's name, once the lines are on disk */
  append(kind: string, lines: string[]): Promise<string>;
  compress(): Promise<void>;
};

const fileName = /^[a-z]+-(\d{4}-\d{2}-\d{2})\.jsonl$/;
const chunkSize = 65_536;

/** Stops deletion only. */
const archiveFailed = 'archive_failed';

export function isArchiveFailure(error: unknown): error is CountersignError {
  return error instanceof CountersignError && error.code === archiveFailed;
}

function explain(folder: string, cause: unknown): CountersignError {
  const full = cause instanceof Error && 'code' in cause && cause.code === 'ENOSPC';
  const todo = full
    ? 'Free space on its disk'
    : 'Make it writable, or set retention.archive to another folder';
  return new CountersignError(
    archiveFailed,
    `Nothing is deleted, since the archive ${folder} cannot be written (${errorMessage(cause)}). ${todo}.`,
    { cause },
  );
}

async function findWholeLength(file: FileHandle): Promise<number> {
  const { size } = await file.stat();
  for (let end = size; end > 0; ) {
    const begin = Math.max(0, end - chunkSize);
    const { buffer } = await file.read(Buffer.alloc(end - begin), 0, end - begin, begin);
    const newline = buffer.lastIndexOf(0x0a);
    if (newline !== -1) return begin + newline + 1;
    end = begin;
  }
  return 0;
}

/** A new file is only safe with its name on disk. Windows can't open folders and needn't. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder, constants.O_RDONLY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function write(folder: string, name: string, text: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  // Not in append mode: overwrites an incomplete line.
  const file = await open(join(folder, name), constants.O_RDWR | constants.O_CREAT, 0o600);
  try {
    const length = await findWholeLength(file);
    await file.truncate(length);
    await file.write(text, length);
    await file.sync();
    if (length === 0) await syncFolder(folder);
  } finally {
    await file.close();
  }
}

async function gzip(folder: string, name: string): Promise<void> {
  const there = await readdir(folder);
  let to = `${name}.gz`;
  // An existing one has other lines: a clock was set back, or a crash prevented the removal.
  for (let n = 2; there.includes(to); n += 1) to = `${name.replace(/\.jsonl$/, '')}.${n}.jsonl.gz`;
  const draft = join(folder, `${name}.gz.part`);
  await pipeline(
    createReadStream(join(folder, name)),
    createGzip(),
    createWriteStream(draft, { mode: 0o600, flush: true }),
  );
  await rename(draft, join(folder, to));
  await syncFolder(folder);
  await rm(join(folder, name));
}

export function openArchive(folder: string, clock: Clock): Archive {
  const today = () => clock.now().toISOString().slice(0, 10);
  const explained = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } catch (error) {
      throw explain(folder, error);
    }
  };
  return {
    folder,
    async append(kind, lines) {
      const name = `${kind}-${today()}.jsonl`;
      await explained(write(folder, name, lines.map((line) => `${line}\n`).join('')));
      return name;
    },
    async compress() {
      const there = await stat(folder).catch(() => null);
      if (there === null) return; // Nothing was written yet.
      const day = today();
      const names = await explained(readdir(folder));
      for (const name of names) {
        const written = fileName.exec(name)?.[1];
        if (written !== undefined && written < day) await explained(gzip(folder, name));
      }
    },
  };
}
