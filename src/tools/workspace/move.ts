// workspace_move: renames or moves, replacing nothing unless requested.
import { lstat, rename } from 'node:fs/promises';
import { posix } from 'node:path';
import { z } from 'zod';
import { CountersignError } from '#domain/errors.ts';
import type { Operation } from '#domain/tool.ts';
import { defineOperation, text } from '../define-operation.ts';
import { systemCode } from '../failures.ts';
import { describeOutput } from '../output-schema.ts';
import { withFileErrors } from './file-errors.ts';
import { inspectMove } from './inspect.ts';
import { whileBothLocked } from './lock.ts';
import { placeNew } from './place-new.ts';
import { previewTarget } from './preview.ts';
import { checkPaths, type HeldPath, type Sandbox, toWorkspacePath } from './sandbox.ts';

export function createMove(sandbox: Sandbox): Operation {
  return defineOperation({
    tool: 'workspace',
    operation: 'move',
    description:
      'Move or rename a file or folder. "to" is the new path, or a folder (ending in /) to put it in; folders are created as needed.',
    effect: 'write',
    destructive: false,
    targetArgument: 'to',
    schema: z.strictObject({
      from: text(2000, 'What to move.'),
      to: text(2000, 'Its new path, or a folder ending in /.'),
      overwrite: z.boolean().default(false).describe('Replace a file that is already there.'),
    }),
    output: describeOutput(
      z.strictObject({ from: z.string(), path: z.string().describe('Where it is now.') }),
    ),
    check: checkPaths('from', 'to'),
    preview: previewTarget(sandbox, 'from'),
    inspect: inspectMove(sandbox, 'from', (from, to) =>
      findDestination(sandbox, toWorkspacePath(from), to),
    ),
    run: async (args, { signal }) => {
      const from = toWorkspacePath(args.from);
      const to = await findDestination(sandbox, from, args.to);
      return withFileErrors(from, () =>
        sandbox.withPlace(from, { follow: false }, async (source) => {
          await lstat(source.at);
          const move = () =>
            sandbox.withPlace(to, { follow: false, createFolders: true }, (target) =>
              whileBothLocked(source, target, signal, () => moveTo(source, target, args.overwrite)),
            );
          return withFileErrors(to, move);
        }),
      );
    },
  });
}

async function moveTo(source: HeldPath, target: HeldPath, overwrite: boolean) {
  if (overwrite) await rename(source.at, target.at);
  else if (!(await placeNew(source.at, target.at)))
    throw new CountersignError(
      'tool_failed',
      `${target.path} already exists; set overwrite to true to replace it.`,
    );
  await Promise.all([source.syncFolder(), target.syncFolder()]);
  return {
    summary: `Moved ${source.path} to ${target.path}.`,
    data: { from: source.path, path: target.path },
  };
}

/** `to` itself, or the place inside it if it is a folder. */
export async function findDestination(sandbox: Sandbox, from: string, to: string): Promise<string> {
  const path = toWorkspacePath(to);
  if (from === '.')
    throw new CountersignError(
      'invalid_arguments',
      'The workspace itself cannot be moved or copied.',
    );
  const isFolder =
    to.endsWith('/') ||
    path === '.' ||
    (await withFileErrors(path, () =>
      sandbox.withPlace(path, { follow: true }, async (place) =>
        (await lstat(place.at)).isDirectory(),
      ),
    ).catch((error: unknown) => {
      // Only these codes prove that nothing is there.
      const code = systemCode(error instanceof CountersignError ? error.cause : error);
      if (code === 'ENOENT' || code === 'ENOTDIR') return false;
      throw error;
    }));
  return isFolder ? posix.join(path, posix.basename(from)) : path;
}
