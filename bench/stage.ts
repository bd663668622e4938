// A bench's own database, instances and programs.
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import { createClosers } from '#app/closers.ts';
import { loadConfig } from '#app/config.ts';
import type { Instance, InstanceOptions } from '#app/wire/instance.ts';
import { openInstance } from '#app/wire.ts';
import { type Program, startPeopleWorker, startProgram, type Verb } from './program.ts';
import type { BenchRow } from './row.ts';
import { makeFolder, removeFolder, type Server } from './server.ts';

export type Sizes = {
  /** Or plans, if small; undefined: default. */
  steps: number | undefined;
  /** Rounds for the median; undefined: default. */
  runs: number | undefined;
  folder: string | undefined;
};

export type Stage = Sizes & {
  /** Initially empty. */
  url: string;
  signal: AbortSignal;
  /** Progress. */
  say(text: string): void;
  openInstance(
    options: Pick<InstanceOptions, 'work' | 'extraOperations' | 'planner' | 'chatPorts'>,
  ): Promise<Instance>;
  start(verb: Verb, variables?: NodeJS.ProcessEnv): Promise<Program>;
  /** All share a workspace; `hear` gets what one prints. */
  startPeopleWorker(onLine: (line: string) => void): Promise<Program>;
  /** Empty database, or none with a temporary server. */
  startFresh(): Promise<Program>;
  closeLater(what: string, close: () => Promise<void>): void;
};

/** Some rows of the report. */
export type Bench = (stage: Stage) => Promise<BenchRow[]>;

const lookEveryMs = 20;

/** @throws the signal's abort reason */
export async function until<T>(
  signal: AbortSignal,
  probe: () => Promise<T | null>,
  everyMs = lookEveryMs,
): Promise<T> {
  for (;;) {
    signal.throwIfAborted();
    const found = await probe();
    if (found !== null) return found;
    await pause(everyMs, undefined, { signal });
  }
}

/** Always cleans up. */
export async function withStage(
  bench: Bench,
  parts: Sizes & {
    server: Server;
    temporary: boolean;
    log: Logger;
    signal: AbortSignal;
    say(text: string): void;
  },
): Promise<BenchRow[]> {
  const { server, temporary, log, ...rest } = parts;
  const closers = createClosers(log);
  const makeHome = async () => {
    const home = await makeFolder();
    closers.add(`the folder ${home}`, () => removeFolder(home));
    return home;
  };
  let workspace: Promise<string> | undefined;
  const makeDatabase = async () => {
    const database = await server.createDatabase();
    closers.add(`the database ${new URL(database.url).pathname.slice(1)}`, database.drop);
    return database.url;
  };
  const launch = async (verb: Verb, url: string | null, variables: NodeJS.ProcessEnv = {}) => {
    const program = await startProgram(verb, await makeHome(), url, variables);
    closers.add(`countersign ${verb}`, program.stop);
    return program;
  };
  try {
    const url = await makeDatabase();
    return await bench({
      ...rest,
      url,
      async openInstance(options) {
        const home = await makeHome();
        const config = loadConfig({ DATABASE_URL: url, COUNTERSIGN_HOME: home }, home);
        const instance = await openInstance({ ...options, config, log, linkTo: () => null });
        closers.add('the instance', instance.close);
        return instance;
      },
      start: (verb, variables) => launch(verb, url, variables),
      async startPeopleWorker(onLine) {
        workspace ??= makeHome();
        const variables = { COUNTERSIGN_WORKSPACE: await workspace };
        const worker = await startPeopleWorker(await makeHome(), url, variables, onLine);
        closers.add('a worker of the people bench', worker.stop);
        return worker;
      },
      startFresh: async () => launch('start', temporary ? null : await makeDatabase()),
      closeLater: closers.add,
    });
  } finally {
    await closers.closeAll();
  }
}
