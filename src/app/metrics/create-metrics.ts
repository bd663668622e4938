// All of `/metrics`.
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { countKeptEvents } from '#chat/inbox/keep-refused.ts';
import type { Database } from '#db/database.ts';
import { type Clock, systemClock } from '#domain/clock.ts';
import { droppedLines } from '../log-sink.ts';
import { version } from '../version.ts';
import { addClusterGauges } from './cluster-gauges.ts';
import { measureWork } from './work-metrics.ts';

export type Metrics = { registry: Registry; close(): void };

/** @param role as in `countersign_build_info` */
export function createMetrics(
  db: Database,
  options: {
    role: string;
    warn(message: string, error: unknown): void;
    clock?: Clock;
  },
): Metrics {
  const { role, warn, clock = systemClock } = options;
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  new Gauge({
    name: 'countersign_build_info',
    help: 'Always 1: which program this is and what it is for.',
    labelNames: ['version', 'node', 'role'],
    registers: [registry],
  }).set({ version, node: process.version, role }, 1);
  new Gauge({
    name: 'countersign_database_connections',
    help: 'Connections of the pool of this process: how many there are, how many of them idle, and what waits for one.',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      const { totalCount, idleCount, waitingCount } = db.pool;
      this.set({ state: 'open' }, totalCount);
      this.set({ state: 'idle' }, idleCount);
      this.set({ state: 'awaited' }, waitingCount);
    },
  });
  new Gauge({
    name: 'countersign_log_lines_dropped',
    help: 'Lines of the log that could not be written, since this process began.',
    registers: [registry],
    collect() {
      this.set(droppedLines());
    },
  });
  new Gauge({
    name: 'countersign_inbox_kept_events',
    help: 'Events of chat platforms that this process keeps in memory until the database answers.',
    registers: [registry],
    collect() {
      this.set(countKeptEvents());
    },
  });
  addClusterGauges(registry, db, clock, warn);
  return { registry, close: measureWork(registry) };
}
