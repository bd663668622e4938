// Runs PostgreSQL's programs as the right user, without PG* variables.
import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { parse } from 'node:path';

export type Identity = {
  /** Owns the server's files; undefined for the process's own user. */
  owner?: { uid: number; gid: number };
  spawnAs?: { uid: number; gid: number };
  /** A command that changes the user and runs the rest; usually empty. */
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

/** `output` has both streams. Rejects only if it can't be started. */
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
    child.on('error', () => undefined); // Nothing was started; the next check tries again.
    child.unref();
  } finally {
    closeSync(log);
  }
}
