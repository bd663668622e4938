import { afterEach, expect, test } from 'vitest';
import { openThreads, type Threads } from '#tools/threads.ts';
import { waitFor } from '../../wait.ts';

let threads: Threads<string, string>;
afterEach(() => threads.close());

/** @param module its code; `port` leads to the caller */
function open(module: string, timeoutMs: number): void {
  const code = `import { parentPort as port } from 'node:worker_threads';${module}`;
  threads = openThreads(new URL(`data:text/javascript,${encodeURIComponent(code)}`), {
    ...{ timeoutMs, maxThreads: 1, maxMegabytes: 64, refusal: 'too much' },
  });
}
const answer = "port.postMessage({ ok: true, answer: 'done' });";

test('a thread that breaks after its answer ends nothing but itself', async () => {
  open(
    `port.on('message', () => { ${answer} setTimeout(() => { throw new Error('late'); }, 50); });`,
    20_000,
  );
  const { signal } = new AbortController();
  expect(await threads.ask('a', signal)).toBe('done');
  expect(await waitFor('an answer', () => threads.ask('b', signal))).toBe('done');
});

test('who waits for a thread and gives up does not wait for those before', async () => {
  open("port.on('message', () => {});", 20_000);
  const [first, second] = [new AbortController(), new AbortController()];
  const busy = threads.ask('a', first.signal);
  const next = threads.ask('b', second.signal);
  second.abort();
  await expect(next).rejects.toMatchObject({ code: 'cancelled' });
  first.abort();
  await expect(busy).rejects.toMatchObject({ code: 'cancelled' });
});

test('a thread that fills array buffers is ended, even while it never yields', async () => {
  open(
    "port.on('message', () => { const all = []; for (;;) if (all.length < 200) all.push(new Uint8Array(1e6)); });",
    5000,
  );
  await expect(threads.ask('a', new AbortController().signal)).rejects.toMatchObject({
    code: 'tool_failed',
    cause: { message: 'more than 64 MB of memory' },
  });
});
