// Safe access to workspace paths: links may lead around inside, never out.
// The checked folder is held open, so swapping it for a link between check and use changes nothing.
import { constants, existsSync } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, readdir, readlink, realpath } from 'node:fs/promises';
import { join, posix, relative, sep } from 'node:path';
import { CountersignError, type ErrorCode } from '#domain/errors.ts';
import { trimTail } from '#domain/words.ts';
import { systemCode } from '../failures.ts';

const maxPath = 2000;
const maxName = 255;
const temporary = /^\.countersign-[0-9a-f]{12}\.tmp$/;
/** No path may enter it: Countersign's files, and other organisations' folders. */
export const reservedFolder = '.countersign';

type PathProblem = { code: ErrorCode; message: string };

export function findPathProblem(path: string): PathProblem | null {
  const shown = JSON.stringify(path.length <= 80 ? path : `${path.slice(0, 77)}…`);
  const invalid = (message: string): PathProblem => ({ code: 'invalid_arguments', message });
  const outside: PathProblem = {
    code: 'path_outside_workspace',
    message: `The path ${shown} leads outside the workspace; give one relative to it, such as notes/today.md.`,
  };
  if (path === '') return invalid('The path is empty; give one such as notes/today.md.');
  if (path.includes('\u0000') || !path.isWellFormed())
    return invalid(`The path ${shown} contains characters no file name can have.`);
  if (path.startsWith('/') || /^[A-Za-z]:/.test(path)) return outside;
  if (path.includes('\\')) {
    const leaves = path.startsWith('\\') || path.split(/[\\/]/).includes('..');
    return leaves ? outside : invalid(`The path ${shown} has a backslash; use / between folders.`);
  }
  if (path.split('/').some(isTemporary))
    return invalid(`The name in ${shown} is one that unfinished writes have; use another one.`);
  const normal = posix.normalize(path);
  if (normal === '..' || normal.startsWith('../') || isReserved(normal)) return outside;
  if (Buffer.byteLength(path) > maxPath)
    return invalid(`The path is too long: at most ${maxPath} bytes.`);
  if (path.split('/').some((name) => Buffer.byteLength(name) > maxName))
    return invalid(`A name in the path ${shown} is too long: at most ${maxName} bytes.`);
  return null;
}

/** Shortest form; `.` is the workspace. @throws `path_outside_workspace`, `invalid_arguments` */
export function toWorkspacePath(path: string): string {
  const problem = findPathProblem(path);
  if (problem !== null) throw new CountersignError(problem.code, problem.message);
  const normal = trimTail(posix.normalize(path), /\//);
  return normal === '' ? '.' : normal;
}

export function checkPaths(
  ...names: string[]
): (args: { [key: string]: unknown }) => PathProblem | null {
  return (args) => {
    for (const name of names) {
      const path = args[name];
      const problem = typeof path === 'string' ? findPathProblem(path) : null;
      if (problem !== null) return problem;
    }
    return null;
  };
}

export function isTemporary(name: string): boolean {
  return temporary.test(name);
}

export function isReserved(path: string): boolean {
  const [first = ''] = path.split(/[\\/]/, 1);
  return (
    first
      .normalize('NFKC')
      .replace(/\p{Cf}/gu, '')
      .toLowerCase() === reservedFolder
  );
}

/** Pass `at` to the file system while the place is held. */
export type HeldPath = {
  path: string;
  folder: string;
  at: string;
  /** Flushed, a rename survives a power cut. */
  syncFolder(): Promise<void>;
};

type PlaceOptions = {
  /** A final link: for reading and writing, but not for moving and deleting. */
  follow: boolean;
  createFolders?: boolean;
};

export type Sandbox = {
  root(): Promise<string>;
  withPlace<T>(
    path: string,
    options: PlaceOptions,
    use: (place: HeldPath) => Promise<T>,
  ): Promise<T>;
};

const folderFlags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
const maxLinks = 40;
// Linux accepts an open folder as the start of a path; elsewhere the real path is checked again after opening.
const canPin = process.platform === 'linux' && existsSync('/proc/self/fd');

export function openSandbox(folder: string): Sandbox {
  let opened: Promise<string> | null = null;
  const root = () => {
    opened ??= mkdir(folder, { recursive: true })
      .then(() => realpath(folder))
      .catch((error: unknown) => {
        // Failures are not cached: the folder may exist next time.
        opened = null;
        throw error;
      });
    return opened;
  };
  return {
    root,
    async withPlace(path, options, use) {
      const given = toWorkspacePath(path);
      const real = await root();
      const target = await resolveInside(real, given, path, options.follow);
      if (isReserved(target)) throw outside(path);
      const names = target === '' ? [] : target.split(sep);
      const name = names.pop();
      const pin = await openFolder(real, names, path, options.createFolders === true);
      try {
        return await use({
          path: target === '' ? '.' : target.split(sep).join('/'),
          folder: pin.at,
          at: name === undefined ? pin.at : join(pin.at, name),
          syncFolder: () => pin.handle.sync(),
        });
      } finally {
        await pin.handle.close();
      }
    },
  };
}

async function resolveInside(
  root: string,
  path: string,
  asGiven: string,
  follow: boolean,
): Promise<string> {
  let real = root;
  let rest = path === '.' ? [] : path.split('/');
  for (let links = 0; rest.length > 0; ) {
    const [given = '', ...after] = rest;
    const next = join(real, await spellingOf(real, given, asGiven));
    rest = after;
    const link = after.length > 0 || follow ? await readLink(next, asGiven) : null;
    if (link === null) {
      real = next;
      continue;
    }
    links += 1;
    if (links > maxLinks)
      throw new CountersignError('tool_failed', `The links at ${asGiven} form a loop.`);
    const target = await resolveLink(real, link, asGiven);
    rest = [...target.split(sep).filter((part) => part !== ''), ...after];
    real = root;
    rest = toInside(root, rest, asGiven);
  }
  return relative(root, real);
}

/** As on disk: macOS decomposes accents, people and chats don't. */
async function spellingOf(folder: string, name: string, asGiven: string): Promise<string> {
  if (/^\p{ASCII}*$/u.test(name) || (await isThere(join(folder, name)))) return name;
  const composed = name.normalize('NFC');
  const names = await readdir(folder).catch((error: unknown) => {
    if (systemCode(error) === 'ENOENT') return [];
    throw error;
  });
  const [only = name, ...others] = names.filter((one) => one.normalize('NFC') === composed);
  if (others.length === 0) return only;
  throw new CountersignError(
    'tool_failed',
    `${others.length + 1} entries are called ${asGiven} and differ only in how their accents are stored. Rename one.`,
  );
}

async function isThere(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return false;
    if (systemCode(error) === 'ENOTDIR') return true; // reported by the next check
    throw error;
  }
}

async function readLink(path: string, asGiven: string): Promise<string | null> {
  try {
    return (await lstat(path)).isSymbolicLink() ? await readlink(path) : null;
  } catch (error) {
    const code = systemCode(error);
    if (code === 'ENOENT') return null;
    if (code === 'ENOTDIR') throw notAFolder(asGiven, error);
    throw error;
  }
}

/** `..` is resolved textually since `real` has no links. */
async function resolveLink(real: string, link: string, asGiven: string): Promise<string> {
  if (link.startsWith(sep)) {
    // An absolute link may pass through links outside; only its real place counts.
    try {
      return await realpath(link);
    } catch {
      throw outside(asGiven);
    }
  }
  return join(real, link);
}

function toInside(root: string, parts: string[], asGiven: string): string[] {
  const inside = root.split(sep).filter((part) => part !== '');
  if (inside.some((part, index) => parts[index] !== part)) throw outside(asGiven);
  return parts.slice(inside.length);
}

type Pin = { handle: FileHandle; at: string };

/** Refuses links: none are left after resolving. */
async function openFolder(
  root: string,
  names: string[],
  asGiven: string,
  create: boolean,
): Promise<Pin> {
  let pin: Pin = await pinFolder(root, root, asGiven);
  let real = root;
  for (const name of names) {
    real = join(real, name);
    const next = join(pin.at, name);
    try {
      if (create) await mkdir(next).catch(ignoreExisting);
      const inner = await pinFolder(next, real, asGiven);
      await pin.handle.close();
      pin = inner;
    } catch (error) {
      await pin.handle.close();
      throw error;
    }
  }
  return pin;
}

/** Without following links; the caller closes it. */
export async function pinFolder(path: string, real: string, asGiven: string): Promise<Pin> {
  let handle: FileHandle;
  try {
    handle = await open(path, folderFlags);
  } catch (error) {
    switch (systemCode(error)) {
      case 'ENOENT':
        throw new CountersignError('tool_failed', `There is no ${asGiven} in the workspace.`, {
          cause: error,
        });
      case 'ELOOP':
        throw outside(asGiven, error);
      case 'ENOTDIR': {
        // A link that appeared after the check also gives ENOTDIR.
        const info = await lstat(path).catch(() => null);
        throw info?.isSymbolicLink() === true
          ? outside(asGiven, error)
          : notAFolder(asGiven, error);
      }
      default:
        throw error;
    }
  }
  if (canPin) return { handle, at: `/proc/self/fd/${handle.fd}` };
  if ((await realpath(path)) === real) return { handle, at: real };
  await handle.close();
  throw outside(asGiven);
}

function ignoreExisting(error: unknown): void {
  if (systemCode(error) !== 'EEXIST') throw error;
}

function outside(path: string, cause?: unknown): CountersignError {
  return new CountersignError(
    'path_outside_workspace',
    `The path ${JSON.stringify(path)} leads outside the workspace through a link.`,
    cause === undefined ? {} : { cause },
  );
}

function notAFolder(path: string, cause: unknown): CountersignError {
  return new CountersignError(
    'tool_failed',
    `A part of ${path} is a file, so nothing can be inside it.`,
    { cause },
  );
}
