// workspace_list: what is in a folder of the workspace. Links are named, never followed.
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { Operation } from '#domain/tool.ts';
import { defineOperation } from '../define-operation.ts';
import { throwIfAborted } from '../failures.ts';
import { describeLargeOutput } from '../output-schema.ts';
import { withFileErrors } from './file-errors.ts';
import { inspectRead } from './inspect.ts';
import { checkPaths, isTemporary } from './paths.ts';
import type { Sandbox } from './sandbox.ts';

const maxEntries = 5000;

const Entry = z.strictObject({
  path: z.string(),
  name: z.string().describe('Without the folder.'),
  kind: z.enum(['file', 'folder', 'link', 'other']),
  size: z.number().int().describe('Bytes; 0 unless it is a file.'),
});
type Entry = z.output<typeof Entry>;

export function createList(sandbox: Sandbox): Operation {
  return defineOperation({
    tool: 'workspace',
    operation: 'list',
    description: 'List the files and folders of the workspace, or of one of its folders.',
    effect: 'read',
    destructive: false,
    targetArgument: 'path',
    schema: z.strictObject({
      path: z.string().default('.').describe('Folder in the workspace; "." is the workspace.'),
      recursive: z.boolean().default(false).describe('Also list what is inside its folders.'),
    }),
    output: describeLargeOutput(
      z.strictObject({
        path: z.string(),
        entries: z.array(Entry).max(maxEntries),
        count: z.number().int(),
        truncated: z.boolean().describe('There are more entries.'),
      }),
    ),
    check: checkPaths('path'),
    inspect: inspectRead(sandbox),
    run: ({ path, recursive }, { signal }) =>
      withFileErrors(path, () =>
        sandbox.withPlace(path, { follow: true }, async (place) => {
          const entries: Entry[] = [];
          const prefix = place.path === '.' ? '' : `${place.path}/`;
          const complete = await collect(place.at, prefix, recursive, entries, signal);
          const where = place.path === '.' ? 'the workspace' : place.path;
          return {
            summary: describe(entries, where, complete),
            data: { path: place.path, entries, count: entries.length, truncated: !complete },
          };
        }),
      ),
  });
}

/** Adds the entries of `folder` in the order of their names. Returns false when there were too many. */
async function collect(
  folder: string,
  prefix: string,
  recursive: boolean,
  entries: Entry[],
  signal: AbortSignal,
): Promise<boolean> {
  for (const name of (await readdir(folder)).sort()) {
    throwIfAborted(signal);
    if (isTemporary(name)) continue;
    if (entries.length >= maxEntries) return false;
    const info = await lstat(join(folder, name)).catch(() => null);
    if (info === null) continue;
    const kind = info.isFile()
      ? 'file'
      : info.isDirectory()
        ? 'folder'
        : info.isSymbolicLink()
          ? 'link'
          : 'other';
    entries.push({ path: prefix + name, name, kind, size: kind === 'file' ? info.size : 0 });
    if (kind !== 'folder' || !recursive) continue;
    if (!(await collect(join(folder, name), `${prefix}${name}/`, true, entries, signal)))
      return false;
  }
  return true;
}

function describe(entries: Entry[], where: string, complete: boolean): string {
  if (entries.length === 0) return `Nothing is in ${where}.`;
  const names = entries
    .slice(0, 5)
    .map((entry) => (entry.kind === 'folder' ? `${entry.path}/` : entry.path));
  const rest = entries.length - names.length;
  const more = rest > 0 ? ` and ${rest}${complete ? '' : ' or more'} others` : '';
  return `In ${where}: ${names.join(', ')}${more}.`;
}
