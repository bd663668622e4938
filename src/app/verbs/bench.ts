// `bench`: benchmarks this machine on a fresh database.
import { bench } from '#bench/bench.ts';
import type { BenchName } from '#bench/names.ts';
import { loadConfig } from '../config.ts';
import { createLog } from '../logging.ts';
import { print, warn } from '../print.ts';
import { untilSignal } from './until-signal.ts';

type Options = Record<'steps' | 'runs', number | undefined> & { json?: true; folder?: string };

export async function run(
  names: BenchName[],
  { json, steps, runs, folder }: Options,
): Promise<void> {
  const config = loadConfig(process.env, process.cwd());
  process.exitCode = await bench({
    names,
    json: json === true,
    steps,
    runs,
    folder,
    databaseUrl: config.env.DATABASE_URL,
    log: createLog({ ...config, env: { ...config.env, LOG_LEVEL: 'warn' } }, false),
    signal: untilSignal(),
    print,
    say: (text) => warn(`bench: ${text}`),
  });
}
