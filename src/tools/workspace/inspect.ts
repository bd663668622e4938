// A target's state, for the review and before the call.
// Read-only, bounded, and never through a link out of the workspace.
import { createHash, hash } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { lstat, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { CountersignError } from '#domain/errors.ts';
import type { SeenState } from '#domain/plan/seen.ts';
import type { Json, JsonObject } from '#domain/text.ts';
import { systemCode, throwIfAborted } from '../failures.ts';
import { isTemporary, type Sandbox, toWorkspacePath } from './sandbox.ts';

/** Bytes; larger files are compared by size and time only. */
const maxHashed = 10_000_000;
const maxEntries = 2000;
/** Non-blocking, so that a pipe or device can be refused. */
export const readFlags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

const textOf = (value: Json | undefined): string | null =>
  typeof value === 'string' ? value : null;

export function fingerprintOfText(content: string): string | null {
  return Buffer.byteLength(content) > maxHashed ? null : `sha256:${hash('sha256', content)}`;
}

function nothing(state: 'new' | 'missing'): SeenState {
  return { state, fingerprint: null, size: null, modified_at: null };
}

async function hashFile(at: string, info: Stats): Promise<string> {
  if (info.size > maxHashed) return `file:${info.size}:${info.mtimeMs}`;
  const file = await open(at, readFlags);
  try {
    const sum = createHash('sha256');
    for await (const piece of file.createReadStream({ end: maxHashed, autoClose: false }))
      sum.update(piece);
    return `sha256:${sum.digest('hex')}`;
  } finally {
    await file.close();
  }
}

type Tree = { lines: string[]; files: number; bytes: number; complete: boolean };

async function listTree(at: string, prefix: string, tree: Tree, signal: AbortSignal) {
  for (const name of (await readdir(at)).sort()) {
    throwIfAborted(signal);
    if (isTemporary(name)) continue;
    if (tree.lines.length >= maxEntries) {
      tree.complete = false;
      return;
    }
    const info = await lstat(join(at, name));
    const path = `${prefix}/${name}`;
    if (info.isDirectory()) {
      tree.lines.push(path);
      await listTree(join(at, name), path, tree, signal);
      continue;
    }
    tree.lines.push(`${path}:${info.size}:${info.mtimeMs}`);
    tree.files += 1;
    tree.bytes += info.size;
  }
}

async function readState(at: string, deep: boolean, signal: AbortSignal): Promise<SeenState> {
  const info = await lstat(at);
  const state = 'exists';
  const modified_at = info.mtime.toISOString();
  if (info.isFile()) {
    const fingerprint = deep ? await hashFile(at, info) : null;
    return { state, fingerprint, size: info.size, modified_at };
  }
  if (!info.isDirectory() || !deep) {
    const fingerprint = deep ? `other:${info.mtimeMs}` : null;
    return { state, fingerprint, size: null, modified_at };
  }
  const tree: Tree = { lines: [], files: 0, bytes: 0, complete: true };
  await listTree(at, '', tree, signal);
  if (!tree.complete)
    return { state, fingerprint: `folder:${info.mtimeMs}`, size: null, modified_at };
  const fingerprint = `tree:${hash('sha256', tree.lines.join('\n'))}`;
  return { state, fingerprint, size: tree.bytes, modified_at, files: tree.files };
}

function look(
  sandbox: Sandbox,
  path: string,
  { follow, deep }: { follow: boolean; deep: boolean },
  absent: 'new' | 'missing',
  signal: AbortSignal,
): Promise<SeenState | null> {
  const orNothing = (error: unknown): SeenState => {
    const cause = error instanceof CountersignError ? error.cause : error;
    if (systemCode(cause) === 'ENOENT') return nothing(absent);
    throw error;
  };
  return sandbox
    .withPlace(path, { follow }, async (place) => {
      const state = await readState(place.at, deep, signal).catch(orNothing);
      return isLink(path, place.path) ? behindLink(state, place.path) : state;
    })
    .catch(orNothing)
    .catch((error: unknown) => {
      // The call itself reports anything else.
      const leadsOut = error instanceof CountersignError && error.code === 'path_outside_workspace';
      return leadsOut ? nothing('missing') : null;
    });
}

/** Unicode normalisation may differ; any other difference comes from a link. */
const isLink = (given: string, found: string): boolean =>
  toWorkspacePath(given).normalize('NFC') !== found.normalize('NFC');

function behindLink(state: SeenState, leads_to: string): SeenState {
  const { fingerprint } = state;
  const bound = `link:${hash('sha256', `${leads_to} ${fingerprint}`)}`;
  return { ...state, fingerprint: fingerprint === null ? null : bound, leads_to };
}

export function inspectWrite(sandbox: Sandbox, absent: 'new' | 'missing') {
  return async (args: JsonObject, signal: AbortSignal): Promise<SeenState | null> => {
    const path = textOf(args.path);
    return path === null ? null : look(sandbox, path, { follow: true, deep: true }, absent, signal);
  };
}

export function inspectDelete(sandbox: Sandbox) {
  return async (args: JsonObject, signal: AbortSignal): Promise<SeenState | null> => {
    const path = textOf(args.path);
    return path === null
      ? null
      : look(sandbox, path, { follow: false, deep: true }, 'missing', signal);
  };
}

/** Only missing targets: content may change. */
export function inspectRead(sandbox: Sandbox) {
  return async (args: JsonObject, signal: AbortSignal): Promise<SeenState | null> => {
    const path = textOf(args.path);
    if (path === null) return null;
    const found = await look(sandbox, path, { follow: true, deep: false }, 'missing', signal);
    return found?.state === 'missing' ? found : null;
  };
}

/** `missing`: no source (with `onto` if it would overwrite); `exists`: the destination does. */
export function inspectMove(
  sandbox: Sandbox,
  argument: 'from' | 'path',
  findDestination: (from: string, to: string) => Promise<string>,
) {
  return async (args: JsonObject, signal: AbortSignal): Promise<SeenState | null> => {
    const [from, to] = [textOf(args[argument]), textOf(args.to)];
    if (from === null || to === null) return null;
    const options = { follow: argument === 'path', deep: true };
    const source = await look(sandbox, from, options, 'missing', signal);
    if (source === null) return null;
    const place = await findDestination(from, to).catch(() => null);
    if (place === null) return source.state === 'missing' ? source : null;
    const target = await look(sandbox, place, options, 'new', signal);
    if (target === null) return null;
    const onto = target.fingerprint;
    if (source.state === 'missing')
      return onto === null || args.overwrite !== true
        ? source
        : { ...target, state: 'missing', fingerprint: null, onto };
    const fingerprint = `both:${hash('sha256', `${source.fingerprint} ${target.fingerprint}`)}`;
    if (target.state === 'new') return { ...source, state: 'new', fingerprint };
    return { ...target, fingerprint, ...(onto === null ? {} : { onto }) };
  };
}
