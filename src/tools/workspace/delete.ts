// workspace_delete: removes a file, or a folder when asked to. A link is removed, not what it points to.
import { lstat, readdir, rmdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { CountersignError } from '#contracts/errors.ts';
import type { Operation } from '#contracts/tool.ts';
import { defineOperation, text } from '../define-operation.ts';
import { systemCode, throwIfAborted } from '../failures.ts';
import { describeOutput } from '../output-schema.ts';
import { withFileErrors } from './file-errors.ts';
import { inspectDelete } from './inspect.ts';
import { checkPaths, toWorkspacePath } from './paths.ts';
import { pinFolder, type Sandbox } from './sandbox.ts';

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
    output: describeOutput(z.strictObject({ path: z.string() })),
    check: checkPaths('path'),
    inspect: inspectDelete(sandbox),
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
          const folder = { at: place.at, real: join(sandbox.root, place.path), path: place.path };
          if (info.isDirectory() && args.recursive) await removeTree(folder, signal);
          else if (info.isDirectory()) await removeFolder(folder);
          else await unlink(place.at);
          await place.syncFolder();
          const kind = info.isDirectory() ? 'the folder ' : '';
          return { summary: `Deleted ${kind}${place.path}.`, data: { path: place.path } };
        });
      }),
  });
}

/** A folder: by way of its pinned parent, where it really is, and as people write it. */
type Folder = { at: string; real: string; path: string };

async function removeFolder({ at, path }: Folder): Promise<void> {
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

/** Deletes a folder with all that is in it, one thing at a time, so that it can be stopped. Links are not followed. */
async function removeTree({ at, real, path }: Folder, signal: AbortSignal): Promise<void> {
  const pin = await pinFolder(at, real, path);
  try {
    for (const entry of await readdir(pin.at, { withFileTypes: true })) {
      throwIfAborted(signal);
      const { name } = entry;
      const inside = { at: join(pin.at, name), real: join(real, name), path: `${path}/${name}` };
      if (entry.isDirectory()) await removeTree(inside, signal);
      else await unlink(inside.at);
    }
  } finally {
    await pin.handle.close();
  }
  await rmdir(at);
}
