// Jobs end with the process, over a scripted queue.
import type { PgBoss } from 'pg-boss';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { FinishAfter } from '#domain/jobs.ts';
import { type Job, runJobs } from '#jobs/run-jobs.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

type Fetched = { id: string; data: object; signal: AbortSignal };
type Work = (batch: Fetched[]) => Promise<void>;

const slip = (thread: string): Fetched => ({
  id: thread,
  data: { platform: 'slack', tenant: 'T1', thread },
  signal: new AbortController().signal,
});

/** `fetch` hands over a batch as the queue would. */
async function open(handle: Job<'inbox'>['handle'], more: Partial<Job<'inbox'>> = {}) {
  const works: Work[] = [];
  const woken: string[] = [];
  const asked: object[] = [];
  const boss = {
    async work(_queue: string, options: object, work: Work) {
      asked.push(options);
      works.push(work);
      return `w${works.length}`;
    },
    offWork: async () => {},
    notifyWorker: (worker: string) => void woken.push(worker),
  };
  const queue = {
    name: 'inbox-slack',
    policy: 'short',
    retryLimit: 3,
    retryDelay: 1,
    expireInSeconds: 60,
  } as const;
  const job: Job<'inbox'> = { name: 'inbox', queue, concurrency: 1, handle, ...more };
  const errors: string[] = [];
  const log = { error: (_: object, message: string) => void errors.push(message) };
  // Only these three methods of the queue are used.
  const stop = await runJobs(boss as unknown as PgBoss, [job], log);
  const [fetch] = works;
  if (fetch === undefined) throw new Error('open: nobody fetches');
  return { fetch, works, woken, stop, asked, errors };
}

test('what goes on after its job is waited for by a stop, and cut off after five seconds', async () => {
  let cut = false;
  const goingOn = (finishAfter: FinishAfter) =>
    finishAfter(
      (signal) =>
        new Promise((resolve) =>
          signal.addEventListener('abort', () => {
            cut = true;
            resolve();
          }),
        ),
    );
  const { fetch, stop } = await open(async (_thread, _signal, finishAfter) => goingOn(finishAfter));
  await fetch([slip('C1')]);
  let stopped = false;
  const stopping = stop().then(() => {
    stopped = true;
  });
  await vi.advanceTimersByTimeAsync(4999);
  expect({ cut, stopped }).toEqual({ cut: false, stopped: false });
  await vi.advanceTimersByTimeAsync(1);
  await stopping;
  expect({ cut, stopped }).toEqual({ cut: true, stopped: true });
});

test('a batch is over after its rest at the earliest, and begins at once', async () => {
  const handled: string[] = [];
  const { fetch, asked } = await open(async ({ thread }) => void handled.push(thread), {
    fetched: 4,
    restMs: 25,
  });
  expect(asked).toMatchObject([{ batchSize: 4 }]);
  let over = false;
  const batch = fetch([slip('C1'), slip('C2')]).then(() => {
    over = true;
  });
  await vi.advanceTimersByTimeAsync(24);
  expect({ handled, over }).toEqual({ handled: ['C1', 'C2'], over: false });
  await vi.advanceTimersByTimeAsync(1);
  await batch;
  expect(over).toBe(true);
});

test('a full batch has no rest, since more is waiting', async () => {
  const { fetch } = await open(async () => {}, { fetched: 2, restMs: 25 });
  let over = false;
  void fetch([slip('C1'), slip('C2')]).then(() => {
    over = true;
  });
  await vi.advanceTimersByTimeAsync(0);
  expect(over).toBe(true);
});

test('one job that fails fails its batch once all have ended, and is told', async () => {
  const ended: string[] = [];
  const { fetch, errors } = await open(async ({ thread }) => {
    if (thread === 'C1') throw new Error('no');
    await new Promise((resolve) => setTimeout(resolve, 10));
    ended.push(thread);
  });
  const batch = fetch([slip('C1'), slip('C2')]);
  const failed = expect(batch).rejects.toThrow('no');
  await vi.advanceTimersByTimeAsync(10);
  await failed;
  expect(ended).toEqual(['C2']);
  expect(errors).toEqual(['The job inbox failed.']);
});

test('a worker that has ended a job looks for the next at once, whether the job failed or not', async () => {
  const { works, woken } = await open(
    async ({ thread }) => {
      if (thread === 'C2') throw new Error('no');
    },
    { concurrency: 2 },
  );
  const [first, second] = works;
  await first?.([slip('C1')]);
  expect(woken).toEqual(['w1']);
  await expect(second?.([slip('C2')])).rejects.toThrow('no');
  expect(woken).toEqual(['w1', 'w2']);
});
