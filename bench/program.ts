// The program in a process with a minimal environment.
import { spawn } from 'node:child_process';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { heapFlags } from '#app/heap-flags.ts';
import { forgetPeakMemory, readPeakMemory } from './memory.ts';

export type Program = {
  /** Empty for a worker. */
  url: string;
  readyMs: number;
  /** MB since ready, or null. */
  peakMemory(): Promise<number | null>;
  stop(): Promise<void>;
};

export type Verb = 'start' | 'gateway' | 'worker';

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));
const bareBolt = fileURLToPath(new URL('./bare-bolt.ts', import.meta.url));
const peopleWorker = fileURLToPath(new URL('./people-worker.ts', import.meta.url));
const kept = ['PATH', 'HOME', 'USER', 'LANG', 'TMPDIR', 'TMP', 'TEMP', 'SystemRoot'];
const ready: Record<Verb, RegExp> = {
  start: /^ *Console +(http:\S+)$/,
  gateway: /^ *Console +(http:\S+)$/,
  worker: /worker is ready/,
};
const lastWords = 2000;

function inherited(): NodeJS.ProcessEnv {
  return Object.fromEntries(
    kept.flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value] as const];
    }),
  );
}

function environment(home: string, url: string | null): NodeJS.ProcessEnv {
  return {
    ...inherited(),
    PORT: '0',
    LOG_LEVEL: 'warn',
    COUNTERSIGN_HOME: home,
    COUNTERSIGN_NO_BROWSER: 'true',
    ...(url === null ? {} : { DATABASE_URL: url }),
  };
}

/**
 * @param url null for a database in `home` @param variables added to the environment
 * @throws with its last output if it ends instead
 */
export function startProgram(
  verb: Verb,
  home: string,
  url: string | null,
  variables: NodeJS.ProcessEnv = {},
): Promise<Program> {
  return start({
    name: `countersign ${verb}`,
    args: [main, verb],
    cwd: home,
    env: { ...environment(home, url), ...variables },
    ready: ready[verb],
  });
}

/** `hear` gets each line but the one that says ready. */
export function startPeopleWorker(
  home: string,
  url: string,
  variables: NodeJS.ProcessEnv,
  onLine: (line: string) => void,
): Promise<Program> {
  return start({
    name: 'a worker of the people bench',
    args: [...(heapFlags.get('worker') ?? []), peopleWorker],
    cwd: home,
    env: { ...environment(home, url), ...variables },
    ready: ready.worker,
    onLine,
  });
}

export function startBareBolt(variables: NodeJS.ProcessEnv): Promise<Program> {
  return start({
    name: 'the bare Bolt app',
    args: [bareBolt],
    cwd: dirname(bareBolt),
    env: { ...inherited(), ...variables },
    ready: /^Listening at (http:\S+)$/,
  });
}

async function start(options: {
  name: string;
  args: string[];
  cwd: string;
  env: NodeJS.ProcessEnv;
  /** The first group is its address. */
  ready: RegExp;
  onLine?: (line: string) => void;
}): Promise<Program> {
  const { name, args, cwd, env } = options;
  const began = performance.now();
  const child = spawn(process.execPath, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const kill = () => void child.kill('SIGKILL');
  process.once('exit', kill);
  const exited = new Promise<void>((resolve) => {
    child.once('close', () => {
      process.off('exit', kill);
      resolve();
    });
  });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr = `${stderr}${text}`.slice(-lastWords);
  });
  const readyAt = await new Promise<{ url: string; ms: number }>((resolve, reject) => {
    createInterface(child.stdout).on('line', (line) => {
      const found = options.ready.exec(line);
      if (found !== null) resolve({ url: found[1] ?? '', ms: performance.now() - began });
      else options.onLine?.(line);
    });
    child.once('error', reject);
    child.once('close', (code) => reject(new Error(`${name} ended with ${code}: ${stderr}`)));
  });
  const { pid } = child;
  if (pid !== undefined) await forgetPeakMemory(pid);
  return {
    url: readyAt.url,
    readyMs: readyAt.ms,
    peakMemory: async () => (pid === undefined ? null : readPeakMemory(pid)),
    async stop() {
      child.kill('SIGTERM');
      await exited;
    },
  };
}
