// A file's state before and after a step, for review.
// Read-only, bounded, and never through a link out of the workspace.
import { open } from 'node:fs/promises';
import { type StructuredPatchHunk, structuredPatch } from 'diff';
import { decodeText } from '#domain/encoding/encoding.ts';
import type { FilePreview, Hunk } from '#domain/plan/preview.ts';
import type { Json, JsonObject } from '#domain/text.ts';
import type { Operation } from '#domain/tool.ts';
import { systemCode, throwIfAborted } from '../failures.ts';
import { readFlags } from './inspect.ts';
import type { Sandbox } from './sandbox.ts';

/** Characters; longer texts are not compared. */
const maxCompared = 200_000;
/** Beyond, two texts count as entirely different. */
const maxEdits = 2000;
/** Comparing blocks the process. */
const comparedWithinMs = 100;
/** Up to these many lines, the diff shows the whole file, folded. */
const maxWhole = 2000;
/** Characters of a file to be removed. */
const maxBeginning = 4000;

const textOf = (value: Json | undefined): string | null =>
  typeof value === 'string' ? value : null;

function diffTexts(before: string, after: string, context: number): StructuredPatchHunk[] | null {
  const options = { context, maxEditLength: maxEdits, timeout: comparedWithinMs };
  return structuredPatch('', '', before, after, '', '', options)?.hunks ?? null;
}

type NextText = (args: JsonObject, bytes: Buffer) => Promise<string | null>;

export function compareWith(sandbox: Sandbox, next: NextText): NonNullable<Operation['compare']> {
  return async (args, signal) => {
    const path = textOf(args.path);
    if (path === null) return null;
    const before = await readText(sandbox, path, true, signal).catch(() => null);
    if (before === null || before.text === null || before.bytes === null) return null;
    const content = await next(args, before.bytes).catch(() => null);
    if (content === null || content.length > maxCompared) return null;
    const hunks = diffTexts(before.text, content, 3);
    if (hunks === null) return null;
    return hunks
      .flatMap(({ oldStart, oldLines, newStart, newLines, lines }) => [
        `@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`,
        ...lines,
      ])
      .join('\n');
  };
}

type Found = Pick<FilePreview, 'found' | 'size' | 'text'> & { bytes: Buffer | null };

const absent: Found = { found: 'nothing', size: null, text: null, bytes: null };

async function readText(
  sandbox: Sandbox,
  path: string,
  follow: boolean,
  signal: AbortSignal,
): Promise<Found> {
  return sandbox.withPlace(path, { follow }, async ({ at }) => {
    throwIfAborted(signal);
    const file = await open(at, readFlags);
    try {
      const info = await file.stat();
      if (!info.isFile()) return { found: 'other', size: null, text: null, bytes: null };
      if (info.size > maxCompared)
        return { found: 'file', size: info.size, text: null, bytes: null };
      const bytes = await file.readFile();
      const decoded = decodeText(bytes);
      const text = decoded?.exact ? decoded.text : null;
      return { found: 'file', size: info.size, text, bytes };
    } finally {
      await file.close();
    }
  });
}

async function look(
  sandbox: Sandbox,
  path: string,
  follow: boolean,
  signal: AbortSignal,
): Promise<Found | null> {
  return readText(sandbox, path, follow, signal).catch((error: unknown) => {
    const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
    return systemCode(cause) === 'ENOENT' ? absent : null;
  });
}

const countLines = (text: string): number => text.split('\n').length;

const toHunk = ({ oldStart, newStart, lines }: StructuredPatchHunk): Hunk => ({
  old_start: oldStart,
  new_start: newStart,
  lines,
});

function showBeginning(path: string, { text, bytes: _, ...found }: Found): FilePreview {
  const shown = text === null ? null : text.slice(0, maxBeginning);
  const cut = shown !== null && text !== null && shown.length < text.length;
  return { path, ...found, hunks: null, text: shown, cut };
}

export function previewWith(sandbox: Sandbox, next: NextText): NonNullable<Operation['preview']> {
  return async (args, signal) => {
    const path = textOf(args.path);
    if (path === null) return null;
    const found = await look(sandbox, path, true, signal);
    if (found === null) return null;
    const { text, bytes, ...rest } = found;
    const content = bytes === null ? null : await next(args, bytes).catch(() => null);
    if (text === null || content === null || content.length > maxCompared)
      return showBeginning(path, found);
    const isShort = countLines(text) + countLines(content) <= maxWhole;
    const hunks = diffTexts(text, content, isShort ? maxWhole : 3);
    return hunks === null
      ? showBeginning(path, found)
      : { path, ...rest, text: null, hunks: hunks.map(toHunk), cut: !isShort };
  };
}

export function previewTarget(
  sandbox: Sandbox,
  argument: 'path' | 'from' | 'to',
): NonNullable<Operation['preview']> {
  return async (args: JsonObject, signal) => {
    const path = textOf(args[argument]);
    if (path === null) return null;
    const found = await look(sandbox, path, false, signal);
    return found === null ? null : showBeginning(path, found);
  };
}
