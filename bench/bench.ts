// `countersign bench`: measures this build against baselines.
import { arch, cpus, platform, totalmem } from 'node:os';
import type { Logger } from 'pino';
import { type ExitCode, exitCodes } from '#adapters/terminal/exit-codes.ts';
import { systemClock, systemRandom } from '#domain/clock.ts';
import { measureAcknowledge } from './benches/acknowledge.ts';
import { measureApprove } from './benches/approve.ts';
import { measureBurst } from './benches/burst.ts';
import { measureDags } from './benches/dags.ts';
import { measureThroughput, measureThroughputWrite } from './benches/executor-rate.ts';
import { measureImpact } from './benches/impact.ts';
import { measurePeople } from './benches/people.ts';
import { measurePlanner } from './benches/planner.ts';
import { measurePropose } from './benches/propose.ts';
import { measureReady } from './benches/ready.ts';
import { measureRetention } from './benches/retention.ts';
import { measureSchedule } from './benches/schedule.ts';
import { measureShapes } from './benches/shapes.ts';
import { measureStart } from './benches/start.ts';
import { measureViews } from './benches/views.ts';
import { measureVisible } from './benches/visible.ts';
import { type BenchName, benchNames } from './names.ts';
import type { BenchRow } from './row.ts';
import { openServer, type Server } from './server.ts';
import { type Bench, type Sizes, withStage } from './stage.ts';
import { describeRows } from './table.ts';

const benches: Record<BenchName, Bench> = {
  throughput: measureThroughput,
  'throughput-write': measureThroughputWrite,
  shapes: measureShapes,
  dags: measureDags,
  propose: measurePropose,
  views: measureViews,
  impact: measureImpact,
  ready: measureReady,
  approve: measureApprove,
  burst: measureBurst,
  acknowledge: measureAcknowledge,
  planner: measurePlanner,
  visible: measureVisible,
  people: measurePeople,
  start: measureStart,
  retention: measureRetention,
  schedule: measureSchedule,
};

export type BenchOptions = Sizes & {
  /** Empty for all; `dags` needs a folder, `schedule` its name. */
  names: BenchName[];
  json: boolean;
  /** Undefined for a temporary server. */
  databaseUrl: string | undefined;
  log: Logger;
  signal: AbortSignal;
  print(text: string): void;
  /** Progress. */
  say(text: string): void;
};

function describeMachine({ words, version }: Server) {
  const [first] = cpus();
  return {
    cpus: cpus().length,
    cpu: first?.model.trim() ?? 'unknown',
    memory_mb: Math.round(totalmem() / 1e6),
    system: `${platform()} ${arch()}`,
    node: process.version,
    postgres: version,
    database: words,
  };
}
type Machine = ReturnType<typeof describeMachine>;

function describe(machine: Machine, startedAt: string, rows: BenchRow[]): string {
  const { cpus, cpu, memory_mb, system, node, postgres, database } = machine;
  const head = `${startedAt}: ${cpus} × ${cpu}, ${(memory_mb / 1000).toFixed(0)} GB, ${system}, Node ${node}, PostgreSQL ${postgres} (${database})`;
  return `${head}\n\n${describeRows(rows)}`;
}

function choose({ names, folder }: BenchOptions): BenchName[] {
  return benchNames.filter((name) =>
    names.length > 0
      ? names.includes(name)
      : name !== 'schedule' && (name !== 'dags' || folder !== undefined),
  );
}

/** Partial results too. @throws CountersignError without task graphs or database */
export async function bench(options: BenchOptions): Promise<ExitCode> {
  const { names: _names, json, databaseUrl, log, signal, print, say, ...sizes } = options;
  const startedAt = systemClock.now().toISOString();
  const rows: BenchRow[] = [];
  const server = await openServer(databaseUrl, {
    random: systemRandom,
    warn: (message) => log.warn(message),
  });
  try {
    for (const name of choose(options)) {
      say(name);
      const found = await withStage(benches[name], {
        ...sizes,
        server,
        temporary: databaseUrl === undefined,
        log,
        signal,
        say: (text) => say(`${name}: ${text}`),
      });
      rows.push(...found);
    }
    return exitCodes.done;
  } catch (error) {
    if (!signal.aborted) throw error;
    say('stopped; what the bench had made is removed');
    return exitCodes.interrupted;
  } finally {
    const machine = describeMachine(server);
    await server.close();
    if (rows.length > 0)
      print(
        json
          ? JSON.stringify({ machine, started_at: startedAt, rows }, null, 2)
          : describe(machine, startedAt, rows),
      );
  }
}
