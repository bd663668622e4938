// workspace_search: matching lines of files, with context.
import { z } from 'zod';
import { findLines } from '#domain/find-lines.ts';
import type { Operation } from '#domain/tool.ts';
import { countOf } from '#domain/words.ts';
import { defineOperation, text } from '../define-operation.ts';
import { systemCode, throwIfAborted } from '../failures.ts';
import { describeOutput } from '../output-schema.ts';
import { withFileErrors } from './file-errors.ts';
import { inspectRead } from './inspect.ts';
import { maxLineBytes, readBeginning } from './read.ts';
import { checkPaths, type Sandbox } from './sandbox.ts';
import { prefixOf, walkFolder } from './walk-folder.ts';

const maxFiles = 2000;
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
          const { cut, decoded } = await sandbox.withPlace(file, { follow: true }, (place) =>
            readBeginning(place, maxLineBytes),
          );
          truncated ||= cut;
          if (decoded === null) continue;
          const { found, more } = await findLines(decoded.text, query, { around, most });
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

function listFiles(sandbox: Sandbox, path: string, signal: AbortSignal) {
  return sandbox.withPlace(path, { follow: true }, async (place) => {
    const files: string[] = [];
    let complete = true;
    const walk = walkFolder(place.at, prefixOf(place), { recursive: true, behind: [] }, signal);
    try {
      for await (const entry of walk) {
        if (entry === null) complete = false;
        if (files.length === maxFiles) return { files, complete: false };
        if (entry?.kind === 'file') files.push(entry.path);
      }
    } catch (error) {
      if (systemCode(error) === 'ENOTDIR') return { files: [path], complete };
      throw error;
    }
    return { files, complete };
  });
}
