// The HTTP side of a process: the API, the console, and the text shown once it is ready.
import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { registerConsole } from '#adapters/console/routes.ts';
import { createServer } from '#api/server.ts';
import { readAuditState, readLastSeal } from '#db/audit-seals.ts';
import { readBackends } from '#db/backends.ts';
import type { Database } from '#db/database.ts';
import { diskFullWords } from '#db/disk.ts';
import { readPools } from '#db/sql/resources.ts';
import { causeOf } from '#db/transient.ts';
import { CountersignError } from '#domain/errors.ts';
import { StepStatus } from '#domain/plan/plan.ts';
import { isEveryHost } from '#domain/public-url.ts';
import { countOf } from '#domain/words.ts';
import { readModelAccess } from '#models/access.ts';
import type { Config } from './config.ts';
import { droppedLines } from './log-sink.ts';
import { createSettingsFacts } from './settings-facts.ts';
import { version } from './version.ts';
import type { Instance } from './wire.ts';

/** Milliseconds after which a database that says nothing counts as away for `/readyz`. */
const answerWithinMs = 5000;

async function askDatabase(db: Instance['db']): Promise<string> {
  await db.query.execute(sql`select 1`);
  return (await db.isDiskFull()) ? diskFullWords : 'ok';
}

async function readiness({ db, registry }: Instance) {
  const asked = askDatabase(db).catch((error: unknown) => `not reachable: ${causeOf(error)}`);
  const silent = pause(answerWithinMs, `no answer within ${answerWithinMs / 1000} s`, {
    ref: false,
  });
  const database = await Promise.race([asked, silent]);
  const tools = registry.status().filter(({ ok }) => !ok);
  return {
    ready: database === 'ok',
    parts: {
      database,
      tools:
        tools.length === 0
          ? 'ok'
          : tools.map(({ tool, reason }) => `${tool}: ${reason ?? 'down'}`).join('; '),
    },
  };
}

/** Listens; the answer's `port` is the one that was taken. @throws `invalid_configuration` when the port is in use */
export async function serve(
  instance: Instance,
  config: Config,
  log: Logger,
): Promise<{ app: FastifyInstance; port: number }> {
  const { env } = config;
  const app = await createServer({
    service: instance.service,
    log,
    doors: env.COUNTERSIGN_API_TOKEN === undefined ? {} : { apiToken: env.COUNTERSIGN_API_TOKEN },
    requestsPerMinute: env.API_REQUESTS_PER_MINUTE,
    version,
    readiness: () => readiness(instance),
    settings: createSettingsFacts(config, instance, log),
    metrics: createMetrics(instance.db),
  });
  try {
    await registerConsole(app, { timezone: config.timezone });
    await instance.slack?.receive(app, instance.receive);
    await instance.teams?.receive(app, { receive: instance.receive, wait: instance.wait });
    await app.listen({ host: env.HOST, port: env.PORT });
  } catch (cause) {
    await app.close();
    if (cause instanceof Error && 'code' in cause && cause.code === 'EADDRINUSE') {
      throw new CountersignError(
        'invalid_configuration',
        `PORT: ${env.PORT} is taken on ${env.HOST}. Stop what listens there or set PORT to another one.`,
        { cause },
      );
    }
    throw cause;
  }
  const address = app.server.address();
  return { app, port: typeof address === 'object' && address !== null ? address.port : env.PORT };
}

function describeSlack({ slack }: Config): string {
  if (slack === null) return 'not set up: docs/slack.md says how';
  const { transport, workspaces } = slack;
  const way = transport.kind === 'socket' ? 'in Socket Mode' : 'listens for Slack at /slack/events';
  return workspaces.kind === 'one' ? way : `${way}; workspaces add it at ${workspaces.installAt}`;
}

function describeTeams({ teams, env }: Config): string {
  if (teams === null) return 'not set up: docs/teams.md says how';
  return teams.kind === 'Local'
    ? `listens at /api/messages without a token, for a Teams client on this machine (${env.HOST})`
    : 'listens for Teams at /api/messages';
}

/** What stands in the terminal once the bot is up. */
export function banner(instance: Instance, config: Config, url: string, seconds: number): string {
  const { env } = config;
  const tools = instance.registry.status();
  const operations = tools.reduce((sum, { operations }) => sum + operations, 0);
  const down = tools.filter(({ ok }) => !ok);
  const rows: [string, string][] = [
    ['Console', isEveryHost(env.HOST) ? `${url}, and every other address of this machine` : url],
    ['Database', instance.database],
    [
      'Model',
      readModelAccess(env) === null
        ? 'none: the offline planner drafts plans. Set OPENAI_API_KEY for a model.'
        : `${env.PLANNER_MODEL} plans, ${env.EXECUTOR_MODEL} decides run-time arguments`,
    ],
    ['Tools', `${countOf(operations, 'operation')}: ${tools.map(({ tool }) => tool).join(', ')}`],
    ...down.map(({ tool, reason }): [string, string] => [
      '',
      `${tool} is down: ${reason ?? 'no reason given'}`,
    ]),
    ['Workspace', config.workspace],
    [
      'Settings',
      config.settingsFile.found ? config.settingsFile.path : `none (see countersign.example.json)`,
    ],
    ['Slack', describeSlack(config)],
    ['Teams', describeTeams(config)],
    ['Terminal', 'npx countersign ask "Create notes/hello.md saying Hello"'],
  ];
  const lines = rows.map(([name, text]) => `  ${name.padEnd(12)} ${text}`);
  return `\n  Countersign ${version} is ready (${seconds.toFixed(1)} s)\n\n${lines.join('\n')}\n\n  Ctrl-C stops it; plans and their progress are kept.\n`;
}

// What Prometheus can read: the process, HTTP, plans and steps by status, back ends and resource pools from the database.
function createMetrics(db: Database): Registry {
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
    name: 'countersign_audit_seal',
    help: 'The last seal of the audit log, by the hash to keep elsewhere; its number is the value.',
    labelNames: ['hash'],
    registers: [register],
    async collect() {
      this.reset();
      const last = await readLastSeal(db.query);
      if (last !== null) this.set({ hash: last.hash }, last.seq);
    },
  });
  new Gauge({
    name: 'countersign_audit_unsealed_rows',
    help: 'Rows of the audit log that are not sealed yet, counted up to 10,000.',
    registers: [register],
    async collect() {
      this.set((await readAuditState(db.query)).unsealed);
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
