// workspace_read: a file's text up to a limit, or some lines.
import { open } from 'node:fs/promises';
import { z } from 'zod';
import { decodeText } from '#domain/encoding/encoding.ts';
import { CountersignError } from '#domain/errors.ts';
import { splitLines } from '#domain/find-lines.ts';
import type { Operation } from '#domain/tool.ts';
import { countOf } from '#domain/words.ts';
import { defineOperation, text } from '../define-operation.ts';
import { throwIfAborted } from '../failures.ts';
import { describeOutput } from '../output-schema.ts';
import { withFileErrors } from './file-errors.ts';
import { inspectRead, readFlags } from './inspect.ts';
import { checkPaths, type HeldPath, type Sandbox } from './sandbox.ts';

const defaultBytes = 500_000;
const defaultLines = 200;
export const maxLineBytes = 20_000_000;
const maxRange = 500_000;

export function createRead(sandbox: Sandbox): Operation {
  return defineOperation({
    tool: 'workspace',
    operation: 'read',
    description: 'Read the text of a file, or a range of its lines.',
    effect: 'read',
    destructive: false,
    targetArgument: 'path',
    schema: z.strictObject({
      path: text(2000, 'File in the workspace.'),
      max_bytes: z
        .number()
        .int()
        .min(1)
        .max(900_000)
        .default(defaultBytes)
        .describe('Read at most this much from the beginning.'),
      from_line: z.number().int().min(1).optional().describe('The first line to read, from 1.'),
      lines: z.number().int().min(1).max(5000).optional().describe('How many lines; default 200.'),
    }),
    output: describeOutput(
      z.strictObject({
        path: z.string(),
        text: z.string().optional().describe('Missing when the file is not text.'),
        size: z.number().int().describe('Bytes of the whole file.'),
        binary: z.boolean(),
        truncated: z.boolean().optional().describe('The text is not all that the file holds.'),
        total_lines: z.number().int().optional().describe('Of the whole file, with a range.'),
      }),
    ),
    check: checkPaths('path'),
    inspect: inspectRead(sandbox),
    run: (args, { signal }) =>
      withFileErrors(args.path, () =>
        sandbox.withPlace(args.path, { follow: true }, async (place) => {
          throwIfAborted(signal);
          const { from_line, lines, max_bytes } = args;
          if (from_line === undefined && lines === undefined) return readText(place, max_bytes);
          return takeLines(
            await readText(place, maxLineBytes),
            from_line ?? 1,
            lines ?? defaultLines,
          );
        }),
      ),
  });
}

type ReadText = {
  summary: string;
  data: {
    path: string;
    size: number;
    binary: boolean;
    text?: string;
    truncated?: boolean;
    total_lines?: number;
  };
};

export async function readBeginning(place: HeldPath, maxBytes: number) {
  const file = await open(place.at, readFlags);
  try {
    const info = await file.stat();
    if (info.isDirectory())
      throw new CountersignError(
        'tool_failed',
        `${place.path} is a folder; use workspace_list to see what is in it.`,
      );
    if (!info.isFile()) throw new CountersignError('tool_failed', `${place.path} is not a file.`);
    const buffer = Buffer.alloc(Math.min(info.size, maxBytes));
    const { bytesRead } = await file.read(buffer, 0, buffer.length, 0);
    const cut = info.size > bytesRead;
    const decoded = decodeText(buffer.subarray(0, bytesRead), { cut });
    return { size: info.size, bytesRead, cut, decoded };
  } finally {
    await file.close();
  }
}

async function readText(place: HeldPath, maxBytes: number): Promise<ReadText> {
  const { size, bytesRead, cut, decoded } = await readBeginning(place, maxBytes);
  const { path } = place;
  if (decoded === null)
    return {
      summary: `${path} is not text (${countOf(size, 'byte')}).`,
      data: { path, size, binary: true },
    };
  const damage = decoded.exact ? '' : '; what is no text in it is shown as �';
  return {
    summary: cut
      ? `Read the first ${bytesRead.toLocaleString('en-US')} of ${countOf(size, 'byte')} of ${path}${damage}.`
      : `Read ${path} (${countOf(size, 'byte')})${damage}.`,
    data: { path, text: decoded.text, size, binary: false, truncated: cut || !decoded.exact },
  };
}

function takeLines(read: ReadText, from: number, count: number): ReadText {
  const { data } = read;
  if (data.text === undefined) return read;
  const lines = splitLines(data.text);
  const text = lines
    .slice(from - 1, from - 1 + count)
    .join('\n')
    .slice(0, maxRange)
    .toWellFormed();
  const total_lines = lines.length;
  const last = Math.min(total_lines, from - 1 + count);
  return {
    summary: `Read lines ${from} to ${last} of ${countOf(total_lines, 'line')} of ${data.path}.`,
    data: {
      ...data,
      text,
      truncated: data.truncated === true || text.length < data.text.length,
      total_lines,
    },
  };
}
