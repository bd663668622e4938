// workspace_edit: adds lines or replaces text, keeping all other bytes.
import type { Stats } from 'node:fs';
import { type FileHandle, lstat, open } from 'node:fs/promises';
import { z } from 'zod';
import { decodeText, detectEncoding } from '#domain/encoding/encoding.ts';
import { CountersignError } from '#domain/errors.ts';
import { isOpen } from '#domain/plan/arguments.ts';
import { quoteWords } from '#domain/shown-text.ts';
import type { JsonObject } from '#domain/text.ts';
import type { Operation } from '#domain/tool.ts';
import { countOf } from '#domain/words.ts';
import { defineOperation, text } from '../define-operation.ts';
import { systemCode, throwIfAborted } from '../failures.ts';
import { describeOutput } from '../output-schema.ts';
import { type Change, changeBytes, type FileFacts } from './change-bytes.ts';
import { withFileErrors } from './file-errors.ts';
import { inspectWrite, readFlags } from './inspect.ts';
import { whileLocked } from './lock.ts';
import { compareWith, previewWith } from './preview.ts';
import type { HeldPath, Sandbox } from './sandbox.ts';
import { checkFilePath, maxFileBytes, putFile } from './write.ts';

const Arguments = z.strictObject({
  path: text(2000, 'File in the workspace.'),
  action: z
    .enum(['append', 'prepend', 'replace'])
    .describe('append and prepend add lines; replace puts text in the place of find.'),
  text: z.string().max(1_000_000).describe('What is added, or put in the place of find.'),
  find: text(1_000_000, 'With replace: the exact text to replace.').optional(),
  all: z.boolean().default(true).describe('With replace: every occurrence, or only the first.'),
});

const noFind = 'Say in "find" which text to replace.';

function changeOf({ action, text: added, find, all }: z.output<typeof Arguments>): Change {
  if (action !== 'replace') return { action, text: added };
  if (find === undefined) throw new CountersignError('invalid_arguments', noFind);
  return { action, find, text: added, all };
}

function check(args: { [key: string]: unknown }) {
  const problem = checkFilePath(args);
  if (problem !== null) return problem;
  const isIncomplete = args.action === 'replace' && args.find === undefined;
  return isIncomplete ? { code: 'invalid_arguments' as const, message: noFind } : null;
}

export function createEdit(sandbox: Sandbox): Operation {
  return defineOperation({
    tool: 'workspace',
    operation: 'edit',
    description:
      'Add lines to a file or replace text in it. The rest stays as it is, however large. append and prepend create a file that does not exist.',
    effect: 'write',
    destructive: true,
    targetArgument: 'path',
    schema: Arguments,
    output: describeOutput(
      z.strictObject({
        path: z.string(),
        size: z.number().int(),
        replaced: z.number().int().describe('Places where find was; 0 unless it is a replace.'),
        created: z.boolean(),
      }),
    ),
    check,
    inspect: (args, signal) =>
      inspectWrite(sandbox, args.action === 'replace' ? 'missing' : 'new')(args, signal),
    compare: compareWith(sandbox, previewEdit),
    preview: previewWith(sandbox, previewEdit),
    run: (args, { signal }) =>
      withFileErrors(args.path, () => {
        const problem = check(args);
        if (problem !== null) throw new CountersignError(problem.code, problem.message);
        const change = changeOf(args);
        const createFolders = change.action !== 'replace';
        return sandbox.withPlace(args.path, { follow: true, createFolders }, (place) =>
          whileLocked(place, signal, () => editFile(place, change, signal)),
        );
      }),
  });
}

async function editFile(place: HeldPath, change: Change, signal: AbortSignal) {
  const file = await open(place.at, readFlags).catch((error: unknown) => {
    if (systemCode(error) === 'ENOENT' && change.action !== 'replace') return null;
    throw error;
  });
  const counter = { replaced: 0 };
  try {
    const before = (await file?.stat()) ?? null;
    if (before !== null && !before.isFile())
      throw new CountersignError('tool_failed', `${place.path} exists and is not a file.`);
    if (before !== null && before.size > maxFileBytes)
      throw new CountersignError(
        'tool_failed',
        `${place.path} has ${countOf(before.size, 'byte')}, and ${maxFileBytes / 1e9} GB is the limit for an edit.`,
      );
    const facts = await readFacts(file, before?.size ?? 0);
    const chunks = readChunks(file, before?.size ?? 0, signal);
    const isReady = async () => {
      if (change.action === 'replace' && counter.replaced === 0)
        throw new CountersignError(
          'tool_failed',
          `${place.path} does not contain ${quoteWords(change.find, 80)}, so nothing was changed.`,
        );
      if (before !== null) await requireSame(place, before);
    };
    const changed = changeBytes(chunks, facts, change, counter);
    const put = await putFile(place, changed, {
      mode: before === null ? 0o666 : before.mode & 0o777,
      overwrite: before !== null,
      isReady,
    });
    if (!put)
      throw new CountersignError('tool_failed', `${place.path} has just been created. Try again.`);
  } finally {
    await file?.close();
  }
  const { size } = await lstat(place.at);
  const created = file === null;
  const { path } = place;
  const did = created
    ? `Created ${path}`
    : change.action === 'replace'
      ? `Replaced ${quoteWords(change.find, 40)} in ${countOf(counter.replaced, 'place')} of ${path}`
      : `Added to ${path}`;
  return {
    summary: `${did} (${countOf(size, 'byte')}).`,
    data: { path, size, replaced: counter.replaced, created },
  };
}

const edgeBytes = 65_536;

async function readFacts(file: FileHandle | null, size: number): Promise<FileFacts> {
  if (file === null || size === 0) return factsOf(Buffer.alloc(0), { name: 'utf-8', bom: false });
  const encoding = await detectEncoding(file.createReadStream({ start: 0, autoClose: false }));
  const start = Buffer.alloc(Math.min(size, edgeBytes));
  await file.read(start, 0, start.length, 0);
  const end = Buffer.alloc(Math.min(size, 4));
  await file.read(end, 0, end.length, size - end.length);
  return { encoding, start, end };
}

const factsOf = (bytes: Buffer, encoding: FileFacts['encoding']): FileFacts => ({
  encoding,
  start: bytes.subarray(0, edgeBytes),
  end: bytes.subarray(-4),
});

/** As opened; appended bytes show in its size. */
async function* readChunks(file: FileHandle | null, size: number, signal: AbortSignal) {
  if (file === null || size === 0) return;
  for await (const chunk of file.createReadStream({ start: 0, end: size - 1, autoClose: false })) {
    throwIfAborted(signal);
    yield chunk;
  }
}

async function requireSame(place: HeldPath, before: Stats): Promise<void> {
  const now = await lstat(place.at);
  if (now.ino === before.ino && now.size === before.size && now.mtimeMs === before.mtimeMs) return;
  throw new CountersignError(
    'tool_failed',
    `${place.path} was changed by someone else meanwhile, so it was not written. Try again.`,
    { passesAfterMs: 0 },
  );
}

async function previewEdit(args: JsonObject, bytes: Buffer): Promise<string | null> {
  if (isOpen(args)) return null;
  const parsed = Arguments.safeParse(args);
  const decoded = decodeText(bytes);
  if (!parsed.success || decoded === null) return null;
  const counter = { replaced: 0 };
  const whole = (async function* () {
    yield bytes;
  })();
  const pieces: Buffer[] = [];
  const change = changeOf(parsed.data);
  const changed = changeBytes(whole, factsOf(bytes, decoded.encoding), change, counter);
  for await (const piece of changed) pieces.push(piece);
  if (change.action === 'replace' && counter.replaced === 0) return null;
  return decodeText(Buffer.concat(pieces))?.text ?? null;
}
