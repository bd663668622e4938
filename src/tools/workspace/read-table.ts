// workspace_read_table: rows of CSV, TSV or JSON by page, streamed.
import { type FileHandle, open } from 'node:fs/promises';
import { z } from 'zod';
import { decodeChunks, detectEncoding, type TextEncoding } from '#domain/encoding/encoding.ts';
import { CountersignError } from '#domain/errors.ts';
import { JsonObject } from '#domain/text.ts';
import type { Operation } from '#domain/tool.ts';
import { countOf, listOf, shorten } from '#domain/words.ts';
import { defineOperation, text } from '../define-operation.ts';
import { throwIfAborted } from '../failures.ts';
import { describeOutput } from '../output-schema.ts';
import {
  maxColumns,
  readDelimited,
  readJsonLines,
  readJsonList,
  type TableEntry,
} from '../tables/read-rows.ts';
import { withFileErrors } from './file-errors.ts';
import { inspectRead, readFlags } from './inspect.ts';
import { checkPaths, type HeldPath, type Sandbox } from './sandbox.ts';

const maxRows = 1000;
/** JSON per page, and a single JSON list. */
const pageBytes = 600_000;
const jsonBytes = 5_000_000;
const maxSkipped = 200;
const fileBytes = 200_000_000;

export function createReadTable(sandbox: Sandbox): Operation {
  return defineOperation({
    tool: 'workspace',
    operation: 'read_table',
    description: 'Read rows of a CSV, TSV or JSON file, page by page.',
    effect: 'read',
    destructive: false,
    targetArgument: 'path',
    schema: z.strictObject({
      path: text(2000, 'File in the workspace.'),
      offset: z.number().int().min(0).default(0).describe('Rows before the page.'),
      limit: z.number().int().min(1).max(maxRows).default(500),
      delimiter: z
        .string()
        .length(1)
        .refine(
          (one) => !'"\r\n'.includes(one),
          'is a quote or a line break; use another character',
        )
        .optional()
        .describe('Left out: told from the header.'),
    }),
    output: describeOutput(
      z.strictObject({
        path: z.string(),
        columns: z.array(z.string()),
        rows: z.array(JsonObject),
        skipped: z
          .array(z.strictObject({ line: z.number().int(), reason: z.string() }))
          .optional()
          .describe('Lines that are no rows, and why.'),
        next: z.number().int().nullable().describe('offset of the next page; null: the end.'),
      }),
    ),
    check: checkPaths('path'),
    inspect: inspectRead(sandbox),
    run: (args, { signal }) =>
      withFileErrors(args.path, () =>
        sandbox.withPlace(args.path, { follow: true }, (place) => readPage(place, args, signal)),
      ),
  });
}

type Page = { offset: number; limit: number; delimiter?: string | undefined };

function refuse(path: string, what: string): never {
  throw new CountersignError('tool_failed', `${path} can't be read as a table: ${what}`);
}

async function readPage(place: HeldPath, page: Page, signal: AbortSignal) {
  const { path } = place;
  const file = await open(place.at, readFlags);
  try {
    const info = await file.stat();
    if (!info.isFile()) throw new CountersignError('tool_failed', `${path} is not a file.`);
    if (info.size > fileBytes)
      refuse(path, `it has ${countOf(info.size, 'byte')}, and ${fileBytes / 1e6} MB is the limit.`);
    const encoding = await detectFile(file, path);
    const entries = await openEntries(place, file, info.size, encoding, page.delimiter);
    const { columns, rows, skipped, next } = await readRows(entries, path, page, signal);
    const last = page.offset + rows.length;
    const which =
      rows.length === 0
        ? `No rows${page.offset > 0 ? ` behind row ${page.offset}` : ''}`
        : `Rows ${page.offset + 1} to ${last}`;
    return {
      summary: `${which} of ${path}${next === null ? '' : ', and there are more'} (${shorten(listOf(columns), 150)}).`,
      data: { path, columns, rows, ...(skipped.length === 0 ? {} : { skipped }), next },
    };
  } finally {
    await file.close();
  }
}

async function openEntries(
  { path }: HeldPath,
  file: FileHandle,
  size: number,
  encoding: TextEncoding,
  delimiter: string | undefined,
): Promise<AsyncIterable<TableEntry>> {
  const pieces = decodeFile(file, path, encoding);
  const name = path.toLowerCase();
  if (/\.(?:jsonl|ndjson)$/.test(name)) return readJsonLines(pieces);
  if (!name.endsWith('.json')) return readDelimited(pieces, delimiter);
  if (size > jsonBytes)
    refuse(path, `a JSON list has at most ${jsonBytes / 1e6} MB. Save it as JSON lines (.jsonl).`);
  return readJsonList(pieces);
}

async function detectFile(file: FileHandle, path: string): Promise<TextEncoding> {
  const readChunks = () => file.createReadStream({ start: 0, autoClose: false });
  const found = await detectEncoding(readChunks());
  if (found !== null) return found;
  const { encoding, line } = await detectDespiteNuls(readChunks());
  const where = line === null ? '' : ` Line ${line} has a NUL byte.`;
  return encoding ?? refuse(path, `it is not text.${where} Save it as "CSV UTF-8".`);
}

function createLineCounter() {
  let [line, open] = [1, ''];
  return (piece: string): number => {
    const text = open + piece;
    // A CR at the end may be half of CRLF.
    open = text.endsWith('\r') ? '\r' : '';
    line += text.slice(0, text.length - open.length).match(/\r\n|\n|\r/g)?.length ?? 0;
    return line + open.length;
  };
}

/** A few NULs only spoil their lines. `encoding` null: anything else; `line`: the first NUL's. */
async function detectDespiteNuls(
  chunks: AsyncIterable<Buffer>,
): Promise<{ encoding: TextEncoding | null; line: number | null }> {
  const bytes = { all: 0, left: 0 };
  const count = createLineCounter();
  let line: number | null = null;
  async function* withoutNuls() {
    for await (const chunk of chunks) {
      if (line === null) {
        const at = chunk.indexOf(0);
        const end = count(chunk.toString('latin1', 0, at < 0 ? chunk.length : at));
        if (at >= 0) line = end;
      }
      const left = chunk.filter((byte) => byte !== 0);
      bytes.all += chunk.length;
      bytes.left += left.length;
      yield Buffer.from(left);
    }
  }
  const found = await detectEncoding(withoutNuls());
  const isFew = (bytes.all - bytes.left) * 10 <= bytes.all;
  const isText = found !== null && isFew && !/^utf-(?:16|32)/.test(found.name);
  return { encoding: isText ? found : null, line };
}

async function* decodeFile(
  file: FileHandle,
  path: string,
  encoding: TextEncoding,
): AsyncGenerator<string> {
  const chunks = file.createReadStream({ start: 0, autoClose: false });
  const count = createLineCounter();
  for await (const text of decodeChunks(chunks, encoding)) {
    const at = text.indexOf('\ufffd');
    const line = count(at < 0 ? text : text.slice(0, at));
    if (at >= 0)
      refuse(path, `line ${line} has bytes that are not ${encoding.name}. Save it as "CSV UTF-8".`);
    yield text;
  }
}

type Skipped = { line: number; reason: string };

async function readRows(
  entries: AsyncIterable<TableEntry>,
  path: string,
  { offset, limit }: Page,
  signal: AbortSignal,
): Promise<{ columns: string[]; rows: JsonObject[]; skipped: Skipped[]; next: number | null }> {
  let columns: string[] | null = null;
  const rows: JsonObject[] = [];
  const skipped: Skipped[] = [];
  let more = 0;
  let seen = 0;
  let bytes = 0;
  const position = (next: number | null) => ({
    columns: columns ?? [],
    rows,
    skipped: tellMore(skipped, more),
    next,
  });
  for await (const entry of entries) {
    throwIfAborted(signal);
    if ('columns' in entry) {
      columns = entry.columns;
      if (columns.length > maxColumns)
        refuse(path, `it has ${columns.length} columns, and ${maxColumns} is the limit.`);
      continue;
    }
    if ('reason' in entry) {
      // The previous page reported what precedes this one's first row.
      if (seen < offset || (seen === offset && offset > 0)) continue;
      if (skipped.length < maxSkipped) skipped.push({ line: entry.line, reason: entry.reason });
      else more += 1;
      continue;
    }
    seen += 1;
    if (seen <= offset) continue;
    bytes += Buffer.byteLength(JSON.stringify(entry.row)) + 1;
    if (rows.length === limit || (rows.length > 0 && bytes > pageBytes)) return position(seen - 1);
    rows.push(entry.row);
  }
  if (columns === null) {
    const [first] = skipped;
    refuse(
      path,
      first === undefined
        ? 'it is empty; its first line is to name the columns.'
        : `line ${first.line} cannot be read: ${first.reason}.`,
    );
  }
  return position(null);
}

const tellMore = (skipped: Skipped[], more: number): Skipped[] =>
  more === 0
    ? skipped
    : [
        ...skipped,
        { line: skipped.at(-1)?.line ?? 0, reason: `and ${countOf(more, 'more line')}` },
      ];
