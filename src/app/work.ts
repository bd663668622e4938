// The worker half of a process.
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import type { PgBoss } from 'pg-boss';
import type { Logger } from 'pino';
import type { HomesContext } from '#chat/homes.ts';
import type { InboxContext } from '#chat/inbox/inbox-context.ts';
import { followActivity } from '#chat/outbox/deliver-jobs.ts';
import type { DeliveryContext } from '#chat/outbox/delivery-context.ts';
import { createSealing } from '#db/audit/seals.ts';
import { hasWorker } from '#db/backends.ts';
import { endpointId, storeEndpoints } from '#db/webhooks.ts';
import type { ToolHost } from '#domain/tool.ts';
import { backendsOf, registerBackends } from '#executor/backends.ts';
import { createCrew } from '#executor/crew.ts';
import type { ArgumentDecider } from '#executor/executor-context.ts';
import { jobsOf } from '#jobs/jobs.ts';
import { expireCron, retentionCron, shiftCron } from '#jobs/queues.ts';
import { startRecoveryRound } from '#jobs/recovery-round.ts';
import { runJobs } from '#jobs/run-jobs.ts';
import type { ConversationContext } from '#messages/context.ts';
import { openSender } from '#notices/webhooks/sender.ts';
import type { WebhooksContext } from '#notices/webhooks/work-on-endpoint.ts';
import type { Budget } from '#planner/budget/budget.ts';
import { createReads } from '#planner/reads/open-reads.ts';
import { readWorkspaceId } from '#tools/workspace/workspace-id.ts';
import { type Closers, createClosers } from './closers.ts';
import { auditKeyOf, type Config } from './config.ts';
import { version } from './version.ts';
import type { Instance } from './wire/instance.ts';

const usualRecoverEveryMs = 5000;
/** Tools and database stay open meanwhile. */
const jobsEndWithinMs = 10_000;

function openWebhooks(
  { settings }: Config,
  { db, enqueue, clock, random, linkTo, warn }: ConversationContext,
  closers: Closers,
): WebhooksContext {
  const sender = openSender({ allowPrivate: settings.http.allowPrivate, clock });
  closers.add('the sender of webhooks', sender.close);
  return { db, enqueue, random, endpoints: settings.webhooks, sender, linkTo, warn };
}

type Parts = {
  config: Config;
  log: Logger;
  boss: PgBoss;
  registry: ToolHost;
  conversation: ConversationContext;
  inbox: InboxContext;
  delivery: DeliveryContext;
  homes: HomesContext;
  decide: ArgumentDecider | null;
  budget: Budget;
  recoverEveryMs: number | undefined;
  closers: Closers;
};

type Working = Pick<Instance, 'vitals' | 'drain'>;

/** Registers shutdown with `closers`. @param lasting its webhook settings apply to all */
export async function startWorking(parts: Parts, lasting = true): Promise<Working> {
  const { config, log, boss, registry, conversation, inbox, delivery, homes } = parts;
  const { decide, budget, closers } = parts;
  const { settings } = config;
  const { db, enqueue, catalogue, clock, random, warn } = conversation;
  const callOf = (tenant: string | null) =>
    createReads({
      registry: registry.of(tenant),
      allowed: settings.plannerTools,
      guarded: settings.guardedTools,
      timezone: config.timezone,
    }).call;
  const worker = `${hostname()}:${process.pid}:${randomUUID().slice(0, 8)}`;
  const crew = createCrew(
    {
      db,
      enqueue,
      registry,
      catalogue,
      clock,
      random,
      settings: settings.executor,
      operations: settings.operations,
      guardedTools: settings.guardedTools,
      guardMode: settings.guardMode,
      shared: { retention: settings.retention, resourcePools: settings.resourcePools },
      decide,
      budget,
      timezone: config.timezone,
      publicUrl: config.env.COUNTERSIGN_PUBLIC_URL ?? null,
      warn,
    },
    backendsOf(settings, registry),
    worker,
    conversation.listener,
  );
  closers.add('the leases', async () => crew.letGo());
  // Known from before the first claim to the last handover.
  const registration = await registerBackends(
    crew.context,
    crew.backends,
    // A temporary worker's folder doesn't count.
    { version, workspace: lasting ? await readWorkspaceId(config.workspace) : null },
    crew.lookForWork,
  );
  closers.add('the back ends', registration.withdraw);
  const webhooks = openWebhooks(config, conversation, closers);
  if (lasting)
    await db.transaction((tx) =>
      storeEndpoints(
        tx,
        settings.webhooks.map((one) => ({
          id: endpointId(one),
          url: one.url,
          events: one.events ?? null,
          organisations: one.organisations ?? null,
          shared: one.shared ?? false,
        })),
      ),
    );
  const stopJobs = await runJobs(
    boss,
    jobsOf({
      settings,
      conversation,
      callOf,
      inbox,
      delivery,
      homes,
      webhooks,
      crew,
      home: config.home,
      auditKey: auditKeyOf(config.env),
    }),
    log,
  );
  closers.add('the jobs', async () => {
    // First stop taking jobs, so nothing handed back returns here.
    const stopped = Promise.all([stopJobs(), crew.stop()]);
    await Promise.race([stopped, pause(jobsEndWithinMs, undefined, { ref: false })]);
  });
  const statuses = followActivity(delivery, conversation.listener);
  closers.add('the statuses', statuses.close);
  await boss.schedule('expire', expireCron);
  await boss.schedule('shift', shiftCron);
  await boss.schedule('retention', retentionCron);
  const recovery = startRecoveryRound(
    crew,
    conversation,
    inbox,
    delivery,
    homes,
    webhooks,
    createSealing(db, {
      key: auditKeyOf(config.env),
      clock,
      tell: ({ seq, hash }) => log.info({ seq, hash }, 'Sealed the audit log.'),
    }),
    parts.recoverEveryMs ?? usualRecoverEveryMs,
  );
  closers.add('the recovery round', () => recovery.stop());
  return {
    vitals: () => ({
      leasesQuietMs: crew.leasesQuietMs(),
      beatQuietMs: registration.quietMs(),
      leaseMs: settings.executor.lease_seconds * 1000,
    }),
    drain: crew.drain,
  };
}

const lookEveryMs = 2000;

/** Other workers have the installation's settings. */
export async function workWhenAlone(parts: Parts): Promise<Working> {
  const { log, closers, conversation } = parts;
  const { db, warn } = conversation;
  const own = createClosers(log);
  let working: Working | null = null;
  let timer: NodeJS.Timeout | undefined;
  let round: Promise<void> = Promise.resolve();
  let stopped = false;

  async function look(): Promise<void> {
    if (!(await hasWorker(db.query)))
      working = await startWorking({ ...parts, closers: own }, false);
  }
  function next(): void {
    if (working !== null || stopped) return;
    timer = setTimeout(() => {
      round = again();
    }, lookEveryMs);
  }
  async function again(): Promise<void> {
    await look().catch(async (error: unknown) => {
      warn('Could not start working; retrying.', error);
      await own.closeAll();
    });
    next();
  }

  closers.add('the work', async () => {
    stopped = true;
    clearTimeout(timer);
    await round;
    await own.closeAll();
  });
  await look();
  next();
  return {
    vitals: () => working?.vitals() ?? null,
    drain: async () => working?.drain(),
  };
}
