// Splits delimited text (RFC 4180 and spreadsheet dialects) into records.
// Continues after a malformed line: an open quote swallows nothing.
import { parse } from 'csv-parse/sync';
import { isSliceOver, nextTurn } from '#domain/slices.ts';

export type TableRecord = { line: number } & ({ values: string[] } | { reason: string });

/** Per record: lines and characters. */
const maxLines = 100;
const maxCharacters = 200_000;

function cutLines(text: string): { lines: string[]; tail: string } {
  const lines: string[] = [];
  let start = 0;
  for (const { 0: mark, index } of text.matchAll(/\r\n|\n|\r/g)) {
    const end = index + mark.length;
    lines.push(text.slice(start, end));
    start = end;
  }
  return { lines, tail: text.slice(start) };
}

/** With their ends. Cuts lines too long for a record. */
export async function* splitLines(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let open = '';
  for await (const piece of pieces) {
    const text = open + piece;
    // A CR at the end may be half of CRLF.
    const whole = text.endsWith('\r') ? text.slice(0, -1) : text;
    const { lines, tail } = cutLines(whole);
    for (const line of lines) {
      yield line;
      if (isSliceOver()) await nextTurn();
    }
    const kept = tail.length > 2 * maxCharacters ? tail.slice(0, maxCharacters + 1) : tail;
    open = kept + text.slice(whole.length);
  }
  const { lines, tail } = cutLines(open);
  yield* lines;
  if (tail !== '') yield tail;
}

const withoutEnd = (line: string): string => line.replace(/\r?\n$|\r$/, '');

const quotesIn = (text: string): number => text.split('"').length - 1;

/** Quotes inside a value are plain characters. */
function hasQuoted(line: string, delimiter: string): boolean {
  if (!line.includes('"')) return false;
  return line.split(delimiter).some((value) => value.trimStart().startsWith('"'));
}

function parseRecord(text: string, delimiter: string): string[] | null {
  try {
    const [record, ...others] = parse(text, {
      delimiter,
      ltrim: false,
      relax_column_count: true,
      record_delimiter: ['\u0000'],
    });
    return record !== undefined && others.length === 0 ? record : null;
  } catch {
    return null; // the caller names the line
  }
}

/** @param lines with their ends */
export async function* splitRecords(
  lines: AsyncIterable<string>,
  delimiter: string,
): AsyncGenerator<TableRecord> {
  const source = lines[Symbol.asyncIterator]();
  let ahead: string[] = [];
  let line = 0;
  const take = async (at: number): Promise<string | undefined> => {
    while (ahead.length <= at) {
      const next = await source.next();
      if (next.done === true) return undefined;
      ahead.push(next.value);
    }
    return ahead[at];
  };
  for (;;) {
    const whole = await take(0);
    if (whole === undefined) return;
    const first = withoutEnd(whole);
    line += 1;
    let used = 1;
    if (first.length > maxCharacters)
      yield {
        line,
        reason: `it has more than ${maxCharacters.toLocaleString('en-US')} characters`,
      };
    else if (first.includes('\u0000'))
      yield { line, reason: 'it has a NUL character; remove it, or export the table again' };
    else if (!hasQuoted(first, delimiter)) yield { line, values: first.split(delimiter) };
    else {
      let text = whole;
      let isOpen = quotesIn(first) % 2 === 1;
      let values = isOpen ? null : parseRecord(first, delimiter);
      for (let at = 1; isOpen && at < maxLines && text.length < maxCharacters; at += 1) {
        const next = await take(at);
        if (next?.includes('\u0000') !== false) break;
        text += next;
        isOpen = quotesIn(next) % 2 === 0;
        if (isOpen) continue;
        values = parseRecord(withoutEnd(text), delimiter);
        if (values !== null) used = at + 1;
      }
      yield values === null
        ? { line, reason: 'its quotation marks do not match; write one inside a value twice' }
        : { line, values };
    }
    ahead = ahead.slice(used);
    line += used - 1;
  }
}
