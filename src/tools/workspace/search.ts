// workspace_search: lines of a file, or of all text files of a folder, that hold given words, with the lines around them.
import { open, readdir } from 'node:fs/promises';
import { z } from 'zod';
import { decodeText } from '#domain/encoding/encoding.ts';
import { CountersignError } from '#domain/errors.ts';
import { findLines } from '#domain/find-lines.ts';
import type { Operation } from '#domain/tool.ts';
import { countOf } from '#domain/words.ts';
import { defineOperation, text } from '../define-operation.ts';
import { throwIfAborted } from '../failures.ts';
import { describeOutput } from '../output-schema.ts';
import { withFileErrors } from './file-errors.ts';
import { inspectRead, readFlags } from './inspect.ts';
import { checkPaths, isReserved, isTemporary, type Sandbox } from './sandbox.ts';

const maxFiles = 2000;
const maxFileBytes = 20_000_000;
const maxMatches = 50;

const Match = z.strictObject({
  path: z.string(),
  line: z.number().int().describe('The first line shown, from 1.'),
  text: z.string(),
});
type Match = z.output<typeof Match>;

export function createSearch(sandbox: Sandbox): Operation {
  return defineOperation({
    tool: 'workspace',
    operation: 'search',
    description: 'Find lines that hold a text, in files.',
    effect: 'read',
    destructive: false,
    targetArgument: 'path',
    schema: z.strictObject({
      query: text(500, 'The text, in any case.'),
      path: z.string().default('.').describe('A file or folder; "." is the workspace.'),
      around: z.number().int().min(0).max(50).default(2).describe('Lines shown around a match.'),
    }),
    output: describeOutput(
      z.strictObject({
        matches: z.array(Match),
        truncated: z.boolean().describe('There are more matches or files.'),
      }),
    ),
    check: checkPaths('path'),
    inspect: inspectRead(sandbox),
    run: ({ query, path, around }, { signal }) =>
      withFileErrors(path, async () => {
        const { files, complete } = await listFiles(sandbox, path, signal);
        const matches: Match[] = [];
        let truncated = !complete;
        for (const file of files) {
          throwIfAborted(signal);
          const most = maxMatches - matches.length;
          if (most === 0) truncated = true;
          if (most === 0) break;
          const content = await readWhole(sandbox, file);
          if (content === undefined) truncated = true;
          if (content == null) continue;
          const { found, more } = await findLines(content, query, { around, most });
          truncated ||= more;
          matches.push(...found.map((one) => ({ path: file, ...one })));
        }
        return {
          summary: `Found ${countOf(matches.length, 'place')} in ${countOf(files.length, 'file')}.`,
          data: { matches, truncated },
        };
      }),
  });
}

/** The files at `path`, in order of their names. Links are not followed. */
async function listFiles(
  sandbox: Sandbox,
  path: string,
  signal: AbortSignal,
): Promise<{ files: string[]; complete: boolean }> {
  const files: string[] = [];
  const open = [path];
  for (let one = open.shift(); one !== undefined; one = open.shift()) {
    throwIfAborted(signal);
    const at = one;
    const entries = await sandbox.withPlace(at, { follow: true }, async (place) => {
      const found = await readdir(place.at, { withFileTypes: true }).catch((error: unknown) => {
        if (at === path && isNoFolder(error)) return null;
        throw error;
      });
      return found?.map((entry) => ({
        path: place.path === '.' ? entry.name : `${place.path}/${entry.name}`,
        isFile: entry.isFile(),
        isFolder: entry.isDirectory(),
      }));
    });
    if (entries === undefined) return { files: [path], complete: true };
    for (const entry of entries.toSorted((a, b) => (a.path < b.path ? -1 : 1))) {
      if (isReserved(entry.path) || isTemporary(entry.path)) continue;
      if (entry.isFile) files.push(entry.path);
      if (entry.isFolder) open.push(entry.path);
      if (files.length >= maxFiles) return { files, complete: false };
    }
  }
  return { files, complete: true };
}

const isNoFolder = (error: unknown) =>
  error instanceof Error && 'code' in error && error.code === 'ENOTDIR';

/** The text of a file, null if it is not text, undefined if it is too large. */
function readWhole(sandbox: Sandbox, path: string): Promise<string | null | undefined> {
  return sandbox.withPlace(path, { follow: true }, async (place) => {
    const file = await open(place.at, readFlags);
    try {
      const info = await file.stat();
      if (!info.isFile()) throw new CountersignError('tool_failed', `${path} is not a file.`);
      if (info.size > maxFileBytes) return undefined;
      const bytes = await file.readFile();
      return decodeText(bytes, { cut: false })?.text ?? null;
    } finally {
      await file.close();
    }
  });
}
