// workspace_write: writes a file aside, flushes, then renames it.
import { randomBytes } from 'node:crypto';
import { constants, createReadStream } from 'node:fs';
import { lstat, open, readFile, rename, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { detectEncoding, encodeText, utf8 } from '#domain/encoding/encoding.ts';
import { CountersignError } from '#domain/errors.ts';
import type { JsonObject } from '#domain/text.ts';
import type { Operation, ToolOutput } from '#domain/tool.ts';
import { countOf } from '#domain/words.ts';
import { defineOperation, text } from '../define-operation.ts';
import { systemCode } from '../failures.ts';
import { describeOutput } from '../output-schema.ts';
import { withFileErrors } from './file-errors.ts';
import { fingerprintOfText, inspectWrite } from './inspect.ts';
import { whileLocked } from './lock.ts';
import { placeNew } from './place-new.ts';
import { compareWith, previewWith } from './preview.ts';
import { checkPaths, type HeldPath, type Sandbox } from './sandbox.ts';

/** Larger files are neither copied nor edited. */
export const maxFileBytes = 1_000_000_000;

const writeFlags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

export function createWrite(sandbox: Sandbox): Operation {
  return defineOperation({
    tool: 'workspace',
    operation: 'write',
    description:
      'Write a text file. It gets exactly this content. Folders are created as needed; an existing file is replaced.',
    effect: 'idempotent',
    destructive: true,
    targetArgument: 'path',
    schema: z.strictObject({
      path: text(2000, 'File in the workspace.'),
      content: z.string().max(10_000_000).describe('The whole text of the file.'),
      overwrite: z.boolean().default(true).describe('Replace the file when it exists.'),
    }),
    output: describeOutput(
      z.strictObject({ path: z.string(), size: z.number().int(), created: z.boolean() }),
    ),
    check: checkFilePath,
    inspect: inspectWrite(sandbox, 'new'),
    compare: compareWith(sandbox, contentOf),
    preview: previewWith(sandbox, contentOf),
    fingerprintAfter: ({ content }) =>
      typeof content === 'string' ? fingerprintOfText(content) : null,
    run: (args, { signal }) =>
      withFileErrors(args.path, async () => {
        const problem = checkFilePath(args);
        if (problem !== null) throw new CountersignError(problem.code, problem.message);
        return sandbox.withPlace(args.path, { follow: true, createFolders: true }, (place) =>
          whileLocked(place, signal, () => writeText(place, args.content, args.overwrite)),
        );
      }),
  });
}

const contentOf = async ({ content }: JsonObject) => (typeof content === 'string' ? content : null);

const checkPath = checkPaths('path');

export function checkFilePath(args: { [key: string]: unknown }) {
  const problem = checkPath(args);
  if (problem !== null || typeof args.path !== 'string' || !namesFolder(args.path)) return problem;
  return { code: 'invalid_arguments' as const, message: folderSentence(args.path) };
}

function namesFolder(path: string): boolean {
  return /(^|\/)\.{0,2}$/.test(path);
}

function folderSentence(path: string): string {
  return `${path} names a folder; give the path of a file, such as ${join(path, 'notes.md')}.`;
}

/** Keeps a replaced file's encoding and byte order mark. */
async function writeText(place: HeldPath, text: string, overwrite: boolean): Promise<ToolOutput> {
  const before = await lstat(place.at).catch((error: unknown) => {
    if (systemCode(error) === 'ENOENT') return null;
    throw error;
  });
  if (before !== null && !before.isFile())
    throw new CountersignError('tool_failed', `${place.path} exists and is not a file.`);
  const kept = before === null ? null : await detectEncoding(createReadStream(place.at));
  const content = encodeText(text, kept ?? utf8);
  const size = content.length;
  const done = (verb: string, created: boolean): ToolOutput => ({
    summary: `${verb} ${place.path} (${countOf(size, 'byte')}).`,
    data: { path: place.path, size, created },
  });
  if (before === null || !overwrite) {
    const fresh = before === null && (await putFile(place, content, { mode: 0o666, overwrite }));
    if (fresh) return done('Created', true);
    // Success, as after a repeated call.
    if ((await lstat(place.at)).size === size && (await readFile(place.at)).equals(content))
      return done('Kept', false);
    throw new CountersignError(
      'tool_failed',
      `${place.path} already exists; set overwrite to true to replace it.`,
    );
  }
  await putFile(place, content, { mode: before.mode & 0o777, overwrite: true });
  return done('Replaced', false);
}

type Put = {
  mode: number;
  overwrite: boolean;
  /** Called once all is written; throws if the file must not be put in place. */
  isReady?: () => Promise<void>;
};

/** @returns false if something exists, which stays */
export async function putFile(
  place: HeldPath,
  content: Buffer | AsyncIterable<Buffer>,
  { mode, overwrite, isReady }: Put,
): Promise<boolean> {
  const aside = join(place.folder, `.countersign-${randomBytes(6).toString('hex')}.tmp`);
  try {
    const file = await open(aside, writeFlags, mode);
    try {
      await file.writeFile(Buffer.isBuffer(content) ? content : withinLimit(content, place));
      await file.sync();
    } finally {
      await file.close();
    }
    await isReady?.();
    if (overwrite) await rename(aside, place.at);
    else if (!(await placeNew(aside, place.at))) {
      await unlink(aside);
      return false;
    }
  } catch (error) {
    await unlink(aside).catch(() => undefined);
    throw error;
  }
  await place.syncFolder();
  return true;
}

async function* withinLimit(chunks: AsyncIterable<Buffer>, { path }: HeldPath) {
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.length;
    if (size > maxFileBytes)
      throw new CountersignError(
        'tool_failed',
        `${path} would have more than ${maxFileBytes / 1e9} GB, which is the limit, so it was left as it is.`,
      );
    yield chunk;
  }
}
