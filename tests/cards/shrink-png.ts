// A screenshot made small: its colours as a palette of at most 256, packed as tightly as zlib can.
// PNG: https://www.w3.org/TR/png-3/ (8 bits a channel, not interlaced: what Chromium writes).
import { crc32, deflateSync, inflateSync } from 'node:zlib';

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const colorsAtMost = 256;

type Pixels = { width: number; height: number; rgb: Uint32Array };

function readChunks(png: Buffer): { type: string; data: Buffer }[] {
  const chunks: { type: string; data: Buffer }[] = [];
  for (let at = signature.length; at < png.length; ) {
    const length = png.readUInt32BE(at);
    const type = png.toString('latin1', at + 4, at + 8);
    chunks.push({ type, data: png.subarray(at + 8, at + 8 + length) });
    at += length + 12;
  }
  return chunks;
}

function paeth(left: number, up: number, corner: number): number {
  const guess = left + up - corner;
  const [a, b, c] = [left, up, corner].map((value) => Math.abs(guess - value)) as [
    number,
    number,
    number,
  ];
  if (a <= b && a <= c) return left;
  return b <= c ? up : corner;
}

/** Takes the filters back, row by row. */
function unfilter(raw: Buffer, height: number, stride: number, bytes: number): Buffer {
  const out = Buffer.alloc(height * stride);
  for (let y = 0; y < height; y++) {
    const filter = raw[y * (stride + 1)];
    for (let x = 0; x < stride; x++) {
      const at = y * stride + x;
      const left = x >= bytes ? (out[at - bytes] ?? 0) : 0;
      const up = y > 0 ? (out[at - stride] ?? 0) : 0;
      const corner = x >= bytes && y > 0 ? (out[at - stride - bytes] ?? 0) : 0;
      const added = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter ?? 0] ?? 0;
      out[at] = ((raw[y * (stride + 1) + 1 + x] ?? 0) + added) & 255;
    }
  }
  return out;
}

function readPixels(png: Buffer): Pixels {
  const chunks = readChunks(png);
  const head = chunks.find(({ type }) => type === 'IHDR')?.data;
  if (head === undefined) throw new Error('readPixels: not a PNG');
  const [width, height, depth, color] = [
    head.readUInt32BE(0),
    head.readUInt32BE(4),
    head[8],
    head[9],
  ];
  if (depth !== 8 || (color !== 2 && color !== 6)) throw new Error('readPixels: not 8-bit RGB');
  const bytes = color === 2 ? 3 : 4;
  const packed = chunks.filter(({ type }) => type === 'IDAT').map(({ data }) => data);
  const plain = unfilter(inflateSync(Buffer.concat(packed)), height, width * bytes, bytes);
  const rgb = Uint32Array.from({ length: width * height }, (_, i) =>
    plain.readUIntBE(i * bytes, 3),
  );
  return { width, height, rgb };
}

/** The colours by how often they are there; the rest become the nearest of them. */
function choosePalette(rgb: Uint32Array): { palette: number[]; indexOf: Map<number, number> } {
  const counts = new Map<number, number>();
  for (const color of rgb) counts.set(color, (counts.get(color) ?? 0) + 1);
  const ordered = [...counts].sort(([a, m], [b, n]) => n - m || a - b).map(([color]) => color);
  const palette = ordered.slice(0, colorsAtMost);
  const indexOf = new Map(palette.map((color, i) => [color, i]));
  const away = (a: number, b: number) =>
    [16, 8, 0].reduce((sum, shift) => sum + (((a >> shift) & 255) - ((b >> shift) & 255)) ** 2, 0);
  for (const color of ordered.slice(colorsAtMost)) {
    let best = 0;
    for (const [i, other] of palette.entries()) {
      if (away(color, other) < away(color, palette[best] ?? 0)) best = i;
    }
    indexOf.set(color, best);
  }
  return { palette, indexOf };
}

function writeChunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
}

/** The same picture, smaller. */
export function shrinkPng(png: Buffer): Buffer {
  const { width, height, rgb } = readPixels(png);
  const { palette, indexOf } = choosePalette(rgb);
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 3, 0, 0, 0], 8);
  const rows = Buffer.alloc(height * (width + 1));
  for (const [i, color] of rgb.entries()) {
    const y = Math.floor(i / width);
    rows[y * (width + 1) + 1 + (i % width)] = indexOf.get(color) ?? 0;
  }
  const colors = Buffer.from(
    palette.flatMap((color) => [color >> 16, (color >> 8) & 255, color & 255]),
  );
  return Buffer.concat([
    signature,
    writeChunk('IHDR', head),
    writeChunk('PLTE', colors),
    writeChunk('IDAT', deflateSync(rows, { level: 9, memLevel: 9 })),
    writeChunk('IEND', Buffer.alloc(0)),
  ]);
}
