// Converts outside bytes to text and back.
import { isUtf8 } from 'node:buffer';
import iconv from 'iconv-lite';
import { CountersignError } from '../errors.ts';
import { quoteWords } from '../shown-text.ts';
import { detectLegacy, hasUnlikely, plausibleShare } from './detect.ts';

/** `name`: WHATWG's; `bom`: omitted from the text. */
export type TextEncoding = { name: string; bom: boolean };

/** Inexact text must not be written back. */
export type DecodedText = { text: string; encoding: TextEncoding; exact: boolean };

export const utf8: TextEncoding = { name: 'utf-8', bom: false };

const marks: [name: string, mark: number[]][] = [
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-32le', [0xff, 0xfe, 0, 0]],
  ['utf-32be', [0, 0, 0xfe, 0xff]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
];

/** As in browsers. */
const declarationBytes = 1024;
/** From the first non-ASCII one. */
const sampleBytes = 8192;

export const markOf = ({ name, bom }: TextEncoding): Buffer =>
  Buffer.from((bom && marks.find(([of]) => of === name)?.[1]) || []);

function canonicalEncoding(label: string): string | null {
  const plain = label.trim().toLowerCase();
  if (/^utf-?32[bl]e$/.test(plain)) return plain.replace(/-?32/, '-32');
  try {
    return new TextDecoder(plain).encoding;
  } catch {
    return null;
  }
}

export function charsetOf(contentType: string): string | null {
  return /charset\s{0,9}=\s{0,9}["']?([\w:.+-]{1,60})/i.exec(contentType)?.[1] ?? null;
}

function declaredIn(bytes: Buffer): string | null {
  const head = bytes.toString('latin1', 0, declarationBytes).trimStart();
  if (!head.startsWith('<')) return null;
  const label =
    /^<\?xml\s[^>]{0,200}?encoding\s{0,9}=\s{0,9}["']([\w:.+-]{1,60})/i.exec(head)?.[1] ??
    head
      .split(/<meta\s/i)
      .slice(1)
      .map((tag) => charsetOf(tag.split('>', 1)[0] ?? ''))
      .find((one) => one !== null);
  const name = label == null ? null : canonicalEncoding(label);
  // The declaration was read as ASCII, so not a wide encoding.
  return name?.startsWith('utf-') ? 'utf-8' : name;
}

function decodeAs(name: string, bytes: Buffer, bom: boolean): DecodedText {
  const encoding = { name, bom };
  const body = bytes.subarray(markOf(encoding).length);
  if (name === 'utf-8')
    return {
      text: new TextDecoder('utf-8', { ignoreBOM: true }).decode(body),
      encoding,
      exact: isUtf8(body),
    };
  if (!iconv.encodingExists(name))
    return { text: new TextDecoder(name).decode(body), encoding, exact: false };
  const text = iconv.decode(body, name, { stripBOM: false });
  const exact = text.isWellFormed() && iconv.encode(text, name).equals(body);
  return { text: text.toWellFormed(), encoding, exact };
}

/** ASCII leaves NULs in the same position of each unit. */
function detectWide(head: Buffer): string | null {
  const zeros = [0, 0, 0, 0];
  head.forEach((byte, at) => {
    if (byte === 0) zeros[at % 4] = (zeros[at % 4] ?? 0) + 1;
  });
  const [first = 0, second = 0, third = 0, fourth = 0] = zeros;
  const units = Math.floor(head.length / 4);
  const name =
    fourth === units && third * 2 > units
      ? 'utf-32le'
      : first === units && second * 2 > units
        ? 'utf-32be'
        : second + fourth > first + third
          ? 'utf-16le'
          : 'utf-16be';
  // The last character may be cut.
  const text = iconv
    .decode(head, name, { stripBOM: false })
    .slice(0, head.length > 4 ? -2 : undefined);
  const isText = text !== '' && !text.includes('\ufffd') && !hasUnlikely(text);
  return isText && plausibleShare(text) > 0.7 ? name : null;
}

/** At least as many multi-byte characters valid as broken. */
function isDamagedUtf8(sample: Buffer): boolean {
  const { text } = decodeAs('utf-8', sample, false);
  const broken = text.match(/\ufffd/g)?.length ?? 0;
  const sound = (text.match(/\P{ASCII}/gu)?.length ?? 0) - broken;
  return sound > 0 && sound >= broken;
}

/** `sample`: around the first non-ASCII byte. */
type Facts = { head: Buffer; sample: Buffer; hasNul: boolean; isUtf8: boolean };

/** UTF-32's mark also reads as UTF-16 and a NUL. */
function markedEncoding(head: Buffer): TextEncoding | null {
  const found = marks.find(([, mark]) => mark.every((byte, at) => head[at] === byte));
  return found === undefined ? null : { name: found[0], bom: true };
}

/** Null if no text. @param declared used unless contradicted */
function chooseEncoding(facts: Facts, declared: string | null): string | null {
  const label = declared === null ? null : canonicalEncoding(declared);
  if (label !== null && (label.startsWith('utf-') || !facts.hasNul)) return label;
  if (facts.hasNul) return detectWide(facts.head);
  if (facts.isUtf8) return 'utf-8';
  const inside = declaredIn(facts.head);
  if (inside !== null && inside !== 'utf-8') return inside;
  return isDamagedUtf8(facts.sample) ? 'utf-8' : detectLegacy(facts.sample);
}

const sampleAt = (bytes: Buffer, from: number) =>
  bytes.subarray(Math.max(0, from - 1024), from + sampleBytes);

const firstBeyondAscii = (bytes: Buffer) => bytes.findIndex((byte) => byte > 0x7f);

function decodeWhole(bytes: Buffer, declared: string | null): DecodedText | null {
  const head = bytes.subarray(0, sampleBytes);
  const marked = markedEncoding(head);
  if (marked !== null) return decodeAs(marked.name, bytes, true);
  const valid = isUtf8(bytes);
  const sample = valid ? head : sampleAt(bytes, firstBeyondAscii(bytes));
  const facts = { head, sample, hasNul: bytes.includes(0), isUtf8: valid };
  const name = chooseEncoding(facts, declared);
  const decoded = name === null ? null : decodeAs(name, bytes, false);
  if (declared === null || decoded?.exact) return decoded;
  // Maybe without the declaration.
  const other = decodeWhole(bytes, null);
  return other?.exact ? other : decoded;
}

export async function detectEncoding(chunks: AsyncIterable<Buffer>): Promise<TextEncoding | null> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const facts = { head: Buffer.alloc(0), sample: Buffer.alloc(0), hasNul: false, isUtf8: true };
  const read = (chunk?: Buffer) => {
    try {
      if (facts.isUtf8) decoder.decode(chunk, { stream: chunk !== undefined });
    } catch {
      facts.isUtf8 = false;
    }
  };
  for await (const chunk of chunks) {
    if (facts.head.length < sampleBytes)
      facts.head = Buffer.concat([facts.head, chunk]).subarray(0, sampleBytes);
    facts.hasNul ||= chunk.includes(0);
    read(chunk);
    const from = facts.sample.length === 0 ? firstBeyondAscii(chunk) : 0;
    if (from !== -1 && facts.sample.length < sampleBytes)
      facts.sample = Buffer.concat([facts.sample, sampleAt(chunk, from)]);
  }
  read();
  const marked = markedEncoding(facts.head);
  const name = marked === null ? chooseEncoding(facts, null) : null;
  return marked ?? (name === null ? null : { name, bom: false });
}

/** By mark, `declared`, UTF-8, markup, then detection. Null if no text. @param cut drops an incomplete last character */
export function decodeText(
  bytes: Uint8Array,
  { declared = null, cut = false }: { declared?: string | null; cut?: boolean } = {},
): DecodedText | null {
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (!cut) return decodeWhole(all, declared);
  const endings = [0, 1, 2, 3].map((left) => all.subarray(0, all.length - left));
  const asUtf8 = endings.find((bytes) => isUtf8(bytes));
  if (asUtf8 !== undefined) return decodeWhole(asUtf8, declared);
  const whole = decodeWhole(all, declared);
  if (whole === null || whole.exact) return whole;
  for (const bytes of endings.slice(1)) {
    const shorter = decodeWhole(bytes, declared);
    if (shorter?.exact) return shorter;
  }
  return whole;
}

/** Invalid bytes become U+FFFD. */
export async function* decodeChunks(
  chunks: AsyncIterable<Buffer>,
  { name, bom }: TextEncoding,
): AsyncGenerator<string> {
  const decoder = iconv.getDecoder(name, { stripBOM: bom });
  for await (const chunk of chunks) yield decoder.write(chunk);
  yield decoder.end() ?? '';
}

/** @throws `tool_failed` naming the first character it lacks */
export function encodeText(text: string, encoding: TextEncoding): Buffer {
  return Buffer.concat([markOf(encoding), encodePart(text, encoding)]);
}

/** Without a mark, for insertion. @throws as `encodeText` */
export function encodePart(text: string, { name }: TextEncoding): Buffer {
  if (name === 'utf-8' && text.isWellFormed()) return Buffer.from(text);
  const known = iconv.encodingExists(name);
  const bytes = known ? iconv.encode(text, name) : Buffer.from('');
  if (known && text.isWellFormed() && decodeAs(name, bytes, false).text === text) return bytes;
  const missing = [...text].find(
    (one) =>
      !one.isWellFormed() || !known || decodeAs(name, iconv.encode(one, name), false).text !== one,
  );
  throw new CountersignError(
    'tool_failed',
    `The character ${quoteWords(missing?.toWellFormed() ?? '', 200)} can't be written in ${name}, the encoding of the file. Leave it out, or save the file as UTF-8 first.`,
  );
}

export const withoutMark = (text: string): string => text.replace(/^\ufeff/, '');
