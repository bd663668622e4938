// Table rows as objects, from delimited text or JSON lines.
import { parseShallowJson } from '#domain/json.ts';
import { quoteWords } from '#domain/shown-text.ts';
import { isObject, type Json } from '#domain/text.ts';
import { countOf, listOf, shorten } from '#domain/words.ts';
import { splitLines, splitRecords } from './split-records.ts';

export type TableRow = { [column: string]: Json };
export type TableEntry = { line: number } & (
  | { row: TableRow }
  | { reason: string }
  | { columns: string[] }
);

export const maxColumns = 500;
const headLines = 50;
/** The most telling first: commas also occur in texts and amounts. */
const delimiters = ['\t', ';', '|', ','] as const;

const filled = (values: string[]): number => values.filter((value) => value.trim() !== '').length;

async function* oneBy<T>(items: T[]): AsyncGenerator<T> {
  yield* items;
}

async function collect(lines: string[], delimiter: string): Promise<string[][]> {
  const records: string[][] = [];
  for await (const record of splitRecords(oneBy(lines), delimiter))
    if ('values' in record && filled(record.values) > 0) records.push(record.values);
  return records;
}

async function guessDelimiter(lines: string[]): Promise<string | null> {
  let best: { delimiter: string; score: number } | null = null;
  for (const delimiter of delimiters) {
    const records = await collect(lines, delimiter);
    const at = records.findIndex((values) => trimEnd(values).length > 1);
    const header = records[at];
    if (header === undefined) continue;
    const behind = records.slice(at + 1);
    const width = trimEnd(header).length;
    const alike = behind
      .filter(
        (values) =>
          trimEnd(values).length <= width &&
          // A split quoted value: its quote opens in one and closes in another.
          values.every((value) => value.split('"').length % 2 === 1),
      )
      // A row that ends early may be sound.
      .map((values) => (values.length >= width ? 1 : values.length > 1 ? 0.75 : 0));
    const likeness = alike.reduce<number>((sum, one) => sum + one, 0);
    const score = behind.length === 0 ? 0.5 : likeness / (behind.length + at);
    if (score > (best?.score ?? -1)) best = { delimiter, score };
  }
  return best?.delimiter ?? null;
}

function trimEnd(values: string[]): string[] {
  const last = values.findLastIndex((value) => value.trim() !== '');
  return values.slice(0, last + 1);
}

/** Numbers unnamed columns and duplicates. */
function nameColumns(header: string[]): string[] {
  const taken = new Set<string>();
  return header.map((written, index) => {
    const name = written.trim() || `column ${index + 1}`;
    let free = name;
    for (let number = 2; taken.has(free); number += 1) free = `${name} (${number})`;
    taken.add(free);
    return free;
  });
}

function findFault(values: string[], columns: string[]): string | null {
  const given = trimEnd(values).length;
  return given > columns.length
    ? `it has ${countOf(given, 'value')}, and the header names ${countOf(columns.length, 'column')}`
    : null;
}

/** Spreadsheets omit trailing empty cells. */
function describeMissing(values: string[], columns: string[]): string | null {
  const missing = columns.slice(values.length);
  if (missing.length === 0) return null;
  return `it ends before ${shorten(listOf(missing), 200)}: read as a row with ${missing.length === 1 ? 'that cell' : 'those cells'} empty`;
}

const separator = /^"?sep=(.)"?$/i;
const sumWords =
  /^(?:grand |sub)?totals?$|^sum$|^summe$|^gesamt(?:summe)?$|^suma$|^totale$|^total général$|^итого$|^合计$/iu;

export async function* readDelimited(
  pieces: AsyncIterable<string>,
  asked?: string,
): AsyncGenerator<TableEntry> {
  const lines = splitLines(pieces);
  const head: string[] = [];
  while (head.length < headLines) {
    const next = await lines.next();
    if (next.done === true) break;
    head.push(next.value);
  }
  const [, written] = separator.exec(head[0]?.trim() ?? '') ?? [];
  const skipped = written === undefined ? 0 : 1;
  const delimiter = written ?? asked ?? (await guessDelimiter(head));
  async function* all() {
    yield* head.slice(skipped);
    yield* lines;
  }
  let columns: string[] | null = null;
  let last: { line: number; values: string[] } | null = null;
  // Without a delimiter the whole line is the value.
  for await (const record of splitRecords(all(), delimiter ?? '\u0000')) {
    const line = record.line + skipped;
    if ('reason' in record) {
      yield { line, reason: record.reason };
      continue;
    }
    const { values } = record;
    if (filled(values) === 0) continue;
    if (columns === null) {
      if (
        delimiter !== null &&
        trimEnd(values).length < 2 &&
        written === undefined &&
        asked === undefined
      ) {
        yield { line, reason: 'it is above the header' };
        continue;
      }
      columns = nameColumns(trimEnd(values));
      yield { line, columns };
      continue;
    }
    const fault = findFault(values, columns);
    if (fault !== null) {
      yield { line, reason: fault };
      continue;
    }
    last = { line, values };
    yield { line, row: Object.fromEntries(columns.map((name, at) => [name, values[at] ?? ''])) };
    const missing = describeMissing(values, columns);
    if (missing !== null) yield { line, reason: missing };
  }
  const label = last?.values.find((value) => value.trim() !== '')?.trim() ?? '';
  if (last !== null && sumWords.test(label))
    yield {
      line: last.line,
      reason: `it is read as a row, and looks like a total (${quoteWords(label, 200)})`,
    };
}

export async function* readJsonLines(pieces: AsyncIterable<string>): AsyncGenerator<TableEntry> {
  let line = 0;
  let columns: string[] | null = null;
  for await (const text of splitLines(pieces)) {
    line += 1;
    if (text.trim() === '') continue;
    const row = readJson(text);
    if (!isRow(row)) {
      yield { line, reason: 'it is no JSON object' };
      continue;
    }
    if (columns === null) {
      columns = Object.keys(row);
      yield { line, columns };
    }
    yield { line, row };
  }
}

export async function* readJsonList(pieces: AsyncIterable<string>): AsyncGenerator<TableEntry> {
  let text = '';
  for await (const piece of pieces) text += piece;
  const value = readJson(text);
  const lists = isObject(value) ? Object.values(value).filter((one) => Array.isArray(one)) : [];
  const list = Array.isArray(value) ? value : lists.length === 1 ? lists[0] : null;
  if (!Array.isArray(list)) {
    yield { line: 1, reason: value === undefined ? 'it is no JSON' : 'it is no list of objects' };
    return;
  }
  let columns: string[] | null = null;
  for (const [index, row] of list.entries()) {
    if (!isRow(row)) {
      yield { line: index + 1, reason: `item ${index + 1} of the list is no object` };
      continue;
    }
    if (columns === null) {
      columns = Object.keys(row);
      yield { line: index + 1, columns };
    }
    yield { line: index + 1, row };
  }
}

const isRow = (value: Json | undefined): value is TableRow => isObject(value);

function readJson(text: string): Json | undefined {
  try {
    return parseShallowJson(text);
  } catch {
    return undefined; // the caller names the line
  }
}
