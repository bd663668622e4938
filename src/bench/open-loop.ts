// Requests at a fixed rate, whatever became of those before: a server that falls behind is not spared, and what counts is the
// time since a request was due, not since it was sent.
import { Agent, request } from 'node:http';
import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises';

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

/** A timer is up to a millisecond late, which would count for the server; the last stretch is looked at turn by turn. */
const timerMs = 2;

async function waitUntil(due: number, signal: AbortSignal): Promise<void> {
  const wait = due - performance.now() - timerMs;
  if (wait > 0) await pause(wait, undefined, { signal });
  while (performance.now() < due) await turn();
}

/**
 * Sends `posts` to `url`, `rate` a second. @returns milliseconds from when each was due until its answer was read
 * @throws for an answer that is not 200
 */
export async function sendAtRate(
  url: string,
  posts: (() => Post)[],
  rate: number,
  signal: AbortSignal,
): Promise<number[]> {
  const agent = new Agent({ keepAlive: true });
  try {
    const began = performance.now() + timerMs;
    const answers: Promise<number>[] = [];
    for (const [at, make] of posts.entries()) {
      signal.throwIfAborted();
      const due = began + (at * 1000) / rate;
      await waitUntil(due, signal);
      const answer = post(url, make(), agent).then((status) => {
        if (status !== 200) throw new Error(`${url} answered ${status}`);
        return performance.now() - due;
      });
      // It is waited for at the end, where it is thrown.
      answer.catch(() => undefined);
      answers.push(answer);
    }
    return await Promise.all(answers);
  } finally {
    agent.destroy();
  }
}
