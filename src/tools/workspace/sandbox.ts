// Confines file access to the workspace: links may lead around inside, never out. The checked folder is held open, so swapping it
// for a link has no effect.
import { constants, existsSync } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, readdir, readlink, realpath } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { CountersignError } from '#domain/errors.ts';
import { systemCode } from '../failures.ts';
import { isReserved, toWorkspacePath } from './paths.ts';

/** A place in the workspace: pass `at` to the file system while the place is held. */
export type Place = {
  /** As people write it, relative to the workspace. */
  path: string;
  /** The parent folder, pinned. */
  folder: string;
  /** The entry itself, via its pinned folder. */
  at: string;
  /** Flushes the folder, so that a rename survives a power cut. */
  syncFolder(): Promise<void>;
};

export type PlaceOptions = {
  /** Follow a final symbolic link (reading, writing), or act on the link (moving, deleting). */
  follow: boolean;
  /** Create missing parent folders. */
  createFolders?: boolean;
};

export type Sandbox = {
  /** The folder's real path. */
  root(): Promise<string>;
  /** Runs `use` with the place held. @throws CountersignError path_outside_workspace */
  withPlace<T>(path: string, options: PlaceOptions, use: (place: Place) => Promise<T>): Promise<T>;
};

const folderFlags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
const maxLinks = 40;
// Linux accepts an open folder as the start of a path; elsewhere the real path is checked again after opening.
const canPin = process.platform === 'linux' && existsSync('/proc/self/fd');

/** `folder` is created on first use. */
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

/** `path` relative to `root` with links resolved. Missing parts are kept. */
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

/** How an entry is spelled on disk: macOS decomposes accents, people and chats don't. */
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

/** A link's target, or null if there is no link. */
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

/** Absolute target of a link in `real`; `..` is resolved textually since `real` has no links. */
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

/** The parts below `root`. @throws if not below */
function toInside(root: string, parts: string[], asGiven: string): string[] {
  const inside = root.split(sep).filter((part) => part !== '');
  if (inside.some((part, index) => parts[index] !== part)) throw outside(asGiven);
  return parts.slice(inside.length);
}

type Pin = { handle: FileHandle; at: string };

/** Opens the folder name by name, refusing links: none are left after resolving. */
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

/** Holds the folder open without following links. `real`: its real path. The caller closes it. */
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
