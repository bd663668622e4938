// Puts the rooms together for one process: database, jobs, models, tools, planner, service; and takes them apart again in order.
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { PgBoss } from 'pg-boss';
import type { Logger } from 'pino';
import type { Config } from '#config';
import { systemClock, systemRandom } from '#contracts/clock.ts';
import { CountersignError } from '#contracts/errors.ts';
import type { PlanStatus } from '#contracts/plan.ts';
import type { Planner } from '#contracts/run.ts';
import type { Service } from '#contracts/service.ts';
import type { JsonObject } from '#contracts/text.ts';
import type { ToolOutput, ToolRegistry } from '#contracts/tool.ts';
import type { ConversationContext } from '#conversation/conversation-context.ts';
import { setReminder } from '#conversation/reminders.ts';
import { createService } from '#conversation/service.ts';
import type { ArgumentDecider, ExecutorContext } from '#executor/executor-context.ts';
import { keepLeases } from '#executor/leases.ts';
import { createSlots } from '#executor/slots.ts';
import { createPlanWorker, type PlanWorker } from '#executor/work-on-plan.ts';
import { cardJob } from '#jobs/card.ts';
import { executeJob } from '#jobs/execute.ts';
import { expireCron, expireJob } from '#jobs/expire.ts';
import { planJob } from '#jobs/plan.ts';
import { queues } from '#jobs/queues.ts';
import { remindJob } from '#jobs/remind.ts';
import { runJobs } from '#jobs/run-jobs.ts';
import { stepJob } from '#jobs/step.ts';
import { startWatch, type Watch } from '#jobs/watch.ts';
import { type ChatModel, createChatModel } from '#models/chat-model.ts';
import { decideArguments } from '#models/decide-arguments.ts';
import { createModelClient, hasModelAccess } from '#models/openai.ts';
import { createTextModel } from '#models/text-model.ts';
import { createPlanner } from '#planner/create-planner.ts';
import { createEnqueue, createQueues, openBoss } from '#store/boss.ts';
import { type Database, openDatabase } from '#store/database.ts';
import { openEmbedded } from '#store/embedded.ts';
import { appendMessage } from '#store/messages.ts';
import { migrate } from '#store/migrate.ts';
import { type Listener, openListener } from '#store/notify.ts';
import { listPlans, readPlan } from '#store/plans.ts';
import { readSpentSince } from '#store/runs.ts';
import { isTransient } from '#store/transient.ts';
import * as times from '#timeline/recurrence.ts';
import { plannerOperations } from '#tools/guard.ts';
import { createRegistry } from '#tools/registry.ts';

export type House = {
  service: Service;
  registry: ToolRegistry;
  planner: Planner;
  db: Database;
  listener: Listener;
  /** Where the database is, in words. */
  database: string;
  /** Ends what is under way, hands back the rest, closes connections. */
  close(): Promise<void>;
};

export type HouseOptions = {
  config: Config;
  log: Logger;
  /** Takes jobs: planners, executors, reminders. */
  work: boolean;
  linkTo: (planId: string) => string | null;
  /** Instead of the one the configuration asks for. */
  planner?: Planner;
  /** Milliseconds between two rounds of recovery; default 5,000. */
  watchEveryMs?: number;
};

const watchEveryMs = 5000;
const poolSize = 12;
/** How long a stopping process waits for planners and other jobs under way; tools and database stay open for them. */
const jobsEndWithinMs = 30_000;

/** Closers in the order of opening; run backwards, each whatever became of the others. */
function createClosers(log: Logger) {
  const closers: { what: string; close: () => Promise<void> }[] = [];
  return {
    add(what: string, close: () => Promise<void>): void {
      closers.push({ what, close });
    },
    async closeAll(): Promise<void> {
      for (const { what, close } of closers.splice(0).reverse()) {
        await close().catch((err: unknown) => log.warn({ err }, `Closing ${what} failed.`));
      }
    },
  };
}

async function openUrl(
  config: Config,
  log: Logger,
): Promise<{ url: string; words: string; close(): Promise<void> }> {
  const { DATABASE_URL } = config.env;
  if (DATABASE_URL !== undefined) {
    const { host, pathname } = new URL(DATABASE_URL);
    return { url: DATABASE_URL, words: `${host}${pathname} (DATABASE_URL)`, close: async () => {} };
  }
  const dir = join(config.home, 'postgres');
  const embedded = await openEmbedded({
    dir,
    log: { info: (text) => log.debug(text), warn: (text) => log.warn(text) },
  });
  return {
    url: embedded.url,
    words: `embedded PostgreSQL in ${dir}`,
    close: () => embedded.close(),
  };
}

/** The database of this configuration, migrated. */
export async function openMigrated(config: Config, log: Logger) {
  const place = await openUrl(config, log);
  try {
    const applied = await migrate(place.url);
    if (applied.length > 0) log.debug({ applied }, 'The database schema is up to date.');
    return { ...place, applied };
  } catch (error) {
    await place.close();
    throw error;
  }
}

function openModels({ env, settings }: Config): { planner: ChatModel; executor: ChatModel } | null {
  const access = { apiKey: env.OPENAI_API_KEY, baseUrl: env.OPENAI_BASE_URL };
  if (!hasModelAccess(access)) return null;
  const client = createModelClient(access);
  const { prices } = settings;
  return {
    planner: createChatModel({ client, name: env.PLANNER_MODEL, prices }),
    executor: createChatModel({ client, name: env.EXECUTOR_MODEL, prices }),
  };
}

async function startWorking(
  { config, log, watchEveryMs: everyMs = watchEveryMs }: HouseOptions,
  boss: PgBoss,
  conversation: ConversationContext,
  decide: ArgumentDecider | null,
): Promise<{ stopWorking: () => Promise<void>; watch: Watch; executor: ExecutorContext }> {
  const { settings } = config;
  const { db, enqueue, registry, clock, random, warn } = conversation;
  const worker = `${hostname()}:${process.pid}:${randomUUID().slice(0, 8)}`;
  const executor: ExecutorContext = {
    db,
    enqueue,
    registry,
    clock,
    random,
    settings: settings.executor,
    guardedTools: settings.guardedTools,
    guardMode: settings.guardMode,
    decide,
    worker,
    timezone: config.timezone,
    leases: keepLeases(db, worker, settings.executor.lease_seconds, warn),
    slots: createSlots(settings.executor.concurrency),
    warn,
  };
  conversation.listener.on('cancel', (topic) => {
    executor.leases.abortPlan(
      topic.slice('cancel:'.length),
      new Error('a person cancelled the plan'),
    );
  });
  const planWorker = createPlanWorker(executor);
  const jobs = jobsOf(config, conversation, executor, planWorker);
  const stopJobs = await runJobs(boss, jobs, log);
  await boss.schedule('expire', expireCron);
  const watch = startWatch(executor, conversation, everyMs);
  const stopWorking = async () => {
    // No more jobs are taken, first of all: what the executor hands back must not come here again.
    const stopped = Promise.race([stopJobs(), pause(jobsEndWithinMs, undefined, { ref: false })]);
    await planWorker.stop();
    await stopped;
  };
  return { stopWorking, watch, executor };
}

function jobsOf(
  { settings }: Config,
  conversation: ConversationContext,
  executor: ExecutorContext,
  worker: PlanWorker,
) {
  return [
    planJob(conversation),
    executeJob(executor),
    stepJob(worker, settings.executor.concurrency),
    cardJob(conversation),
    remindJob(conversation),
    expireJob(conversation, settings.stale_after_days),
  ];
}

/** Midnight UTC: where a day's budget begins. */
function startOfDay(now: Date): Date {
  return new Date(now.toISOString().slice(0, 10));
}

/** What the planner may use: the manifest, reading operations, plans. It can change nothing. */
function plannerTools(registry: ToolRegistry, config: Config, db: Database) {
  const readable = () => plannerOperations(registry, config.settings.plannerTools);
  return {
    manifest: () => registry.list(),
    readable,
    async call(name: string, args: JsonObject, signal: AbortSignal): Promise<ToolOutput> {
      const operation = registry.get(name);
      if (operation === undefined || !readable().some((spec) => spec.name === name)) {
        throw new CountersignError(
          'guarded_operation',
          `${name} is not for planners. Put it into a plan with plan_propose.`,
        );
      }
      const output = await operation.call(args, {
        planId: null,
        stepId: null,
        idempotencyKey: randomUUID(),
        user: 'planner',
        conversation: null,
        timezone: config.timezone,
        signal,
      });
      if ('waitFor' in output)
        throw new CountersignError('guarded_operation', `${name} asks a person; a planner cannot.`);
      return output;
    },
    validate: (name: string, args: JsonObject, unknown?: string[]) =>
      registry.validate(name, args, unknown),
    listPlans: (filter: { status?: PlanStatus[]; limit: number }) => listPlans(db.query, filter),
    getPlan: (id: string) => readPlan(db.query, id),
  };
}

/** What a tool asks of the database. A failure is told without its query, which nobody reading a card can use. */
async function forTool<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof CountersignError) throw cause;
    throw isTransient(cause)
      ? new CountersignError('database_unavailable', 'the database is away; retry it.', { cause })
      : new CountersignError('internal', 'the database refused it.', { cause });
  }
}

/** Opens everything `options` ask for; what was opened is closed again when a part fails. */
export async function openHouse(options: HouseOptions): Promise<House> {
  const closers = createClosers(options.log);
  try {
    return await furnish(options, closers);
  } catch (error) {
    await closers.closeAll();
    throw error;
  }
}

async function furnish(
  options: HouseOptions,
  closers: ReturnType<typeof createClosers>,
): Promise<House> {
  const { config, log, work, linkTo } = options;
  const warn = (message: string, err?: unknown) =>
    log.warn(err === undefined ? {} : { err }, message);
  const place = await openMigrated(config, log);
  closers.add('the database server', place.close);
  const db = openDatabase(place.url, {
    max: poolSize,
    applicationName: 'countersign',
    onError: (error) => warn('A database connection was lost.', error),
  });
  closers.add('the database pool', db.close);
  const boss = await openBoss(place.url, {
    work,
    onError: (error) => warn('pg-boss reported an error.', error),
  });
  closers.add('pg-boss', () => boss.stop({ graceful: true, timeout: 30_000 }));
  await createQueues(boss, queues);
  const enqueue = createEnqueue(boss);
  const listener = await openListener(place.url, (error) =>
    warn('The listening connection was lost.', error),
  );
  closers.add('the listener', listener.close);
  const models = openModels(config);
  const registry = await createRegistry({
    mcpServers: config.settings.mcpServers,
    disabledTools: config.settings.disabledTools,
    workspaceDir: config.workspace,
    http: config.settings.http,
    calendars: config.settings.calendars,
    times,
    clock: systemClock,
    warn,
    reminders: { set: (reminder) => forTool(() => setReminder({ db, enqueue }, reminder)) },
    chat: {
      async post({ conversation, text, once }) {
        const message = { conversation, author: 'bot' as const, name: 'Countersign', text, once };
        await forTool(() => db.transaction((tx) => appendMessage(tx, message)));
      },
    },
    ...(models === null ? {} : { textModel: createTextModel(models.executor) }),
  });
  closers.add('the tools', () => registry.close());
  const { env } = config;
  const planner =
    options.planner ??
    createPlanner({
      tools: plannerTools(registry, config, db),
      model: models?.planner ?? null,
      limits: {
        turns: env.TURN_LIMIT,
        wallSeconds: env.WALL_TIME_SEC,
        perSession: env.BUDGET_PER_SESSION_USD,
        perDay: env.BUDGET_PER_DAY_USD,
      },
      spentToday: () => readSpentSince(db.query, startOfDay(systemClock.now())),
      clock: systemClock,
    });
  const conversation: ConversationContext = {
    db,
    enqueue,
    registry,
    guardedTools: config.settings.guardedTools,
    approvers: config.settings.approvers,
    clock: systemClock,
    random: systemRandom,
    planner,
    executorModel: models === null ? null : env.EXECUTOR_MODEL,
    modes: {
      plan_reasoning_mode: env.PLAN_REASONING_MODE_DEFAULT,
      planning_mode: env.PLANNING_MODE_DEFAULT,
      reasoning_level: env.REASONING_LEVEL_DEFAULT,
    },
    planningSeconds: env.WALL_TIME_SEC,
    timezone: config.timezone,
    listener,
    linkTo,
    warn,
  };
  if (work) {
    const executorModel = models?.executor ?? null;
    const decide: ArgumentDecider | null =
      executorModel === null ? null : (request) => decideArguments(executorModel, request);
    const { stopWorking, watch, executor } = await startWorking(
      options,
      boss,
      conversation,
      decide,
    );
    closers.add('the leases', async () => executor.leases.stop());
    closers.add('the jobs', stopWorking);
    closers.add('the watch', () => watch.stop());
  }
  return {
    service: createService(conversation),
    registry,
    planner,
    db,
    listener,
    database: place.words,
    close: closers.closeAll,
  };
}
