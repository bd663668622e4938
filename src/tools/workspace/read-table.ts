// workspace_read_table: rows of a CSV or TSV file (RFC 4180) as objects by the names in its header, a page at a time. The file is
// streamed, so no more than a page of it is held.
import { type FileHandle, open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import { z } from 'zod';
import { decodeChunks, detectEncoding, type TextEncoding } from '#domain/encoding/encoding.ts';
import { CountersignError } from '#domain/errors.ts';
import type { Operation } from '#domain/tool.ts';
import { countOf, listOf, shorten } from '#domain/words.ts';
import { defineOperation, text } from '../define-operation.ts';
import { throwIfAborted } from '../failures.ts';
import { describeOutput } from '../output-schema.ts';
import { withFileErrors } from './file-errors.ts';
import { inspectRead, readFlags } from './inspect.ts';
import { checkPaths } from './paths.ts';
import type { Place, Sandbox } from './sandbox.ts';

const rowsAtMost = 1000;
/** Bytes of a page as JSON, and of one row as it is in the file. */
const pageBytes = 600_000;
const rowBytes = 200_000;
const columnsAtMost = 500;
const fileBytes = 200_000_000;
/** As far as the header is looked at to tell what divides its columns. */
const headBytes = 65_536;
const delimiters = [',', ';', '\t', '|'] as const;

export function createReadTable(sandbox: Sandbox): Operation {
  return defineOperation({
    tool: 'workspace',
    operation: 'read_table',
    description: 'Read rows of a CSV or TSV file by its header. Page by page.',
    effect: 'read',
    destructive: false,
    targetArgument: 'path',
    schema: z.strictObject({
      path: text(2000, 'File in the workspace.'),
      offset: z.number().int().min(0).default(0).describe('Rows before the page.'),
      limit: z.number().int().min(1).max(rowsAtMost).default(500),
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
        rows: z.array(z.record(z.string(), z.string())),
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

/** @throws CountersignError `tool_failed` with what is wrong with the table */
function refuse(path: string, what: string): never {
  throw new CountersignError('tool_failed', `${path} can't be read as a table: ${what}`);
}

async function readPage(place: Place, page: Page, signal: AbortSignal) {
  const { path } = place;
  const file = await open(place.at, readFlags);
  try {
    const info = await file.stat();
    if (!info.isFile()) throw new CountersignError('tool_failed', `${path} is not a file.`);
    if (info.size > fileBytes)
      refuse(path, `it has ${countOf(info.size, 'byte')}, and ${fileBytes / 1e6} MB is the limit.`);
    const encoding = await detectFile(file, path);
    const delimiter = page.delimiter ?? (await guessDelimiter(file, path, encoding));
    const text = decodeFile(file, path, encoding);
    const { columns, rows, next } = await readRows(text, path, { ...page, delimiter }, signal);
    const last = page.offset + rows.length;
    const which =
      rows.length === 0
        ? `No rows${page.offset > 0 ? ` behind row ${page.offset}` : ''}`
        : `Rows ${page.offset + 1} to ${last}`;
    return {
      summary: `${which} of ${path}${next === null ? '' : ', and there are more'} (${shorten(listOf(columns), 150)}).`,
      data: { path, columns, rows, next },
    };
  } finally {
    await file.close();
  }
}

/** The delimiter that divides the first line most often, outside of quotes. */
async function guessDelimiter(
  file: FileHandle,
  path: string,
  encoding: TextEncoding,
): Promise<string> {
  if (path.toLowerCase().endsWith('.tsv')) return '\t';
  const head = file.createReadStream({ start: 0, end: headBytes - 1, autoClose: false });
  let text = '';
  for await (const piece of decodeChunks(head, encoding)) text += piece;
  const [line = ''] = text
    .replaceAll(/"[^"]*"/g, '')
    .trimStart()
    .split(/[\r\n]/, 1);
  const count = (one: string) => line.split(one).length;
  return delimiters.reduce((best, one) => (count(one) > count(best) ? one : best));
}

async function detectFile(file: FileHandle, path: string): Promise<TextEncoding> {
  const chunks = file.createReadStream({ start: 0, autoClose: false });
  return (await detectEncoding(chunks)) ?? refuse(path, 'it is not text. Save it as "CSV UTF-8".');
}

async function* decodeFile(
  file: FileHandle,
  path: string,
  encoding: TextEncoding,
): AsyncGenerator<string> {
  const chunks = file.createReadStream({ start: 0, autoClose: false });
  for await (const text of decodeChunks(chunks, encoding)) {
    if (text.includes('\ufffd'))
      refuse(path, `it has bytes that are not ${encoding.name}. Save it as "CSV UTF-8".`);
    yield text;
  }
}

/** Column names, trimmed. @throws when a value could not be told by its column's name */
function readHeader(path: string, record: string[]): string[] {
  const columns = record.map((name) => name.trim());
  if (columns.length > columnsAtMost)
    refuse(path, `it has ${columns.length} columns, and ${columnsAtMost} is the limit.`);
  const empty = columns.indexOf('');
  if (empty !== -1)
    refuse(path, `column ${empty + 1} has no name in the header, which is its first line.`);
  const twice = columns.find((name, index) => columns.indexOf(name) !== index);
  if (twice !== undefined) refuse(path, `two columns are called “${twice}”. Rename one.`);
  return columns;
}

async function readRows(
  text: AsyncGenerator<string>,
  path: string,
  { offset, limit, delimiter = ',' }: Page,
  signal: AbortSignal,
): Promise<{ columns: string[]; rows: Record<string, string>[]; next: number | null }> {
  const parser = parse({
    delimiter,
    info: true,
    max_record_size: rowBytes,
    relax_column_count: true,
    skip_empty_lines: true,
  });
  const source = Readable.from(text);
  source.on('error', (error) => parser.destroy(error)).pipe(parser);
  let columns: string[] | null = null;
  const rows: Record<string, string>[] = [];
  let seen = 0;
  let bytes = 0;
  try {
    for await (const { record, info } of parser) {
      throwIfAborted(signal);
      if (columns === null) {
        columns = readHeader(path, record);
        continue;
      }
      const names: string[] = columns;
      if (record.length !== names.length)
        refuse(
          path,
          `the row that ends in line ${info.lines} has ${countOf(record.length, 'value')}, and the header names ${countOf(names.length, 'column')}.`,
        );
      seen += 1;
      if (seen <= offset) continue;
      const row = Object.fromEntries(names.map((name, index) => [name, record[index] ?? '']));
      bytes += Buffer.byteLength(JSON.stringify(row)) + 1;
      if (rows.length === limit || (rows.length > 0 && bytes > pageBytes))
        return { columns: names, rows, next: seen - 1 };
      rows.push(row);
    }
  } catch (error) {
    if (error instanceof CsvError) refuse(path, `${error.message}.`);
    throw error;
  } finally {
    source.destroy();
    parser.destroy();
  }
  if (columns === null) refuse(path, 'it is empty; its first line is to name the columns.');
  return { columns, rows, next: null };
}
