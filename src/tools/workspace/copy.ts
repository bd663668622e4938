// workspace_copy: copies a file of any size, written aside, then renamed.
import { createHash } from 'node:crypto';
import { type FileHandle, lstat, open } from 'node:fs/promises';
import { z } from 'zod';
import { CountersignError } from '#domain/errors.ts';
import type { Operation } from '#domain/tool.ts';
import { countOf } from '#domain/words.ts';
import { defineOperation, text } from '../define-operation.ts';
import { systemCode, throwIfAborted } from '../failures.ts';
import { describeOutput } from '../output-schema.ts';
import { withFileErrors } from './file-errors.ts';
import { inspectMove, readFlags } from './inspect.ts';
import { whileLocked } from './lock.ts';
import { findDestination } from './move.ts';
import { previewTarget } from './preview.ts';
import { checkPaths, type HeldPath, type Sandbox, toWorkspacePath } from './sandbox.ts';
import { maxFileBytes, putFile } from './write.ts';

export function createCopy(sandbox: Sandbox): Operation {
  const destinationOf = (path: string, to: string) =>
    findDestination(sandbox, toWorkspacePath(path), to);
  return defineOperation({
    tool: 'workspace',
    operation: 'copy',
    description:
      'Copy any file. "to" is the path of the copy, or a folder (ending in /) to put it in; folders are created as needed.',
    effect: 'idempotent',
    destructive: true,
    targetArgument: 'to',
    schema: z.strictObject({
      path: text(2000, 'File to copy.'),
      to: text(2000, 'Path of the copy, or a folder ending in /.'),
      overwrite: z.boolean().default(false).describe('Replace a file that is already there.'),
    }),
    output: describeOutput(
      z.strictObject({
        path: z.string().describe('Where the copy is.'),
        size: z.number().int(),
        created: z.boolean(),
      }),
    ),
    check: checkPaths('path', 'to'),
    preview: previewTarget(sandbox, 'to'),
    inspect: inspectMove(sandbox, 'path', destinationOf),
    run: async (args, { signal }) => {
      const to = await destinationOf(args.path, args.to);
      return withFileErrors(args.path, () =>
        sandbox.withPlace(args.path, { follow: true }, async (source) => {
          const file = await open(source.at, readFlags);
          try {
            return await withFileErrors(to, () =>
              sandbox.withPlace(to, { follow: true, createFolders: true }, (target) =>
                whileLocked(target, signal, () =>
                  copyFile(file, source, target, args.overwrite, signal),
                ),
              ),
            );
          } finally {
            await file.close();
          }
        }),
      );
    },
  });
}

async function* readAll(file: FileHandle, size: number, signal: AbortSignal) {
  if (size === 0) return;
  for await (const chunk of file.createReadStream({ start: 0, end: size - 1, autoClose: false })) {
    throwIfAborted(signal);
    yield chunk;
  }
}

async function digestOf(file: FileHandle, size: number, signal: AbortSignal): Promise<string> {
  const sum = createHash('sha256');
  for await (const chunk of readAll(file, size, signal)) sum.update(chunk);
  return sum.digest('hex');
}

async function isCopy(file: FileHandle, size: number, place: HeldPath, signal: AbortSignal) {
  const other = await open(place.at, readFlags);
  try {
    const info = await other.stat();
    if (!info.isFile() || info.size !== size) return false;
    const [one, two] = [await digestOf(file, size, signal), await digestOf(other, size, signal)];
    return one === two;
  } finally {
    await other.close();
  }
}

async function copyFile(
  file: FileHandle,
  source: HeldPath,
  target: HeldPath,
  overwrite: boolean,
  signal: AbortSignal,
) {
  const info = await file.stat();
  if (!info.isFile())
    throw new CountersignError(
      'tool_failed',
      `${source.path} is ${info.isDirectory() ? 'a folder; copy its files one by one' : 'not a file'}.`,
    );
  const { size } = info;
  if (size > maxFileBytes)
    throw new CountersignError(
      'tool_failed',
      `${source.path} has ${countOf(size, 'byte')}, and ${maxFileBytes / 1e9} GB is the limit for a copy.`,
    );
  const before = await lstat(target.at).catch((error: unknown) => {
    if (systemCode(error) === 'ENOENT') return null;
    throw error;
  });
  if (before !== null && !before.isFile())
    throw new CountersignError('tool_failed', `${target.path} exists and is not a file.`);
  const done = (verb: string, created: boolean) => ({
    summary: `${verb} ${source.path} to ${target.path} (${countOf(size, 'byte')}).`,
    data: { path: target.path, size, created },
  });
  const isSame = before !== null && before.ino === info.ino && before.dev === info.dev;
  if (before === null || (overwrite && !isSame)) {
    const mode = (before ?? info).mode & 0o777;
    if (await putFile(target, readAll(file, size, signal), { mode, overwrite }))
      return done('Copied', before === null);
  }
  // Success, as after a repeated call.
  if (!isSame && (await isCopy(file, size, target, signal))) return done('Already copied', false);
  throw new CountersignError(
    'tool_failed',
    isSame
      ? `${source.path} can't be copied onto itself.`
      : `${target.path} already exists; set overwrite to true to replace it.`,
  );
}
