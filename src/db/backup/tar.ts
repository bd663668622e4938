// Reads and writes tar (ustar, pax for long names) as whole entries.

export type TarEntry = { name: string; content: Buffer };

const block = 512;

const octal = (value: number, length: number) => `${value.toString(8).padStart(length - 1, '0')}\0`;

function headerOf(name: string, size: number, type: '0' | 'x'): Buffer {
  const header = Buffer.alloc(block);
  header.write(name, 0, 100);
  header.write(octal(0o600, 8), 100);
  header.write(octal(0, 8), 108);
  header.write(octal(0, 8), 116);
  header.write(octal(size, 12), 124);
  header.write(octal(0, 12), 136);
  header.write('        ', 148);
  header.write(type, 156);
  header.write('ustar\x0000', 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${octal(sum, 7)} `, 148);
  return header;
}

const paddingOf = (size: number) => Buffer.alloc((block - (size % block)) % block);

/** `LENGTH path=NAME`; LENGTH includes itself. */
function paxRecord(name: string): Buffer {
  const rest = Buffer.byteLength(` path=${name}\n`);
  let length = rest + String(rest).length;
  if (String(length).length !== String(rest).length) length = rest + String(length).length;
  return Buffer.from(`${length} path=${name}\n`);
}

export function* writeEntry({ name, content }: TarEntry): Generator<Buffer> {
  if (Buffer.byteLength(name) > 100) {
    const record = paxRecord(name);
    yield headerOf('pax', record.length, 'x');
    yield record;
    yield paddingOf(record.length);
  }
  yield headerOf(Buffer.byteLength(name) > 100 ? 'long' : name, content.length, '0');
  yield content;
  yield paddingOf(content.length);
}

export const tarEnd = Buffer.alloc(2 * block);

/** @throws RangeError if truncated or another format */
export async function* readEntries(bytes: AsyncIterable<Buffer>): AsyncGenerator<TarEntry> {
  const source = bytes[Symbol.asyncIterator]();
  let held: Buffer[] = [];
  let size = 0;
  const take = async (wanted: number): Promise<Buffer> => {
    while (size < wanted) {
      const { value, done } = await source.next();
      if (done === true) throw new RangeError('the file ends too early');
      held.push(value);
      size += value.length;
    }
    const all = Buffer.concat(held);
    held = [all.subarray(wanted)];
    size -= wanted;
    return all.subarray(0, wanted);
  };
  for (let long: string | null = null; ; ) {
    const header = await take(block);
    if (header.every((byte) => byte === 0)) return;
    if (header.toString('latin1', 257, 262) !== 'ustar') throw new RangeError('it is no tar file');
    const length = Number.parseInt(header.toString('latin1', 124, 136), 8);
    const content = await take(length);
    await take(paddingOf(length).length);
    if (header.toString('latin1', 156, 157) === 'x') {
      long = /^\d+ path=(.*)\n$/s.exec(content.toString('utf8'))?.[1] ?? null;
      continue;
    }
    const name: string = long ?? header.toString('utf8', 0, 100).replace(/\0.*$/s, '');
    long = null;
    yield { name, content };
  }
}
