// What a job is: a queue with its options, and a handler that is given a parsed payload.
import type { JobName, JobPayload } from '#contracts/jobs.ts';
import type { QueueSpec } from '#store/boss.ts';

export type Job<N extends JobName> = {
  /** What its payload is. */
  name: N;
  queue: QueueSpec;
  /** Handlers of this queue at once in one process. */
  concurrency: number;
  /** Whoever has ended a job asks for the next at once, and not when the next is sent: many can come with one word. */
  eager?: boolean;
  /** Throws to have the job tried again. */
  handle(payload: JobPayload<N>, signal: AbortSignal): Promise<void>;
};
