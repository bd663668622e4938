// Content lines of ICS (RFC 5545, 3.1); folds may split characters.

export type ContentLine = {
  line: number;
  /** In bytes; `end` is the next line's start. */
  start: number;
  end: number;
  name: string;
  params: ReadonlyMap<string, string>;
  value: string;
};

export type BadLine = { line: number; reason: string };

export type Lines = { lines: ContentLine[]; bad: BadLine[] };

const maxLineLength = 1_000_000;

export function readContentLines(bytes: Buffer, decode: (bytes: Buffer) => string): Lines {
  const lines: ContentLine[] = [];
  const bad: BadLine[] = [];
  for (const { pieces, line, start, end } of unfold(bytes)) {
    const [only = Buffer.alloc(0)] = pieces;
    const raw = pieces.length === 1 ? only : Buffer.concat(pieces);
    if (raw.length > maxLineLength) {
      bad.push({ line, reason: 'it is longer than 1 MB' });
      continue;
    }
    const text = decode(raw);
    if (text.trim() === '') continue;
    const parsed = parseLine(text);
    if (parsed === null) bad.push({ line, reason: 'it is not of the form NAME:value' });
    else lines.push({ line, start, end, ...parsed });
  }
  return { lines, bad };
}

type Folded = { pieces: Buffer[]; line: number; start: number; end: number };

/** Lines end in CRLF, LF or CR; a leading space or tab continues one. */
function* unfold(bytes: Buffer): Generator<Folded> {
  const hasMark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  let open: Folded | null = null;
  let line = 0;
  for (let at = hasMark ? 3 : 0; at < bytes.length; ) {
    line += 1;
    const stop = endOfLine(bytes, at);
    const next = stop + (bytes[stop] === 0x0d && bytes[stop + 1] === 0x0a ? 2 : 1);
    const continues = bytes[at] === 0x20 || bytes[at] === 0x09;
    if (open !== null && continues) {
      open.pieces.push(bytes.subarray(at + 1, stop));
      open.end = Math.min(next, bytes.length);
    } else {
      if (open !== null) yield open;
      const pieces = [bytes.subarray(at, stop)];
      open = { pieces, line, start: at, end: Math.min(next, bytes.length) };
    }
    at = next;
  }
  if (open !== null) yield open;
}

function endOfLine(bytes: Buffer, from: number): number {
  for (let at = from; at < bytes.length; at += 1)
    if (bytes[at] === 0x0a || bytes[at] === 0x0d) return at;
  return bytes.length;
}

const paramAt = /;\s*([\w-]+)\s*=((?:"[^"]*"|[^";:])*)/y;

function parseLine(text: string): Pick<ContentLine, 'name' | 'params' | 'value'> | null {
  const name = /^\s*([\w-]+(?:\.[\w-]+)?)\s*(?=[;:])/.exec(text);
  if (name === null) return null;
  const params = new Map<string, string>();
  let at = name[0].length;
  for (;;) {
    paramAt.lastIndex = at;
    const param = paramAt.exec(text);
    if (param === null) break;
    at = paramAt.lastIndex;
    params.set((param[1] ?? '').toUpperCase(), (param[2] ?? '').replaceAll('"', '').trim());
  }
  if (text[at] !== ':') return null;
  return { name: (name[1] ?? '').toUpperCase(), params, value: text.slice(at + 1) };
}

export function readText(value: string): string {
  return value.replace(/\\(.)/g, (_, sign: string) => (/n/i.test(sign) ? '\n' : sign)).trim();
}

/** Folded at 75 bytes, without a final line break. */
export function writeText(name: string, value: string, lineBreak: string): string {
  const plain = value
    .toWellFormed()
    .replace(/\r\n?/g, '\n')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters have no place in a calendar
    .replace(/[\u0000-\u0009\u000B-\u001F\u007F]/g, ' ')
    .replace(/[\\;,]/g, '\\$&')
    .replaceAll('\n', '\\n');
  const lines = [''];
  let room = 75;
  for (const sign of `${name}:${plain}`) {
    const size = Buffer.byteLength(sign);
    if (size > room) {
      lines.push(' ');
      room = 74;
    }
    lines[lines.length - 1] += sign;
    room -= size;
  }
  return lines.join(lineBreak);
}
