// Serves assets: types stripped, compressed, with ETag and cache.
import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { posix } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyReply } from 'fastify';
import { type Asset, importMap } from './assets.ts';
import { stripTypes } from './strip-types.ts';

type Coding = 'br' | 'gzip' | 'identity';
export type Served = { body: string; etag: string; coded: Map<Coding, Promise<Buffer>> };

export function toServed(body: string): Served {
  const etag = createHash('sha256').update(body).digest('base64url').slice(0, 22);
  return { body, etag, coded: new Map() };
}

/** Below, compression gains nothing. */
const compressedFrom = 512;
const [toBrotli, toGzip] = [promisify(brotliCompress), promisify(gzip)];
/** Level 6 of 11 takes 0.1 s for all; 9 takes ten times that for 1 %. */
const brotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } };

function chooseCoding(accepted: string | undefined, { body }: Served): Coding {
  if (body.length < compressedFrom || accepted === undefined) return 'identity';
  const taken = new Set(
    accepted
      .split(',')
      .filter((coding) => !/;\s*q=0(\.0*)?\s*$/.test(coding))
      .map((coding) => coding.split(';', 1)[0]?.trim().toLowerCase()),
  );
  if (taken.has('br')) return 'br';
  return taken.has('gzip') ? 'gzip' : 'identity';
}

function encode({ body, coded }: Served, coding: Coding): Promise<Buffer> {
  const known = coded.get(coding);
  if (known !== undefined) return known;
  const bytes = Buffer.from(body);
  const made =
    coding === 'br'
      ? toBrotli(bytes, brotliOptions)
      : coding === 'gzip'
        ? toGzip(bytes)
        : Promise.resolve(bytes);
  coded.set(coding, made);
  return made;
}

/** Browsers ask each time, so updates show at once. */
export async function send(
  reply: FastifyReply,
  served: Served,
  type: string,
): Promise<FastifyReply> {
  const { 'if-none-match': known = '', 'accept-encoding': accepted } = reply.request.headers;
  const coding = chooseCoding(String(accepted ?? ''), served);
  // Each encoding needs its own ETag.
  const etag = coding === 'identity' ? `"${served.etag}"` : `"${served.etag}-${coding}"`;
  reply.headers({ etag, 'cache-control': 'no-cache', vary: 'accept-encoding' });
  if (known.split(',').some((one) => one.trim() === etag)) return reply.code(304).send();
  if (coding !== 'identity') reply.header('content-encoding', coding);
  return reply.type(type).send(await encode(served, coding));
}

/** They compress badly. Line numbers stay. */
function dropComments(code: string): string {
  let inside = false;
  const keep = (line: string): boolean => {
    const text = line.trim();
    if (text.startsWith('/**')) inside = text.endsWith('*/') || !text.includes('*/');
    const isComment = inside || text.startsWith('//');
    if (text.endsWith('*/')) inside = false;
    return !isComment;
  };
  return code
    .split('\n')
    .map((line) => (keep(line) ? line : ''))
    .join('\n');
}

export type ReadAsset = (asset: Asset) => Promise<Served>;

/** Rereads edited files. */
export function createAssetReader(): ReadAsset {
  const memory = new Map<string, { changed: number; served: Served }>();
  return async ({ file, ours }) => {
    const changed = (await stat(file)).mtimeMs;
    const known = memory.get(file);
    if (known?.changed === changed) return known.served;
    const source = await readFile(file, 'utf8');
    const served = toServed(ours ? dropComments(stripTypes(source)) : source);
    memory.set(file, { changed, served });
    return served;
  };
}

/** Static ones only. */
function importsOf(code: string): string[] {
  return code.split(/(?:^|;)(?=\s{0,9}(?:import|export)\b)/m).flatMap((statement) => {
    const [, before, name] =
      /^\s{0,9}(?:import|export)\b([^'"`;]*)['"]([^'"]+)['"]/.exec(statement) ?? [];
    const words = before?.trim();
    return name !== undefined && (words === '' || words?.endsWith('from')) ? [name] : [];
  });
}

function resolveImport(name: string, from: string): string {
  if (name.startsWith('.')) return posix.join(posix.dirname(from), name);
  for (const [start, address] of Object.entries(importMap.imports)) {
    if (start === name) return address;
    if (start.endsWith('/') && name.startsWith(start)) return address + name.slice(start.length);
  }
  return name;
}

/** Includes `entry`, in discovery order. */
export async function listModules(
  entry: string,
  assets: ReadonlyMap<string, Asset>,
  read: ReadAsset,
): Promise<string[]> {
  const found = new Set([entry]);
  for (const address of found) {
    const asset = assets.get(address);
    if (asset === undefined) continue;
    const { body } = await read(asset);
    for (const name of importsOf(body)) found.add(resolveImport(name, address));
  }
  return [...found].filter((address) => assets.has(address));
}
