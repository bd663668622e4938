// Gauges of the installation, read from the database and cached.
import { setTimeout as pause } from 'node:timers/promises';
import { Gauge, type Registry } from 'prom-client';
import { readAuditState } from '#db/audit/seals.ts';
import { readBackends } from '#db/backends.ts';
import { readInboxState } from '#db/chat/inbox.ts';
import { readDeliveryState } from '#db/chat/places.ts';
import type { Database, Queryable } from '#db/database.ts';
import {
  countJobs,
  countPlansByStatus,
  countSteps,
  countWaitingForPeople,
  maxCounted,
  readSpendingByModel,
} from '#db/gauges.ts';
import { readRetention } from '#db/retention.ts';
import { readPools } from '#db/sql/resources.ts';
import { readEndpoints } from '#db/webhooks.ts';
import { type Clock, startOfUtcDay } from '#domain/clock.ts';

type Sample = [gauge: string, value: number, labels?: Record<string, string>];

type ClusterRead = {
  gauges: Record<string, { help: string; labels?: string[] }>;
  /** Without a sample, a gauge is not exported. */
  read(db: Queryable, now: Date): Promise<Sample[]>;
};

const upTo = `counted up to ${maxCounted.toLocaleString('en-US')}`;

export const clusterReads: ClusterRead[] = [
  {
    gauges: { plans: { help: `Plans by status, each ${upTo}.`, labels: ['status'] } },
    read: async (db) =>
      (await countPlansByStatus(db)).map(({ kind, n }) => ['plans', n, { status: kind }]),
  },
  {
    gauges: {
      approvals_waiting: {
        help: 'What waits for people: plans to approve, changes to approve, steps to answer.',
        labels: ['kind'],
      },
      approvals_oldest_seconds: {
        help: 'How long the oldest of what waits for people has waited; of steps, since their plan last moved.',
        labels: ['kind'],
      },
    },
    read: async (db) =>
      (await countWaitingForPeople(db)).flatMap(({ kind, n, oldest }): Sample[] => [
        ['approvals_waiting', n, { kind }],
        ['approvals_oldest_seconds', oldest ?? 0, { kind }],
      ]),
  },
  {
    gauges: {
      steps: {
        help: 'Steps of plans that go on, by status, from kept counters.',
        labels: ['status'],
      },
    },
    read: async (db) =>
      Object.entries(await countSteps(db)).map(([status, n]) => ['steps', n, { status }]),
  },
  {
    gauges: {
      queue_jobs: { help: `Jobs that wait and are due, by queue, ${upTo}.`, labels: ['queue'] },
      queue_oldest_seconds: {
        help: 'How long the oldest job of a queue has been due.',
        labels: ['queue'],
      },
    },
    read: async (db) =>
      (await countJobs(db)).flatMap(({ kind: queue, n, oldest }): Sample[] => [
        ['queue_jobs', n, { queue }],
        ['queue_oldest_seconds', oldest ?? 0, { queue }],
      ]),
  },
  {
    gauges: {
      inbox_events: { help: `Events of chat platforms that are not handled, ${upTo}.` },
      inbox_oldest_seconds: { help: 'How long the oldest event of a chat platform has waited.' },
      inbox_failed_events: { help: `Events of chat platforms that were set aside, ${upTo}.` },
    },
    async read(db, now) {
      const { open, oldest, failed } = await readInboxState(db, maxCounted);
      const seconds = oldest === null ? 0 : (now.getTime() - oldest.getTime()) / 1000;
      return [
        ['inbox_events', open],
        ['inbox_oldest_seconds', Math.max(0, seconds)],
        ['inbox_failed_events', failed],
      ];
    },
  },
  {
    gauges: {
      deliveries_waiting: { help: `Conversations that wait to be brought up to date, ${upTo}.` },
      deliveries_broken: { help: `Conversations that nothing can be posted to, ${upTo}.` },
    },
    async read(db) {
      const { waiting, broken } = await readDeliveryState(db, maxCounted);
      return [
        ['deliveries_waiting', waiting],
        ['deliveries_broken', broken],
      ];
    },
  },
  {
    gauges: {
      model_cost_today_usd: {
        help: 'US dollars spent today (UTC) by model, all processes; running calls count with their estimate.',
        labels: ['model'],
      },
      model_tokens_today: {
        help: 'Tokens used today (UTC) by model and direction, all processes.',
        labels: ['model', 'direction'],
      },
    },
    read: async (db, now) =>
      (await readSpendingByModel(db, startOfUtcDay(now))).flatMap(
        ({ model, usd, input_tokens, output_tokens }): Sample[] => [
          ['model_cost_today_usd', usd, { model }],
          ['model_tokens_today', input_tokens, { model, direction: 'input' }],
          ['model_tokens_today', output_tokens, { model, direction: 'output' }],
        ],
      ),
  },
  {
    gauges: {
      backends: {
        help: 'Back ends of live workers, by name and version.',
        labels: ['backend', 'version'],
      },
      backend_concurrency: {
        help: 'Calls that live back ends make at once, by name.',
        labels: ['backend'],
      },
    },
    async read(db) {
      const live = await readBackends(db);
      return live.flatMap(({ name: backend, version, concurrency }): Sample[] => [
        ['backends', 1, { backend, version: version ?? 'unknown' }],
        ['backend_concurrency', concurrency, { backend }],
      ]);
    },
  },
  {
    gauges: {
      audit_seal: { help: 'The number of the last seal of the audit log.' },
      audit_unsealed_rows: { help: `Rows of the audit log that are not sealed yet, ${upTo}.` },
    },
    async read(db) {
      const { last, unsealed } = await readAuditState(db);
      return [
        ['audit_seal', last?.seq ?? 0],
        ['audit_unsealed_rows', unsealed],
      ];
    },
  },
  {
    gauges: {
      retention_deleted_rows: {
        help: 'Rows that retention has deleted, by kind, since the beginning.',
        labels: ['kind'],
      },
      retention_problem: { help: '1 while retention can’t delete or archive expired data.' },
    },
    async read(db) {
      const state = await readRetention(db);
      return [
        ...Object.entries(state?.deleted ?? {}).map(
          ([kind, rows]): Sample => ['retention_deleted_rows', rows, { kind }],
        ),
        ['retention_problem', state === null || state.problem === null ? 0 : 1],
      ];
    },
  },
  {
    gauges: {
      webhook_events: {
        help: `Events for the endpoints of webhooks, open, and given up in the last week, ${upTo}.`,
        labels: ['endpoint', 'state'],
      },
    },
    read: async (db) =>
      (await readEndpoints(db)).flatMap(({ id: endpoint, open, failed }): Sample[] => [
        ['webhook_events', open, { endpoint, state: 'open' }],
        ['webhook_events', failed, { endpoint, state: 'given_up' }],
      ]),
  },
  {
    gauges: {
      resource_pool: {
        help: 'Resource pools: capacity, headroom, what is in use, and plans that wait.',
        labels: ['pool', 'part'],
      },
    },
    read: async (db) =>
      (await readPools(db)).flatMap(
        ({ name: pool, capacity, headroom, in_use, waiting }): Sample[] => [
          ['resource_pool', capacity, { pool, part: 'capacity' }],
          ['resource_pool', headroom, { pool, part: 'headroom' }],
          ['resource_pool', in_use, { pool, part: 'in_use' }],
          ['resource_pool', waiting.length, { pool, part: 'waiting_plans' }],
        ],
      ),
  },
];

const keptMs = 10_000;
/** Other metrics don't depend on the database. */
const readWithinMs = 4000;

export function addClusterGauges(
  registry: Registry,
  db: Pick<Database, 'query'>,
  clock: Clock,
  warn: (message: string, error: unknown) => void,
): void {
  let readAt = Number.NEGATIVE_INFINITY;
  let reading: Promise<void> | null = null;

  const up = new Gauge({
    name: 'countersign_database_up',
    help: 'Whether the database answered when the gauges of the installation were last read.',
    registers: [registry],
    collect: () => refresh(),
  });
  const gauges = new Map<string, { gauge: Gauge; clear(): void }>();
  for (const read of clusterReads) {
    for (const [name, { help, labels = [] }] of Object.entries(read.gauges)) {
      const gauge = new Gauge({
        name: `countersign_${name}`,
        help,
        labelNames: labels,
        registers: [registry],
        collect: () => refresh(),
      });
      const isPlain = labels.length === 0;
      // Without labels, reset would report 0.
      const clear = () => (isPlain ? gauge.remove() : gauge.reset());
      clear();
      gauges.set(name, { gauge, clear });
    }
  }

  async function readAll(): Promise<Sample[]> {
    const samples: Sample[] = [];
    // Sequential, to leave connections to the work.
    for (const { read } of clusterReads) samples.push(...(await read(db.query, clock.now())));
    return samples;
  }

  async function read(): Promise<void> {
    const late = pause(readWithinMs, null, { ref: false });
    const samples = await Promise.race([
      readAll().catch((error: unknown) => {
        warn('Could not read gauges from the database.', error);
        return null;
      }),
      late,
    ]);
    readAt = performance.now();
    up.set(samples === null ? 0 : 1);
    for (const { clear } of gauges.values()) clear();
    // Labels may repeat: two back ends of one name.
    for (const [name, value, labels = {}] of samples ?? [])
      gauges.get(name)?.gauge.inc(labels, value);
  }

  function refresh(): Promise<void> {
    if (reading !== null) return reading;
    if (performance.now() - readAt < keptMs) return Promise.resolve();
    reading = read().finally(() => {
      reading = null;
    });
    return reading;
  }
}
