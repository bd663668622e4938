// Repeats a request with one key until it gets the result.
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';

export async function insist<T>({ url }: { url: string }, path: string, body: object): Promise<T> {
  const headers = { 'content-type': 'application/json', 'idempotency-key': randomUUID() };
  for (;;) {
    const answer = await fetch(url + path, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(60_000),
    }).catch(() => null);
    const reply: unknown = await answer?.json().catch(() => null);
    if (answer?.ok === true && reply !== null) return reply as T;
    // Anything else is a bug.
    if (answer?.ok === false) expect([answer.status, reply]).toEqual([503, expect.anything()]);
    await pause(300);
  }
}
