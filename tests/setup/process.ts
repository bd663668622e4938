// The program in its own processes.
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach } from 'vitest';
import { waitFor } from '../wait.ts';
import { type Client, createClient } from './http-client.ts';

export const root = join(import.meta.dirname, '..', '..');
/** The Node among the dependencies, not the one that runs the tests. */
export const node = join(root, 'node_modules', '.bin', 'node');
/** Quick import resolution, for scripts other than the program's entry. */
export const quickly = ['--import', join(root, 'tests', 'setup', 'resolve-quickly.ts')];
const main = join(root, 'src', 'main.ts');
/** Saves a third of a process's start. */
export const compileCache = join(root, 'node_modules', '.cache', 'countersign-tests');

export type Exit = { code: number | null; signal: NodeJS.Signals | null };

export type Program = {
  pid: number;
  stdout(): string;
  stderr(): string;
  type(line: string): void;
  endInput(): void;
  exited: Promise<Exit>;
  isRunning(): boolean;
  stop(signal?: NodeJS.Signals): Promise<Exit>;
};

export type Server = Program & { url: string; api: Client };

export type Options = {
  home: string;
  /** Without DATABASE_URL the program starts its own. */
  database?: string;
  env?: Record<string, string>;
  cwd?: string;
  /** Replaces `stderr`. */
  log?: string;
  /** Replaces this project's entry. */
  main?: string;
};

export type Programs = {
  /** @param settings its countersign.json */
  home(settings?: object): Promise<string>;
  run(args: string[], options: Options): Program;
  finish(args: string[], options: Options & { input?: string }): Promise<Exit & Output>;
  /** Waits until it is ready. */
  serve(options: Options & { verb?: 'start' | 'gateway' }): Promise<Server>;
  /** Waits until it is ready. */
  work(options: Options): Promise<Program>;
};
export type Output = { stdout: string; stderr: string };

const kept = [
  'PATH',
  'HOME',
  'USER',
  'LANG',
  'TMPDIR',
  'TMP',
  'TEMP',
  'SystemRoot',
  'DATABASE_POOL_SIZE',
];

/** A developer's other variables may configure a model or a chat platform. */
function environment({ home, database, env }: Options): NodeJS.ProcessEnv {
  const inherited = kept.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    ...Object.fromEntries(inherited),
    PORT: '0',
    LOG_LEVEL: 'warn',
    NODE_COMPILE_CACHE: compileCache,
    COUNTERSIGN_HOME: home,
    COUNTERSIGN_CONFIG: join(home, 'countersign.json'),
    COUNTERSIGN_TIMEZONE: 'Europe/Madrid',
    ...(database === undefined ? {} : { DATABASE_URL: database }),
    ...env,
  };
}

function follow(child: ChildProcess): Program {
  let stdout = '';
  let stderr = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  child.stdin?.on('error', () => undefined); // It may end before reading all input.
  let running = true;
  const exited = new Promise<Exit>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => {
      running = false;
      resolve({ code, signal });
    });
  });
  if (child.pid === undefined) throw new Error('the process could not be started');
  return {
    pid: child.pid,
    stdout: () => stdout,
    stderr: () => stderr,
    type: (line) => void child.stdin?.write(`${line}\n`),
    endInput: () => void child.stdin?.end(),
    exited,
    isRunning: () => running,
    stop(signal = 'SIGTERM') {
      if (running) {
        child.kill(signal);
        child.kill('SIGCONT'); // A stopped process reacts only after it continues.
      }
      return exited;
    },
  };
}

/** @throws Error with its last output if it ends first */
async function printed(program: Program, pattern: RegExp): Promise<RegExpExecArray> {
  const found = await waitFor(
    `the program to print ${pattern}`,
    () => pattern.exec(program.stdout()) ?? !program.isRunning(),
    { timeoutMs: 60_000 },
  );
  if (typeof found === 'object') return found;
  throw new Error(`the program ended: ${program.stdout()}${program.stderr()}`);
}

export function usePrograms(): Programs {
  const started: { args: string[]; program: Program }[] = [];
  const homes: string[] = [];
  const killAll = () => {
    for (const { program } of started)
      if (program.isRunning()) process.kill(program.pid, 'SIGKILL');
  };
  process.once('exit', killAll);
  let failed = false;
  let before = 0;
  let underWay = 0;
  let failedSince = false;
  beforeEach(() => {
    if (underWay === 0) {
      before = started.length;
      failedSince = false;
    }
    underWay += 1;
  });
  afterEach(async ({ task }) => {
    underWay -= 1;
    if (task.result?.state === 'fail') {
      failed = true;
      failedSince = true;
    }
    if (!failedSince || underWay > 0) return;
    // They would take steps of the next test; concurrent tests' processes continue.
    await Promise.all(started.slice(before).map(({ program }) => program.stop()));
  }, 60_000);
  afterAll(async () => {
    await Promise.all(started.map(({ program }) => program.stop()));
    process.off('exit', killAll);
    if (failed) {
      for (const { args, program } of started)
        console.error(
          `${args.join(' ')} (${program.pid}) wrote:\n${program.stderr().slice(-5000)}`,
        );
    }
    await Promise.all(homes.map((home) => rm(home, { recursive: true, force: true })));
  }, 60_000);

  function run(args: string[], options: Options): Program {
    const log = options.log === undefined ? null : openSync(options.log, 'a');
    const child = spawn(node, [options.main ?? main, ...args], {
      cwd: options.cwd ?? root,
      env: environment(options),
      stdio: ['pipe', 'pipe', log ?? 'pipe'],
    });
    if (log !== null) closeSync(log);
    const program = follow(child);
    started.push({ args, program });
    return program;
  }
  return {
    run,
    async home(settings = {}) {
      const home = await mkdtemp(join(tmpdir(), 'countersign-e2e-'));
      await chmod(home, 0o711); // As root, the database runs as another user, who needs access.
      homes.push(home);
      await mkdir(join(home, 'workspace'));
      await writeFile(join(home, 'countersign.json'), JSON.stringify(settings));
      return home;
    },
    async finish(args, { input = '', ...options }) {
      const program = run(args, options);
      if (input !== '') program.type(input);
      program.endInput();
      const exit = await program.exited;
      return { ...exit, stdout: program.stdout(), stderr: program.stderr() };
    },
    async serve({ verb = 'start', ...options }) {
      const program = run([verb], options);
      const [, url = ''] = await printed(program, /^ *Console +(http:\S+)$/m);
      return { ...program, url, api: createClient(url) };
    },
    async work(options) {
      const program = run(['worker'], options);
      await printed(program, /worker is ready/);
      return program;
    },
  };
}

/** For processes that tests kill. */
export function useFixture(
  file: string,
): (env: Record<string, string>, ...args: string[]) => Program {
  const started: Program[] = [];
  afterEach(async () => {
    await Promise.all(started.splice(0).map((program) => program.stop()));
  });
  return (env, ...args) => {
    const child = spawn(node, [...quickly, join(root, 'tests', 'fixtures', file), ...args], {
      cwd: root,
      env: { ...process.env, NODE_COMPILE_CACHE: compileCache, ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const program = follow(child);
    started.push(program);
    return program;
  };
}
