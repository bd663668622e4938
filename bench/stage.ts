// What one bench works on: a database of its own, and instances and programs on it, all gone when it ends.
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import { createClosers } from '#app/closers.ts';
import { loadConfig } from '#app/config.ts';
import type { Instance, InstanceOptions } from '#app/wire/instance.ts';
import { openInstance } from '#app/wire.ts';
import { type Program, startPeopleWorker, startProgram, type Verb } from './program.ts';
import type { Row } from './row.ts';
import { makeFolder, removeFolder, type Server } from './server.ts';

export type Sizes = {
  /** Steps of a plan, or plans where many small ones are measured; undefined: what the bench is meant for. */
  steps: number | undefined;
  /** Rounds, of which the median counts; undefined: the bench's own number. */
  runs: number | undefined;
  /** Folder of task graphs. */
  folder: string | undefined;
};

export type Stage = Sizes & {
  /** A database of this bench alone, empty at first. */
  url: string;
  signal: AbortSignal;
  /** Says what runs now. */
  say(text: string): void;
  /** An instance in this process. */
  openInstance(
    options: Pick<InstanceOptions, 'work' | 'extraOperations' | 'planner' | 'chatPorts'>,
  ): Promise<Instance>;
  /** A process on this bench's database; `variables` stand in its environment beside what all have. */
  start(verb: Verb, variables?: NodeJS.ProcessEnv): Promise<Program>;
  /** A worker of the people bench. All of them have the same workspace; `hear` is called with what one prints. */
  startPeopleWorker(hear: (line: string) => void): Promise<Program>;
  /** `countersign start` where nothing is yet: an empty database, or, with a temporary server, not even one. */
  startFresh(): Promise<Program>;
  /** Has `close` called at the end. */
  closeLater(what: string, close: () => Promise<void>): void;
};

/** One purpose: some rows of the report. */
export type Bench = (stage: Stage) => Promise<Row[]>;

/** Milliseconds between two looks whether something has come true. */
const lookEveryMs = 20;

/** Looks until `probe` answers something else than null. @throws what the signal was aborted with */
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

/** Runs `bench` on a stage of its own and clears it away, whatever became of it. */
export async function withStage(
  bench: Bench,
  parts: Sizes & {
    server: Server;
    /** The server is a temporary one. */
    temporary: boolean;
    log: Logger;
    signal: AbortSignal;
    say(text: string): void;
  },
): Promise<Row[]> {
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
      async startPeopleWorker(hear) {
        workspace ??= makeHome();
        const variables = { COUNTERSIGN_WORKSPACE: await workspace };
        const worker = await startPeopleWorker(await makeHome(), url, variables, hear);
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
