// workspace_list: a folder's entries by page. Links are never followed.
import { z } from 'zod';
import { CountersignError } from '#domain/errors.ts';
import type { Operation } from '#domain/tool.ts';
import { showName } from '#domain/words.ts';
import { defineOperation } from '../define-operation.ts';
import { describeOutput } from '../output-schema.ts';
import { withFileErrors } from './file-errors.ts';
import { inspectRead } from './inspect.ts';
import { checkPaths, type HeldPath, type Sandbox } from './sandbox.ts';
import { type Entry, prefixOf, walkFolder } from './walk-folder.ts';

const maxEntries = 5000;
const pageBytes = 600_000;

const ListedEntry = z.strictObject({
  path: z.string(),
  name: z.string().describe('Without the folder.'),
  kind: z.enum(['file', 'folder', 'link', 'other']),
  size: z.number().int().describe('Bytes; 0 unless it is a file.'),
});

export function createList(sandbox: Sandbox): Operation {
  return defineOperation({
    tool: 'workspace',
    operation: 'list',
    description: 'List files and folders.',
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
        entries: z.array(ListedEntry).max(maxEntries),
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
          const behind = after === undefined ? [] : relativeTo(prefixOf(place), after).split('/');
          const page = await readPage(place, { recursive, behind }, signal);
          const { entries, missed, complete } = page;
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

export function suggestPaths(sandbox: Sandbox): NonNullable<Operation['suggest']> {
  return (signal) =>
    sandbox.withPlace('.', { follow: true }, async (place) => {
      const { entries } = await readPage(place, { recursive: true, behind: [] }, signal);
      return entries.map(({ path }) => path);
    });
}

/** `missed`: entries and folders that can't be read or named. */
type Page = { entries: Entry[]; missed: number; complete: boolean };

function relativeTo(prefix: string, after: string): string {
  if (after.startsWith(prefix)) return after.slice(prefix.length);
  throw new CountersignError(
    'invalid_arguments',
    `"after" is the "next" of an earlier page, which begins with ${prefix}.`,
  );
}

async function readPage(
  place: HeldPath,
  options: { recursive: boolean; behind: string[] },
  signal: AbortSignal,
): Promise<Page> {
  const page: Page = { entries: [], missed: 0, complete: true };
  let size = 0;
  for await (const entry of walkFolder(place.at, prefixOf(place), options, signal)) {
    if (entry === null) {
      page.missed += 1;
      continue;
    }
    size += Buffer.byteLength(JSON.stringify(entry)) + 1;
    if (page.entries.length >= maxEntries || size > pageBytes) return { ...page, complete: false };
    page.entries.push(entry);
  }
  return page;
}

const describeMissed = (count: number): string =>
  `${count.toLocaleString('en-US')} more could not be read.`;

function describe(entries: Entry[], where: string, complete: boolean): string {
  if (entries.length === 0) return `Nothing is in ${where}.`;
  const names = entries
    .slice(0, 5)
    .map(({ kind, path }) => (kind === 'folder' ? `${showName(path)}/` : showName(path)));
  const rest = entries.length - names.length;
  const others = rest === 1 && complete ? 'other' : 'others';
  const more = rest > 0 ? ` and ${rest}${complete ? '' : ' or more'} ${others}` : '';
  return `In ${where}: ${names.join(', ')}${more}.`;
}
