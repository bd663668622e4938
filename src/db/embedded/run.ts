// Runs one of PostgreSQL's programs as the right user, without the PG* variables of the environment.
import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { parse } from 'node:path';

/** The user to run as; `identity.ts` decides. */
export type Identity = {
  /** The owner of the server's files, or undefined for this process's own user. */
  owner?: { uid: number; gid: number };
  /** For `spawn`: become this user. */
  spawnAs?: { uid: number; gid: number };
  /** A command that becomes the user itself and then runs what follows; usually empty. */
  prefix: string[];
};

export type Outcome = { code: number | null; output: string };

const keptVariables = ['PATH', 'SystemRoot', 'TEMP', 'TMP', 'LD_LIBRARY_PATH'];

function environment(): NodeJS.ProcessEnv {
  const kept = keptVariables.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value]];
  });
  return { ...Object.fromEntries(kept), LC_ALL: 'C', TZ: 'UTC' };
}

/** Runs `command` to its end; `output` is what it wrote to both streams. Rejects only when it cannot be started. */
export function run(command: string, args: string[], identity: Identity): Promise<Outcome> {
  const [program, ...rest] = [...identity.prefix, command, ...args];
  return new Promise((resolve, reject) => {
    const child = spawn(program ?? command, rest, {
      cwd: parse(process.cwd()).root,
      env: environment(),
      stdio: ['ignore', 'pipe', 'pipe'],
      windowsHide: true,
      ...(identity.spawnAs ?? {}),
    });
    let output = '';
    const collect = (chunk: Buffer) => {
      output += chunk.toString('utf8');
    };
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, output: output.trim() }));
  });
}

/** Starts a program of ours that outlives this process; what it has to say goes to `logFile`. */
export function startDetached(program: string, args: string[], logFile: string): void {
  const log = openSync(logFile, 'a', 0o600);
  try {
    const child = spawn(program, args, {
      cwd: parse(process.cwd()).root,
      detached: true,
      env: environment(),
      stdio: ['ignore', 'ignore', log],
      windowsHide: true,
    });
    child.on('error', () => undefined); // Nothing was started: the next look finds none and starts it again.
    child.unref();
  } finally {
    closeSync(log);
  }
}
