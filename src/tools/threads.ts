// Processes outside input in threads, terminated when slow or large.
import { Worker } from 'node:worker_threads';
import { CountersignError, type ErrorCode } from '#domain/errors.ts';
import { throwIfAborted, toAbortError } from './failures.ts';

export type ThreadAnswer<Answer> =
  | { ok: true; answer: Answer }
  | { ok: false; code: ErrorCode; message: string };

export type Threads<Request, Answer> = {
  /** @throws the thread's CountersignError; `tool_failed` if it is too slow, too large or ends */
  ask(request: Request, signal: AbortSignal): Promise<Answer>;
  close(): Promise<void>;
};

/** `maxMegabytes`: heap and array buffers of a thread. `refusal`: the error beyond a limit. */
type Options = { timeoutMs: number; maxThreads: number; maxMegabytes: number; refusal: string };

const memoryCheckMs = 100;

export function openThreads<Request, Answer>(
  module: URL,
  options: Options,
): Threads<Request, Answer> {
  const { maxThreads, maxMegabytes } = options;
  const all = new Set<Worker>();
  const idle: Worker[] = [];
  const waiting: (() => void)[] = [];
  let busy = 0;
  const start = () => {
    const worker = new Worker(module, { resourceLimits: { maxOldGenerationSizeMb: maxMegabytes } });
    // An idle thread keeps no process alive.
    worker.unref();
    all.add(worker);
    // An error between messages would end the process; the exit follows it.
    worker.on('error', () => {});
    worker.once('exit', () => {
      all.delete(worker);
      const at = idle.indexOf(worker);
      if (at !== -1) idle.splice(at, 1);
    });
    return worker;
  };
  const waitForThread = async (signal: AbortSignal) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const abort = () => {
      const at = waiting.indexOf(resolve);
      if (at !== -1) waiting.splice(at, 1);
      reject(toAbortError(signal));
    };
    waiting.push(resolve);
    signal.addEventListener('abort', abort, { once: true });
    await promise.finally(() => signal.removeEventListener('abort', abort));
  };
  return {
    async ask(request, signal) {
      throwIfAborted(signal);
      while (busy >= maxThreads) await waitForThread(signal);
      busy += 1;
      const worker = idle.pop() ?? start();
      try {
        throwIfAborted(signal);
        const answer = await exchange<Answer>(worker, request, signal, options);
        idle.push(worker);
        if (answer.ok) return answer.answer;
        throw new CountersignError(answer.code, answer.message);
      } finally {
        if (!idle.includes(worker)) void worker.terminate();
        busy -= 1;
        waiting.shift()?.();
      }
    },
    async close() {
      idle.length = 0;
      await Promise.all([...all].map((worker) => worker.terminate()));
    },
  };
}

async function exchange<Answer>(
  worker: Worker,
  request: unknown,
  signal: AbortSignal,
  { timeoutMs, maxMegabytes, refusal }: Options,
): Promise<ThreadAnswer<Answer>> {
  const { promise, resolve, reject } = Promise.withResolvers<ThreadAnswer<Answer>>();
  const fail = (cause: unknown) => reject(new CountersignError('tool_failed', refusal, { cause }));
  const abort = () => reject(toAbortError(signal));
  const timer = setTimeout(() => fail(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
  // `resourceLimits` leaves out array buffers. A thread that ends meanwhile is reported by its exit.
  const checkMemory = () =>
    worker.getHeapStatistics().then(
      ({ used_heap_size: heap, external_memory: buffers }) => {
        if (heap + buffers > maxMegabytes * 1e6)
          fail(new Error(`more than ${maxMegabytes} MB of memory`));
      },
      () => {},
    );
  const memoryTimer = setInterval(() => void checkMemory(), memoryCheckMs);
  worker.ref();
  worker.once('message', resolve).once('error', fail).once('exit', fail);
  signal.addEventListener('abort', abort, { once: true });
  try {
    worker.postMessage(request);
    return await promise;
  } finally {
    clearTimeout(timer);
    clearInterval(memoryTimer);
    signal.removeEventListener('abort', abort);
    worker.off('message', resolve).off('error', fail).off('exit', fail).unref();
  }
}
