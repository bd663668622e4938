// Registers the jobs with pg-boss. Payloads are parsed here, at the edge; failures are logged before they are retried.
import { setTimeout as pause } from 'node:timers/promises';
import type { PgBoss } from 'pg-boss';
import type { z } from 'zod';
import type { QueueSpec } from '#db/boss.ts';
import { type GoOn, type JobName, type JobPayload, jobPayloads } from '#domain/jobs.ts';
import { isTraced, span } from '#domain/telemetry.ts';

/** A queue with its options, and a handler that receives a parsed payload. */
export type Job<N extends JobName> = {
  /** What its payload is. */
  name: N;
  queue: QueueSpec;
  /** Handlers of this queue at once in one process. */
  concurrency: number;
  /** Jobs of one person under way at once, in all processes; a job says whose it is when it is sent. No limit unless said. */
  perPerson?: number;
  /**
   * Jobs that are fetched, and noted as done, with one word each; they are handled side by side. One that fails has all of
   * them tried again. 1 unless said.
   */
  fetched?: number;
  /**
   * Milliseconds between two fetches at least, so that jobs that come one by one are fetched together; a batch that was full is
   * followed by the next at once. None unless said.
   */
  restMs?: number;
  /** The trace context of what the job is a consequence of; asked only while traces are made. */
  causeOf?(payload: JobPayload<N>): Promise<string | null>;
  /** Throws to have the job tried again. */
  handle(payload: JobPayload<N>, signal: AbortSignal, goOn: GoOn): Promise<void>;
};

export type AnyJob = { [N in JobName]: Job<N> }[JobName];

type Log = { error(details: object, message: string): void };

/** Polling is only the fallback: NOTIFY wakes those who wait, and after a job its worker fetches again at once. */
const pollingSeconds = 2;
/** What jobs under way are given to end at a stop (milliseconds); then they are cut off, and tried again elsewhere. */
const jobsEndWithinMs = 5000;

/** Starts the workers of `jobs` in this process. @returns what takes no more of them, and ends with the last under way */
export async function runJobs(
  boss: PgBoss,
  jobs: AnyJob[],
  log: Log,
): Promise<() => Promise<void>> {
  const ending = new AbortController();
  const under = new Set<Promise<void>>();
  const goOn: GoOn = (work) => {
    const going = work(ending.signal).finally(() => under.delete(going));
    under.add(going);
  };
  for (const job of jobs) await runJob(boss, job, { log, ending: ending.signal, goOn });
  return async () => {
    const cut = setTimeout(() => ending.abort(new Error('this process stops')), jobsEndWithinMs);
    await Promise.all(jobs.map(({ queue }) => boss.offWork(queue.name, { wait: true })));
    await Promise.all(under);
    clearTimeout(cut);
  };
}

type Surroundings = { log: Log; ending: AbortSignal; goOn: GoOn };

async function runJob<N extends JobName>(
  boss: PgBoss,
  job: Job<N>,
  around: Surroundings,
): Promise<void> {
  // One by one, because pg-boss wakes a worker by its id and tells only that of the first.
  for (let started = 0; started < job.concurrency; started++) await startWorker(boss, job, around);
}

/**
 * A worker that fetches until it finds nothing. Many jobs can come with one notification, which is lost on a worker that is
 * busy, so a worker looks for the next job as soon as one ends.
 */
async function startWorker<N extends JobName>(
  boss: PgBoss,
  job: Job<N>,
  { log, ending, goOn }: Surroundings,
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
      // After a full batch more is waiting: that needs no time to come together.
      const rested = restMs === 0 || batch.length >= fetched ? undefined : pause(restMs);
      const handled = batch.map((one) => handleJob(job, one, { log, ending, goOn }));
      // All have come to an end before any of them can be tried again.
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
  { log, ending, goOn }: Surroundings,
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
      await handle(payload.data, AbortSignal.any([signal, ending]), goOn);
    } catch (error) {
      if (!ending.aborted) log.error({ err: error }, `The job ${name} failed.`);
      throw error;
    }
  });
}
