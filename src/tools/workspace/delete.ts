// workspace_delete: removes a file, or a folder when asked to. A link is removed, not what it points to.
import { lstat, rm, rmdir, unlink } from 'node:fs/promises';
import { z } from 'zod';
import { CountersignError } from '#contracts/errors.ts';
import type { Operation } from '#contracts/tool.ts';
import { defineOperation, text } from '../define-operation.ts';
import { systemCode, throwIfAborted } from '../failures.ts';
import { withFileErrors } from './file-errors.ts';
import { checkPaths, toWorkspacePath } from './paths.ts';
import type { Sandbox } from './sandbox.ts';

export function createDelete(sandbox: Sandbox): Operation {
  return defineOperation({
    tool: 'workspace',
    operation: 'delete',
    description: 'Delete a file of the workspace for good, or a folder with recursive.',
    effect: 'write',
    destructive: true,
    targetArgument: 'path',
    verbs: ['delete', 'remove', 'erase', 'discard'],
    schema: z.strictObject({
      path: text(2000, 'What to delete.'),
      recursive: z.boolean().default(false).describe('Delete a folder with all that is in it.'),
    }),
    check: checkPaths('path'),
    run: (args, { signal }) =>
      withFileErrors(args.path, async () => {
        if (toWorkspacePath(args.path) === '.')
          throw new CountersignError(
            'invalid_arguments',
            'The workspace itself cannot be deleted.',
          );
        return sandbox.withPlace(args.path, { follow: false }, async (place) => {
          const info = await lstat(place.at);
          throwIfAborted(signal);
          if (info.isDirectory()) await removeFolder(place.at, place.path, args.recursive);
          else await unlink(place.at);
          await place.syncFolder();
          const kind = info.isDirectory() ? 'the folder ' : '';
          return { summary: `Deleted ${kind}${place.path}.`, data: { path: place.path } };
        });
      }),
  });
}

async function removeFolder(at: string, path: string, recursive: boolean): Promise<void> {
  if (recursive) return rm(at, { recursive: true });
  try {
    await rmdir(at);
  } catch (error) {
    if (systemCode(error) !== 'ENOTEMPTY') throw error;
    throw new CountersignError(
      'tool_failed',
      `${path} is a folder with things in it; set recursive to true to delete them too.`,
      { cause: error },
    );
  }
}
