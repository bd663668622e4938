// Requests at a fixed rate, timed from when they were due.
import { Agent, request } from 'node:http';
import { Worker } from 'node:worker_threads';
import type { Beat } from './beat.ts';
import { monotonicNow } from './numbers.ts';

export type Post = { body: string; headers: Record<string, string> };

function post(url: string, { body, headers }: Post, agent: Agent): Promise<number> {
  return new Promise((resolve, reject) => {
    const length = { 'content-length': String(Buffer.byteLength(body)) };
    const options = { method: 'POST', agent, headers: { ...headers, ...length } };
    const sent = request(url, options, (response) => {
      response.resume();
      response.once('end', () => resolve(response.statusCode ?? 0));
      response.once('error', reject);
    });
    sent.once('error', reject);
    sent.end(body);
  });
}

/** @throws errors of `act` */
async function onBeats(beat: Beat, signal: AbortSignal, act: (due: number, at: number) => void) {
  signal.throwIfAborted();
  const thread = new Worker(new URL('./beat.ts', import.meta.url), { workerData: beat });
  const ended = Promise.withResolvers<void>();
  const abort = () => ended.reject(signal.reason);
  signal.addEventListener('abort', abort);
  let at = 0;
  thread.once('error', ended.reject);
  thread.on('message', (due: number) => {
    try {
      act(due, at);
    } catch (error) {
      ended.reject(error);
    }
    at += 1;
    if (at === beat.count) ended.resolve();
  });
  try {
    await ended.promise;
  } finally {
    signal.removeEventListener('abort', abort);
    await thread.terminate();
  }
}

/** `rate` a second. @returns milliseconds from due to read @throws unless the status is 200 */
export async function sendAtRate(
  url: string,
  posts: (() => Post)[],
  rate: number,
  signal: AbortSignal,
): Promise<number[]> {
  const agent = new Agent({ keepAlive: true });
  const answers: Promise<number>[] = [];
  try {
    await onBeats({ count: posts.length, rate }, signal, (due, at) => {
      const make = posts[at];
      if (make === undefined) return;
      const answer = post(url, make(), agent).then((status) => {
        if (status !== 200) throw new Error(`${url} answered ${status}`);
        return monotonicNow() - due;
      });
      // Awaited at the end.
      answer.catch(() => undefined);
      answers.push(answer);
    });
    return await Promise.all(answers);
  } finally {
    agent.destroy();
  }
}
