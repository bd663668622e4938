// Inserts into or replaces in a byte stream, keeping all other bytes.
import { characterBytes, hasWideCharacters } from '#domain/encoding/detect.ts';
import { encodePart, markOf, type TextEncoding, utf8 } from '#domain/encoding/encoding.ts';

export type Change =
  | { action: 'append' | 'prepend'; text: string }
  | { action: 'replace'; find: string; text: string; all: boolean };

/** `encoding` null: binary. `start` and `end`: first and last bytes. */
export type FileFacts = { encoding: TextEncoding | null; start: Buffer; end: Buffer };

function lineBreakOf(start: Buffer, encoding: TextEncoding): string {
  const at = start.indexOf(encodePart('\n', encoding));
  const [pair, single] = [encodePart('\r\n', encoding), encodePart('\r', encoding)];
  return at >= single.length && start.indexOf(pair) === at - single.length ? '\r\n' : '\n';
}

type Counter = { replaced: number };

export function changeBytes(
  chunks: AsyncIterable<Buffer>,
  { encoding, start, end }: FileFacts,
  change: Change,
  counter: Counter,
): AsyncIterable<Buffer> {
  const used = encoding ?? utf8;
  if (change.action === 'replace') return replaceBytes(chunks, used, change, counter);
  const lineBreak = lineBreakOf(start, used);
  const closed = encodePart('\n', used);
  const text = encodePart(change.text.replace(/\r?\n/g, lineBreak), used);
  const broken = encodePart(lineBreak, used);
  const ended = change.text.endsWith('\n') ? [] : [broken];
  if (change.action === 'prepend') return addInFront(chunks, markOf(used).length, [text, ...ended]);
  const isWhole = end.length === 0 || end.subarray(-closed.length).equals(closed);
  return addBehind(chunks, isWhole ? [text, ...ended] : [broken, text]);
}

async function* addBehind(chunks: AsyncIterable<Buffer>, added: Buffer[]) {
  yield* chunks;
  yield* added;
}

/** @param mark bytes of the byte order mark, which stays first */
async function* addInFront(chunks: AsyncIterable<Buffer>, mark: number, added: Buffer[]) {
  let left = mark;
  let done = false;
  for await (const chunk of chunks) {
    const front = chunk.subarray(0, left);
    left -= front.length;
    yield front;
    if (left === 0 && !done) {
      done = true;
      yield* added;
    }
    yield chunk.subarray(front.length);
  }
  if (!done) yield* added;
}

class Characters {
  readonly #name: string;
  #next = 0;

  constructor(name: string) {
    this.#name = name;
  }

  beginsAt(data: Buffer, base: number, at: number): boolean {
    if (this.#name.startsWith('utf-16')) return (base + at) % 2 === 0;
    if (this.#name.startsWith('utf-32')) return (base + at) % 4 === 0;
    while (this.#next < base + at) {
      const here = this.#next - base;
      this.#next += characterBytes(this.#name, data[here] ?? 0, data[here + 1] ?? 0);
    }
    return this.#next === base + at;
  }
}

const batchBytes = 262_144;
/** Bytes of a character after its first. */
const longestTail = 3;

async function* replaceBytes(
  chunks: AsyncIterable<Buffer>,
  encoding: TextEncoding,
  { find, text, all }: Extract<Change, { action: 'replace' }>,
  counter: Counter,
) {
  const [sought, put] = [encodePart(find, encoding), encodePart(text, encoding)];
  const kept = Math.max(sought.length - 1, longestTail);
  // UTF-8 and single-byte encodings can't be matched out of step.
  const isPlain = !hasWideCharacters(encoding.name);
  const characters = new Characters(encoding.name);
  let base = 0;
  let rest: Buffer = Buffer.alloc(0);
  /** Up to `end`, or past a match that begins before it. */
  const take = function* (data: Buffer, end: number) {
    let [from, size] = [0, 0];
    let pieces: Buffer[] = [];
    for (let at = 0; all || counter.replaced === 0; ) {
      at = data.indexOf(sought, at);
      if (at === -1 || at >= end) break;
      if (!isPlain && !characters.beginsAt(data, base, at)) {
        at += 1;
        continue;
      }
      pieces.push(data.subarray(from, at), put);
      counter.replaced += 1;
      size += at - from + put.length;
      at += sought.length;
      from = at;
      if (size < batchBytes) continue;
      yield Buffer.concat(pieces);
      [pieces, size] = [[], 0];
    }
    const until = Math.max(from, end);
    if (!isPlain) characters.beginsAt(data, base, until);
    yield Buffer.concat([...pieces, data.subarray(from, until)]);
    base += until;
    rest = data.subarray(until);
  };
  for await (const chunk of chunks) {
    const data = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    yield* take(data, Math.max(0, data.length - kept));
  }
  yield* take(rest, rest.length);
}
