// workspace_list: a folder's entries, page by page. Links are named, never followed.
import { isUtf8 } from 'node:buffer';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { CountersignError } from '#domain/errors.ts';
import type { Operation } from '#domain/tool.ts';
import { showName } from '#domain/words.ts';
import { defineOperation } from '../define-operation.ts';
import { throwIfAborted } from '../failures.ts';
import { describeOutput } from '../output-schema.ts';
import { withFileErrors } from './file-errors.ts';
import { inspectRead } from './inspect.ts';
import { checkPaths, isReserved, isTemporary, type Sandbox } from './sandbox.ts';

const maxEntries = 5000;
/** Bytes of JSON per page, well below the output limit. */
const pageBytes = 600_000;

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
      after: z.string().optional().describe('The last page\'s "next": where the page begins.'),
    }),
    output: describeOutput(
      z.strictObject({
        path: z.string(),
        entries: z.array(Entry).max(maxEntries),
        count: z.number().int(),
        truncated: z.boolean().describe('There are more entries.'),
        next: z.string().optional().describe('"after" of the next page, where there is one.'),
        skipped: z.array(z.string()).optional().describe('What could not be read.'),
      }),
    ),
    check: checkPaths('path'),
    inspect: inspectRead(sandbox),
    run: ({ path, recursive, after }, { signal }) =>
      withFileErrors(path, () =>
        sandbox.withPlace(path, { follow: true }, async (place) => {
          const prefix = place.path === '.' ? '' : `${place.path}/`;
          const page: Page = { entries: [], bytes: 0, missed: 0 };
          const behind = after === undefined ? [] : relativeTo(prefix, after).split('/');
          const complete = await collect(place.at, prefix, { recursive, behind }, page, signal);
          const { entries, missed } = page;
          const where = place.path === '.' ? 'the workspace' : place.path;
          const skipped = missed === 0 ? [] : [describeMissed(missed)];
          const data = {
            ...{ path: place.path, entries, count: entries.length },
            ...(missed === 0 ? {} : { skipped }),
          };
          return {
            summary: [describe(entries, where, complete), ...skipped].join(' '),
            data: complete
              ? { ...data, truncated: false }
              : { ...data, truncated: true, next: entries.at(-1)?.path ?? '' },
          };
        }),
      ),
  });
}

/** The first page of existing paths. */
export function suggestPaths(sandbox: Sandbox): NonNullable<Operation['suggest']> {
  return (signal) =>
    sandbox.withPlace('.', { follow: true }, async (place) => {
      const page: Page = { entries: [], bytes: 0, missed: 0 };
      await collect(place.at, '', { recursive: true, behind: [] }, page, signal);
      return page.entries.map(({ path }) => path);
    });
}

/** `missed`: entries that can't be read or named, and unreadable folders. */
type Page = { entries: Entry[]; bytes: number; missed: number };

function relativeTo(prefix: string, after: string): string {
  if (after.startsWith(prefix)) return after.slice(prefix.length);
  throw new CountersignError(
    'invalid_arguments',
    `"after" is the "next" of an earlier page, which begins with ${prefix}.`,
  );
}

/**
 * Adds entries of `folder` by name, folders before their content.
 * @param behind names leading to the previous page's last entry; empty for the first page
 * @returns false if there are too many
 */
async function collect(
  folder: string,
  prefix: string,
  { recursive, behind }: { recursive: boolean; behind: string[] },
  page: Page,
  signal: AbortSignal,
): Promise<boolean> {
  const [last = '', ...inside] = behind;
  for (const name of await readNames(folder, page)) {
    throwIfAborted(signal);
    if (isTemporary(name) || name < last || isReserved(prefix + name)) continue;
    const isListed = name === last;
    const info = await lstat(join(folder, name)).catch(() => null);
    if (info === null) {
      page.missed += 1;
      continue;
    }
    const kind = info.isFile()
      ? 'file'
      : info.isDirectory()
        ? 'folder'
        : info.isSymbolicLink()
          ? 'link'
          : 'other';
    if (!isListed) {
      const entry = { path: prefix + name, name, kind, size: kind === 'file' ? info.size : 0 };
      const bytes = Buffer.byteLength(JSON.stringify(entry)) + 1;
      if (page.entries.length >= maxEntries || page.bytes + bytes > pageBytes) return false;
      page.entries.push({ ...entry, kind });
      page.bytes += bytes;
    }
    if (kind !== 'folder' || !recursive) continue;
    const within = { recursive, behind: isListed ? inside : [] };
    const below = collect(join(folder, name), `${prefix}${name}/`, within, page, signal);
    const isComplete = await below.catch((error: unknown) => {
      if (error instanceof CountersignError) throw error;
      page.missed += 1;
      return true;
    });
    if (!isComplete) return false;
  }
  return true;
}

/** Sorted names in a folder. Paths can't name what isn't UTF-8. */
async function readNames(folder: string, page: Page): Promise<string[]> {
  const names = await readdir(folder, { encoding: 'buffer' });
  const readable = names.filter((name) => isUtf8(name));
  page.missed += names.length - readable.length;
  return readable.map((name) => name.toString()).sort();
}

const describeMissed = (count: number): string =>
  `${count.toLocaleString('en-US')} more could not be read.`;

function describe(entries: Entry[], where: string, complete: boolean): string {
  if (entries.length === 0) return `Nothing is in ${where}.`;
  const names = entries
    .slice(0, 5)
    .map(({ kind, path }) => (kind === 'folder' ? `${showName(path)}/` : showName(path)));
  const rest = entries.length - names.length;
  const more = rest > 0 ? ` and ${rest}${complete ? '' : ' or more'} others` : '';
  return `In ${where}: ${names.join(', ')}${more}.`;
}
