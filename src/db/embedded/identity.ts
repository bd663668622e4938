// The embedded PostgreSQL's user, since it refuses to run as root.
import { readFile, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { CountersignError } from '#domain/errors.ts';
import { type Identity, type Outcome, run } from './run.ts';

type User = { uid: number; gid: number };

const self: Identity = { prefix: [] };

async function attempt(command: string, ...args: string[]): Promise<Outcome> {
  try {
    return await run(command, args, self);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT')
      return { code: 127, output: `${command} is not there` };
    throw error;
  }
}

async function findUser(name: string): Promise<User | null> {
  const [uid, gid] = await Promise.all([attempt('id', '-u', name), attempt('id', '-g', name)]);
  if (uid.code !== 0 || gid.code !== 0) return null;
  return { uid: Number(uid.output), gid: Number(gid.output) };
}

/** Created if missing (Debian's useradd or BusyBox's adduser). */
async function findOrMakePostgres(): Promise<User> {
  const found = await findUser('postgres');
  if (found !== null) return found;
  const made = await attempt('useradd', '--system', '--user-group', '--no-create-home', 'postgres');
  const also = made.code === 0 ? made : await attempt('adduser', '-S', '-D', '-H', 'postgres');
  const user = await findUser('postgres');
  if (user !== null) return user;
  throw new CountersignError(
    'database_unavailable',
    `PostgreSQL does not run as root, and the user "postgres" could not be made (${also.output}). Start Countersign as a normal user, or set DATABASE_URL.`,
  );
}

/** The first parent folder that `user` may not enter, or null. Ignores ACLs. */
async function findBarrier(path: string, user: User): Promise<string | null> {
  const parent = dirname(path);
  if (parent !== path) {
    const above = await findBarrier(parent, user);
    if (above !== null) return above;
  }
  const { uid, gid, mode } = await stat(path);
  const bit = uid === user.uid ? 0o100 : gid === user.gid ? 0o010 : 0o001;
  return (mode & bit) === 0 ? path : null;
}

async function mayOverride(): Promise<boolean> {
  if (process.platform !== 'linux') return false;
  const status = await readFile('/proc/self/status', 'utf8');
  const permitted = /^CapPrm:\s*([0-9a-f]+)$/m.exec(status)?.[1];
  return permitted !== undefined && (BigInt(`0x${permitted}`) & 2n) !== 0n;
}

/** setpriv with CAP_DAC_OVERRIDE, or null if it doesn't work. */
async function lendOverride(user: User, binary: string): Promise<string[] | null> {
  const prefix = [
    'setpriv',
    `--reuid=${user.uid}`,
    `--regid=${user.gid}`,
    '--clear-groups',
    '--no-new-privs',
    '--inh-caps=-all,+dac_override',
    '--ambient-caps=-all,+dac_override',
    '--securebits=+no_setuid_fixup', // Otherwise access(2) ignores the capability, and initdb thinks postgres is missing.
  ];
  if (!(await mayOverride())) return null;
  const [program = '', ...args] = [...prefix, binary, '--version'];
  const { code, output } = await attempt(program, ...args);
  return code === 0 && !output.includes('invalid binary') ? prefix : null;
}

/** @param data may not exist yet @param binary `initdb` @throws `database_unavailable` if no user can reach `dir` */
export async function chooseIdentity(dir: string, data: string, binary: string): Promise<Identity> {
  if (process.getuid?.() !== 0) return self;
  const present = await stat(data).catch(() => null);
  const user =
    present !== null && present.uid !== 0
      ? { uid: present.uid, gid: present.gid }
      : await findOrMakePostgres();
  const barrier = (await findBarrier(dir, user)) ?? (await findBarrier(dirname(binary), user));
  if (barrier === null) return { owner: user, spawnAs: user, prefix: [] };
  const prefix = await lendOverride(user, binary);
  if (prefix !== null) return { owner: user, prefix };
  throw new CountersignError(
    'database_unavailable',
    `PostgreSQL does not run as root, and the user it runs as (uid ${user.uid}) may not enter ${barrier}. Set COUNTERSIGN_HOME to a folder it can reach, start Countersign as a normal user, or set DATABASE_URL.`,
  );
}
