// Reaches files of the workspace and no others: symbolic links may lead around inside it, never out of it.
// The folder that was checked is held open, so swapping it for a link between check and use changes nothing.
import { constants, existsSync } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, readdir, readlink, realpath } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { CountersignError } from '#domain/errors.ts';
import { systemCode } from '../failures.ts';
import { isReserved, toWorkspacePath } from './paths.ts';

/** A place in the workspace: `at` is what to hand to the file system while the place is held. */
export type Place = {
  /** The path as people write it, relative to the workspace. */
  path: string;
  /** The folder that holds it, pinned. */
  folder: string;
  /** The file or folder itself, by way of its pinned folder. */
  at: string;
  /** Flushes the folder, so that a rename in it survives a power cut. */
  syncFolder(): Promise<void>;
};

export type PlaceOptions = {
  /** Follow a symbolic link at the very end (reading, writing), or act on the link itself (moving, deleting). */
  follow: boolean;
  /** Create the folders above that are missing. */
  createFolders?: boolean;
};

export type Sandbox = {
  /** The real path of the folder. */
  root(): Promise<string>;
  /** Runs `use` with the place held. @throws CountersignError path_outside_workspace */
  withPlace<T>(path: string, options: PlaceOptions, use: (place: Place) => Promise<T>): Promise<T>;
};

const folderFlags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
const maxLinks = 40;
// Linux lets an open folder be used as the start of a path; elsewhere the real path is checked again after opening.
const canPin = process.platform === 'linux' && existsSync('/proc/self/fd');

/** A sandbox over `folder`, which is created at first use. */
export function openSandbox(folder: string): Sandbox {
  let opened: Promise<string> | null = null;
  const root = () => {
    opened ??= mkdir(folder, { recursive: true })
      .then(() => realpath(folder))
      .catch((error: unknown) => {
        // A failure is not cached: the folder may exist the next time.
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

/** `path` relative to `root` with every link on the way resolved. Parts that don't exist yet are kept. */
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

/** How an entry of `folder` is spelled on disk: macOS takes accents apart, and people and chats do not. */
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
    if (systemCode(error) === 'ENOTDIR') return true; // said by what follows
    throw error;
  }
}

/** What the link at `path` says; null when there is no link there. */
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

/** The absolute place a link in the folder `real` points to, as text; `..` is resolved since `real` has no links. */
async function resolveLink(real: string, link: string, asGiven: string): Promise<string> {
  if (link.startsWith(sep)) {
    // An absolute link may itself go through links outside the workspace; only its real place counts.
    try {
      return await realpath(link);
    } catch {
      throw outside(asGiven);
    }
  }
  return join(real, link);
}

/** The parts of an absolute path below `root`. @throws when it is not below */
function toInside(root: string, parts: string[], asGiven: string): string[] {
  const inside = root.split(sep).filter((part) => part !== '');
  if (inside.some((part, index) => parts[index] !== part)) throw outside(asGiven);
  return parts.slice(inside.length);
}

type Pin = { handle: FileHandle; at: string };

/** Opens the folder `names` below `root`, one name at a time, refusing links: none is left after resolving. */
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

/** Holds the folder at `path` open; no link there is followed. `real`: where it really is. The caller closes it. */
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
        // A link that appeared after the check also answers ENOTDIR when a folder is asked for.
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
