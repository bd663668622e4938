// The embedded database: shared by a home's processes, never lost.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import {
  chmod,
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { findBinaries } from '#db/embedded/binaries.ts';
import { endUnused, openEmbedded } from '#db/embedded/embedded.ts';
import { chooseIdentity } from '#db/embedded/identity.ts';
import { isAlive } from '#db/embedded/postmaster.ts';
import { run } from '#db/embedded/run.ts';
import { waitFor } from '../wait.ts';

const program = join(import.meta.dirname, '../fixtures/embedded-process.ts');
const asRoot = process.getuid?.() === 0;

let home: string;
let dir: string;
let warnings: string[];
let children: ChildProcess[];

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'countersign-embedded-'));
  await chmod(home, 0o711);
  dir = join(home, 'postgres');
  warnings = [];
  children = [];
});

afterEach(async () => {
  for (const child of children) child.kill('SIGKILL');
  if ((await readPid()) !== null) await (await open()).close();
  await rm(home, { recursive: true, force: true });
});

function open() {
  return openEmbedded({
    dir,
    log: { info: () => undefined, warn: (message) => void warnings.push(message) },
  });
}

async function readPid(): Promise<number | null> {
  const text = await readFile(join(dir, 'data', 'postmaster.pid'), 'utf8').catch(() => null);
  return text === null ? null : Number.parseInt(text, 10);
}

async function ask(url: string, statement: string): Promise<unknown> {
  const client = new Client({ connectionString: url, application_name: 'countersign test' });
  await client.connect();
  try {
    const { rows } = await client.query<{ answer: unknown }>(`select (${statement}) as answer`);
    return rows[0]?.answer;
  } finally {
    await client.end();
  }
}

type Guest = { child: ChildProcess; url: string; owned: boolean; exited: Promise<number | null> };

function start(args: string[]): { child: ChildProcess; exited: Promise<number | null> } {
  const child = spawn(process.execPath, [program, dir, ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  children.push(child);
  return { child, exited: new Promise((done) => child.on('exit', (code) => done(code))) };
}

async function startGuest(): Promise<Guest> {
  const { child, exited } = start([]);
  let output = '';
  child.stdout?.on('data', (chunk) => {
    output += chunk;
  });
  await waitFor('the process to be in', () => output.includes('\n'), { timeoutMs: 20_000 });
  return { child, exited, ...(JSON.parse(output) as { url: string; owned: boolean }) };
}

async function leave({ child, exited }: Guest): Promise<void> {
  child.stdin?.end();
  expect(await exited).toBe(0);
}

describe('the first start', () => {
  test('makes a UTF-8 database that only this machine and the password reach', async () => {
    const { url, owned, close } = await open();
    expect(owned).toBe(true);
    expect(await ask(url, "current_setting('server_version_num')::int / 10000")).toBe(18);
    expect(await ask(url, "current_setting('listen_addresses')")).toBe('127.0.0.1');
    expect(await ask(url, "current_setting('unix_socket_directories')")).toBe('');
    expect(await ask(url, "upper('straße — ñandú')")).toBe('STRAßE — ÑANDÚ');
    expect((await stat(join(dir, 'password'))).mode & 0o777).toBe(0o600);
    const guess = url.replace(/:[0-9a-f]+@/, ':wrong@');
    await expect(ask(guess, '1')).rejects.toThrow(/password authentication failed/);
    await close();
    expect(await readPid()).toBeNull();
  });

  test('is done again from scratch when a process was killed in the middle of it', async () => {
    const { child, exited } = start([]);
    const drafts = async () => (await readdir(dir)).filter((name) => name.startsWith('data.new'));
    await waitFor('initdb to be at work', async () => (await drafts()).length > 0, { everyMs: 2 });
    child.kill('SIGKILL');
    await exited;
    const { url, close } = await open();
    expect(await ask(url, '1')).toBe(1);
    await close();
    const again = await open();
    expect(await drafts()).toEqual([]);
    await again.close();
  });
});

describe('a second start', () => {
  test('keeps the data and the address', async () => {
    const first = await open();
    const client = new Client({ connectionString: first.url });
    await client.connect();
    await client.query('create table kept as select 42 as n');
    await client.end();
    await first.close();
    const second = await open();
    expect(second.url).toBe(first.url);
    expect(await ask(second.url, 'select n from kept')).toBe(42);
    await second.close();
  });

  test('moves to another port when somebody took the one of last time', async () => {
    const first = await open();
    await first.close();
    const { createServer } = await import('node:net');
    const thief = createServer().listen(Number(new URL(first.url).port), '127.0.0.1');
    await new Promise((listening) => thief.once('listening', listening));
    const second = await open();
    expect(await ask(second.url, '1')).toBe(1);
    await second.close();
    await new Promise((closed) => thief.close(closed));
  });

  test('is refused with a sentence when the password is gone', async () => {
    await (await open()).close();
    await rm(join(dir, 'password'));
    await expect(open()).rejects.toMatchObject({
      code: 'database_unavailable',
      message: expect.stringContaining('Put the file back, or set COUNTERSIGN_HOME'),
    });
  });
});

describe('several processes', () => {
  test('share one server, which the last one out stops', async () => {
    const first = await startGuest();
    const second = await startGuest();
    expect([first.owned, second.owned]).toEqual([true, false]);
    expect(second.url).toBe(first.url);
    await leave(first);
    expect(await ask(second.url, '1')).toBe(1);
    await leave(second);
    expect(await readPid()).toBeNull();
  });

  test('keep their server when the one that started it is killed', async () => {
    const first = await startGuest();
    const second = await startGuest();
    first.child.kill('SIGKILL');
    await first.exited;
    expect(await ask(second.url, '1')).toBe(1);
    await leave(second);
    expect(await readPid()).toBeNull();
  });

  test('never lose it while others come and go', async () => {
    const storm = Array.from({ length: 6 }, () => start(['4']).exited);
    expect(await Promise.all(storm)).toEqual(Array(6).fill(0));
    expect(await readPid()).toBeNull();
    const { url, close } = await open();
    expect(await ask(url, 'select count(*)::int from visits')).toBe(6 * 4 * 5);
    await close();
  }, 90_000);

  test('a session that is not through openEmbedded keeps the server too', async () => {
    const { url, close } = await open();
    const other = new Client({ connectionString: url, application_name: 'countersign worker' });
    await other.connect();
    await close();
    expect((await other.query('select 1 as n')).rows).toEqual([{ n: 1 }]);
    await other.end();
  });
});

describe('a server that was left behind', () => {
  test('is joined', async () => {
    const guest = await startGuest();
    guest.child.kill('SIGKILL');
    await guest.exited;
    const { owned, url, close } = await open();
    expect([owned, url]).toEqual([false, guest.url]);
    await close();
    expect(await readPid()).toBeNull();
  });

  test('and died later is started anew, with all that was committed', async () => {
    const guest = await startGuest();
    const client = new Client({ connectionString: guest.url });
    client.on('error', () => undefined);
    await client.connect();
    await client.query('create table kept as select 42 as n');
    guest.child.kill('SIGKILL');
    await guest.exited;
    process.kill((await readPid()) ?? 0, 'SIGKILL');
    const { owned, url, close } = await open();
    expect(owned).toBe(true);
    expect(await ask(url, 'select n from kept')).toBe(42);
    await close();
  });

  test('is not mistaken for a stranger that was given its process id', async () => {
    await (await open()).close();
    const stranger = `${process.pid}\n${dir}/data\n1\n1\n\n127.0.0.1\n\nready\n`;
    await writeFile(join(dir, 'data', 'postmaster.pid'), stranger);
    const { owned, url, close } = await open();
    expect(owned).toBe(true);
    expect(await ask(url, '1')).toBe(1);
    expect(warnings).toEqual([expect.stringContaining('no database server')]);
    await close();
  });
});

test('a server that dies under its user comes back at the same address', async () => {
  const { url, close } = await open();
  const before = (await readPid()) ?? 0;
  process.kill(before, 'SIGKILL');
  await waitFor('the server to be back', async () => (await ask(url, '1')) === 1);
  expect(await readPid()).not.toBe(before);
  await close();
  expect(await readPid()).toBeNull();
});

test.runIf(asRoot)('root may keep its home in a folder nobody else may enter', async () => {
  await chmod(home, 0o700);
  const { url, close } = await open();
  expect(await ask(url, '1')).toBe(1);
  await close();
});

test.runIf(asRoot)('root may keep the programs too in a folder nobody else may enter', async () => {
  const { initdb } = await findBinaries();
  await cp(join(initdb, '../..'), join(home, 'native'), {
    recursive: true,
    verbatimSymlinks: true,
  });
  await chmod(home, 0o700);
  await mkdir(dir);
  const moved = join(home, 'native', 'bin', 'initdb');
  const identity = await chooseIdentity(dir, join(dir, 'data'), moved);
  expect(identity.owner?.uid).toBeGreaterThan(0);
  expect(await run(moved, ['--version'], identity)).toEqual({
    code: 0,
    output: expect.stringMatching(/^initdb \(PostgreSQL\) 18[.\d]*$/),
  });
});

test.runIf(asRoot)(
  'root is told which folder is in the way when that cannot be helped',
  async () => {
    await chmod(home, 0o700);
    const programs = join(home, 'programs'); // Without setpriv there is no way in.
    await mkdir(programs);
    await symlink('/usr/bin/id', join(programs, 'id'));
    const path = process.env.PATH;
    process.env.PATH = programs;
    try {
      await expect(open()).rejects.toMatchObject({
        code: 'database_unavailable',
        message: expect.stringMatching(new RegExp(`may not enter ${home}\\..*COUNTERSIGN_HOME`)),
      });
    } finally {
      process.env.PATH = path;
    }
  },
);

describe('the watchdog', () => {
  const watchdogs = async () => {
    const { stdout } = await promisify(execFile)('ps', ['-eo', 'pid=,args=']);
    return stdout
      .split('\n')
      .filter((line) => line.includes('embedded/watchdog.ts') && line.includes(dir))
      .map((line) => Number.parseInt(line, 10));
  };
  const oneWatchdog = () =>
    waitFor(
      'one watchdog',
      async () => {
        const found = await watchdogs();
        return found.length === 1 ? found : null;
      },
      { timeoutMs: 40_000 },
    );
  const stopped = (pid: number) =>
    waitFor('the server to be stopped', async () => (await readPid()) !== pid && !isAlive(pid), {
      timeoutMs: 60_000,
    });

  test('stops the server within a minute of the last process being killed, and a later one starts it again', async () => {
    const [first, second] = [await startGuest(), await startGuest()];
    const pid = (await readPid()) ?? 0;
    await oneWatchdog();
    first.child.kill('SIGKILL');
    await first.exited;
    expect(await ask(second.url, '1')).toBe(1);
    second.child.kill('SIGKILL');
    await second.exited;
    await stopped(pid);
    await waitFor('the watchdog to end', async () => (await watchdogs()).length === 0);
    const again = await open();
    expect(await ask(again.url, '1')).toBe(1);
    await again.close();
  });

  test('is replaced when it is killed itself, and then stops the server all the same', async () => {
    const guest = await startGuest();
    const pid = (await readPid()) ?? 0;
    const [watchdog = 0] = await oneWatchdog();
    process.kill(watchdog, 'SIGKILL');
    await waitFor(
      'another watchdog',
      async () => (await watchdogs()).some((other) => other !== watchdog),
      { timeoutMs: 40_000 },
    );
    guest.child.kill('SIGKILL');
    await guest.exited;
    await stopped(pid);
  });

  test('stops no server under a process that joins at the same moment', async () => {
    const quiet = { info: () => undefined, warn: () => undefined };
    for (let round = 0; round < 5; round += 1) {
      const killed = await startGuest();
      killed.child.kill('SIGKILL');
      await killed.exited;
      const [guest] = await Promise.all([startGuest(), endUnused(dir, quiet)]);
      expect(await ask(guest.url, '1')).toBe(1);
      expect(await endUnused(dir, quiet)).toBe(true);
      expect(await ask(guest.url, '1')).toBe(1);
      await leave(guest);
    }
  });
});
