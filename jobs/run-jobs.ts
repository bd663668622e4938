// Registers jobs with pg-boss; parses payloads, logs failures.
import { setTimeout as pause } from 'node:timers/promises';
import type { PgBoss } from 'pg-boss';
import type { z } from 'zod';
import type { QueueSpec } from '#db/boss.ts';
import { type FinishAfter, type JobName, type JobPayload, jobPayloads } from '#domain/jobs.ts';
import { isTraced, span } from '#domain/telemetry.ts';

export type Job<N extends JobName> = {
  name: N;
  queue: QueueSpec;
  /** In one process. */
  concurrency: number;
  /** Across processes, by the sender's person. Default: no limit. */
  perPerson?: number;
  /** Handled concurrently; if one fails, all are retried. Default 1. */
  fetched?: number;
  /** Batches single jobs; a full batch is followed at once. Default 0. */
  restMs?: number;
  /** Trace context; called only while tracing. */
  causeOf?(payload: JobPayload<N>): Promise<string | null>;
  /** Throws for a retry. */
  handle(payload: JobPayload<N>, signal: AbortSignal, finishAfter: FinishAfter): Promise<void>;
};

export type AnyJob = { [N in JobName]: Job<N> }[JobName];

type Log = { error(details: object, message: string): void };

/** A fallback: NOTIFY wakes workers. */
const pollingSeconds = 2;
/** Then they are aborted and retried elsewhere. */
const jobsEndWithinMs = 5000;

/** @returns a function that resolves after the last job */
export async function runJobs(
  boss: PgBoss,
  jobs: AnyJob[],
  log: Log,
): Promise<() => Promise<void>> {
  const ending = new AbortController();
  const under = new Set<Promise<void>>();
  const finishAfter: FinishAfter = (work) => {
    const going = work(ending.signal).finally(() => under.delete(going));
    under.add(going);
  };
  for (const job of jobs) await runJob(boss, job, { log, ending: ending.signal, finishAfter });
  return async () => {
    const cut = setTimeout(() => ending.abort(new Error('this process stops')), jobsEndWithinMs);
    await Promise.all(jobs.map(({ queue }) => boss.offWork(queue.name, { wait: true })));
    await Promise.all(under);
    clearTimeout(cut);
  };
}

type Surroundings = { log: Log; ending: AbortSignal; finishAfter: FinishAfter };

async function runJob<N extends JobName>(
  boss: PgBoss,
  job: Job<N>,
  around: Surroundings,
): Promise<void> {
  // pg-boss wakes by ID and returns only the first one's.
  for (let started = 0; started < job.concurrency; started++) await startWorker(boss, job, around);
}

/** One notification may announce many jobs, and busy workers miss it. */
async function startWorker<N extends JobName>(
  boss: PgBoss,
  job: Job<N>,
  { log, ending, finishAfter }: Surroundings,
): Promise<void> {
  const { queue, fetched = 1, restMs = 0, perPerson } = job;
  let worker: string | undefined;
  worker = await boss.work<unknown>(
    queue.name,
    {
      batchSize: fetched,
      ...(perPerson === undefined ? {} : { groupConcurrency: perPerson }),
      pollingIntervalSeconds: pollingSeconds,
      notifyPollingIntervalSeconds: pollingSeconds,
    },
    async (batch) => {
      // More is waiting after a full batch.
      const rested = restMs === 0 || batch.length >= fetched ? undefined : pause(restMs);
      const handled = batch.map((one) => handleJob(job, one, { log, ending, finishAfter }));
      // All must end before any is retried.
      const failed = (await Promise.allSettled(handled)).find(
        ({ status }) => status === 'rejected',
      );
      await rested;
      if (worker !== undefined) boss.notifyWorker(worker);
      if (failed?.status === 'rejected') throw failed.reason;
    },
  );
}

const parsePayload = <N extends JobName>(name: N, data: unknown) =>
  jobPayloads[name].safeParse(data ?? {}) as z.ZodSafeParseResult<Parameters<Job<N>['handle']>[0]>;

async function handleJob<N extends JobName>(
  { name, queue, handle, causeOf }: Job<N>,
  { id, data, signal }: { id: string; data: unknown; signal: AbortSignal },
  { log, ending, finishAfter }: Surroundings,
): Promise<void> {
  const payload = parsePayload(name, data);
  const parent = isTraced() && payload.success ? ((await causeOf?.(payload.data)) ?? null) : null;
  const attributes = {
    'messaging.system': 'pg-boss',
    'messaging.operation.type': 'process',
    'messaging.destination.name': queue.name,
    'messaging.message.id': id,
  };
  const around = {
    kind: 'consumer',
    parent,
    attributes,
    log: { job: id, queue: queue.name },
  } as const;
  await span('job', `process ${queue.name}`, around, async () => {
    try {
      if (!payload.success) throw payload.error;
      await handle(payload.data, AbortSignal.any([signal, ending]), finishAfter);
    } catch (error) {
      if (!ending.aborted) log.error({ err: error }, `The job ${name} failed.`);
      throw error;
    }
  });
}
