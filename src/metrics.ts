// What Prometheus can read: the process, HTTP, and plans and steps by status from the database.
import { sql } from 'drizzle-orm';
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { StepStatus } from '#contracts/plan.ts';
import type { Database } from '#store/database.ts';

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
  return register;
}
