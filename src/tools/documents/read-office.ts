// Reads text from Word, Excel and PowerPoint (zipped XML), in a thread.
import { strFromU8, type UnzipFileInfo, unzipSync } from 'fflate';
import { Parser } from 'htmlparser2';
import { CountersignError } from '#domain/errors.ts';

export type OfficeKind = 'docx' | 'xlsx' | 'pptx';

/** Unzipped bytes of a part, and of all. */
const maxPart = 30_000_000;
const maxAll = 60_000_000;
/** Characters. */
const maxText = 200_000;

const parts: Record<OfficeKind, RegExp> = {
  docx: /^word\/(?:document|footnotes|endnotes)\.xml$/,
  pptx: /^ppt\/slides\/slide\d{1,5}\.xml$/,
  xlsx: /^xl\/(?:sharedStrings|workbook|worksheets\/sheet\d{1,5})\.xml$/,
};

/** `w:p` and `a:p` are both paragraphs. */
const localName = (name: string) => name.slice(name.indexOf(':') + 1);
const breaks = new Set(['p', 'br', 'cr', 'tr']);

type Handler = {
  open?(name: string, attributes: Record<string, string>): void;
  text?(text: string): void;
  close?(name: string): void;
};

function parse(xml: string, { open, text, close }: Handler): void {
  const parser = new Parser(
    {
      onopentag: (name, attributes) => open?.(localName(name), attributes),
      ontext: (data) => text?.(data),
      onclosetag: (name) => close?.(localName(name)),
    },
    { xmlMode: true },
  );
  parser.end(xml);
}

function readParagraphs(xml: string): string {
  let text = '';
  let inside = 0;
  parse(xml, {
    open(name) {
      if (name === 't') inside += 1;
      if (name === 'tab' || name === 'tc') text += '\t';
    },
    text(data) {
      if (inside > 0) text += data;
    },
    close(name) {
      if (name === 't') inside -= 1;
      if (breaks.has(name)) text += '\n';
    },
  });
  return text.replace(/\n{3,}/g, '\n\n').trim();
}

function readSharedStrings(xml: string): string[] {
  const strings: string[] = [];
  let inside = 0;
  parse(xml, {
    open(name) {
      if (name === 'si') strings.push('');
      if (name === 't') inside += 1;
    },
    text(data) {
      if (inside > 0) strings.push((strings.pop() ?? '') + data);
    },
    close(name) {
      if (name === 't') inside -= 1;
    },
  });
  return strings;
}

function readSheetNames(xml: string): string[] {
  const names: string[] = [];
  parse(xml, {
    open(name, { name: shown }) {
      if (name === 'sheet') names.push(shown ?? '');
    },
  });
  return names;
}

function columnOf(cell: string): number {
  const letters = /^[A-Z]{1,3}/.exec(cell)?.[0] ?? 'A';
  return [...letters].reduce((at, letter) => at * 26 + letter.charCodeAt(0) - 64, 0) - 1;
}

const maxColumns = 200;

/** Tab-separated; formulas by their last value. */
function readSheet(xml: string, strings: string[]): string {
  const lines: string[] = [];
  let row: string[] = [];
  let cell = { at: 0, type: '', value: '' };
  let inside = false;
  parse(xml, {
    open(name, { r = '', t = '' }) {
      if (name === 'row') row = [];
      if (name === 'c') cell = { at: r === '' ? row.length : columnOf(r), type: t, value: '' };
      if (name === 'v' || name === 't') inside = true;
    },
    text(data) {
      if (inside) cell.value += data;
    },
    close(name) {
      if (name === 'v' || name === 't') inside = false;
      if (name === 'c' && cell.at < maxColumns) {
        const value = cell.type === 's' ? (strings[Number(cell.value)] ?? '') : cell.value;
        while (row.length < cell.at) row.push('');
        row[cell.at] = value.replace(/[\t\r\n]+/g, ' ');
      }
      if (name === 'row' && lines.length < maxText) lines.push(row.join('\t').trimEnd());
    },
  });
  return lines.join('\n').trim();
}

function unzip(bytes: Uint8Array, kind: OfficeKind): Map<string, string> {
  let left = maxAll;
  const filter = ({ name, originalSize }: UnzipFileInfo) => {
    if (!parts[kind].test(name)) return false;
    left -= originalSize;
    if (originalSize > maxPart || left < 0)
      throw new CountersignError('limit_exceeded', 'The document is too large to read.');
    return true;
  };
  try {
    const files = unzipSync(bytes, { filter });
    return new Map(Object.entries(files).map(([name, data]) => [name, strFromU8(data)]));
  } catch (cause) {
    if (cause instanceof CountersignError) throw cause;
    throw new CountersignError('tool_failed', `This is not a readable ${kind} file.`, { cause });
  }
}

const numberIn = (name: string) => Number(/(\d{1,5})\.xml$/.exec(name)?.[1] ?? 0);
const byNumber = ([one]: [string, string], [other]: [string, string]) =>
  numberIn(one) - numberIn(other);

export function readOffice(bytes: Uint8Array, kind: OfficeKind): { text: string; cut: boolean } {
  const files = unzip(bytes, kind);
  const found = [...files].sort(byNumber);
  const texts =
    kind === 'xlsx'
      ? readWorkbook(files, found)
      : found.map(([name, xml]) =>
          kind === 'pptx' ? `Slide ${numberIn(name)}\n${readParagraphs(xml)}` : readParagraphs(xml),
        );
  const text = texts.filter((one) => one !== '').join('\n\n');
  return { text: text.slice(0, maxText).toWellFormed(), cut: text.length > maxText };
}

function readWorkbook(files: ReadonlyMap<string, string>, found: [string, string][]): string[] {
  const strings = readSharedStrings(files.get('xl/sharedStrings.xml') ?? '');
  const names = readSheetNames(files.get('xl/workbook.xml') ?? '');
  return found
    .filter(([name]) => name.startsWith('xl/worksheets/'))
    .map(
      ([name, xml], at) => `${names[at] ?? `Sheet ${numberIn(name)}`}\n${readSheet(xml, strings)}`,
    );
}
