// Registers the jobs with pg-boss. Payloads are parsed here, at the edge; failures are logged before they are retried.
import { setTimeout as pause } from 'node:timers/promises';
import type { PgBoss } from 'pg-boss';
import { type JobName, jobPayloads } from '#domain/jobs.ts';
import type { GoOn, Job } from './job.ts';

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

type AnyJob = { [N in JobName]: Job<N> }[JobName];

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
 * busy, so whoever has ended a job looks for the next at once.
 */
async function startWorker<N extends JobName>(
  boss: PgBoss,
  job: Job<N>,
  { log, ending, goOn }: Surroundings,
): Promise<void> {
  const { name, queue, fetched = 1, restMs = 0, perPerson } = job;
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
      const handled = batch.map(async ({ id, data, signal }) => {
        try {
          await job.handle(
            jobPayloads[name].parse(data ?? {}) as Parameters<Job<N>['handle']>[0],
            AbortSignal.any([signal, ending]),
            goOn,
          );
        } catch (error) {
          if (!ending.aborted)
            log.error({ err: error, job: id, queue: queue.name }, `The job ${name} failed.`);
          throw error;
        }
      });
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
