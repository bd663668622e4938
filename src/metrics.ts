// What Prometheus can read: the process, HTTP, plans and steps by status, back ends and resource pools from the database.
import { sql } from 'drizzle-orm';
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { StepStatus } from '#contracts/plan.ts';
import { readBackends } from '#store/backends.ts';
import type { Database } from '#store/database.ts';
import { readPools } from '#store/sql/resources.ts';
import { droppedLines } from './log-sink.ts';

export function createMetrics(db: Database): Registry {
  const register = new Registry();
  collectDefaultMetrics({ register });
  new Gauge({
    name: 'countersign_plans',
    help: 'Plans by status.',
    labelNames: ['status'],
    registers: [register],
    async collect() {
      const { rows } = await db.query.execute<{ status: string; n: number }>(
        sql`select status, count(*)::int as n from countersign.plans group by status`,
      );
      this.reset();
      for (const { status, n } of rows) this.set({ status }, n);
    },
  });
  new Gauge({
    name: 'countersign_steps',
    help: 'Steps of executing plans by status, from kept counters.',
    labelNames: ['status'],
    registers: [register],
    async collect() {
      const sums = StepStatus.options.map(
        (status) => `coalesce(sum(${status}), 0)::int as ${status}`,
      );
      const { rows } = await db.query.execute<Record<StepStatus, number>>(
        sql`select ${sql.raw(sums.join(', '))} from countersign.plans where status = 'executing'`,
      );
      for (const status of StepStatus.options) this.set({ status }, rows[0]?.[status] ?? 0);
    },
  });
  new Gauge({
    name: 'countersign_backends',
    help: 'Back ends of live workers, by name.',
    labelNames: ['backend'],
    registers: [register],
    async collect() {
      this.reset();
      for (const { name } of await readBackends(db.query)) this.inc({ backend: name });
    },
  });
  new Gauge({
    name: 'countersign_backend_concurrency',
    help: 'Calls that live back ends make at once, by name.',
    labelNames: ['backend'],
    registers: [register],
    async collect() {
      this.reset();
      for (const { name, concurrency } of await readBackends(db.query))
        this.inc({ backend: name }, concurrency);
    },
  });
  new Gauge({
    name: 'countersign_resource_pool',
    help: 'Resource pools: capacity, headroom, what is in use, and plans that wait.',
    labelNames: ['pool', 'part'],
    registers: [register],
    async collect() {
      this.reset();
      for (const { name, capacity, headroom, in_use, waiting } of await readPools(db.query)) {
        this.set({ pool: name, part: 'capacity' }, capacity);
        this.set({ pool: name, part: 'headroom' }, headroom);
        this.set({ pool: name, part: 'in_use' }, in_use);
        this.set({ pool: name, part: 'waiting_plans' }, waiting.length);
      }
    },
  });
  new Gauge({
    name: 'countersign_log_lines_dropped',
    help: 'Lines of the log that could not be written, since this process began.',
    registers: [register],
    collect() {
      this.set(droppedLines());
    },
  });
  return register;
}
