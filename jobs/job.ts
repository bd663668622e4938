// A job: a queue with its options, and a handler that receives a parsed payload.
import type { QueueSpec } from '#db/boss.ts';
import type { JobName, JobPayload } from '#domain/jobs.ts';

/**
 * Goes on with `work` after the job is done: nobody fetches it again, and no fetcher waits for it. A stop waits for it as for a
 * job, and then aborts its signal. It must not throw.
 */
export type GoOn = (work: (signal: AbortSignal) => Promise<void>) => void;

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
  /** Throws to have the job tried again. */
  handle(payload: JobPayload<N>, signal: AbortSignal, goOn: GoOn): Promise<void>;
};
