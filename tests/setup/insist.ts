// A client that does not give up: it sends its request with one key until it is answered with what it did.
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';

/** Sends a request with one key until it is answered with what it did, as a careful client does. */
export async function insist<T>({ url }: { url: string }, path: string, body: object): Promise<T> {
  const headers = { 'content-type': 'application/json', 'idempotency-key': randomUUID() };
  for (;;) {
    const answer = await fetch(url + path, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(60_000),
    }).catch(() => null);
    const said: unknown = await answer?.json().catch(() => null);
    // It is what the route answers.
    if (answer?.ok === true && said !== null) return said as T;
    // Anything else would be our own mistake, or one of the gateway.
    if (answer?.ok === false) expect([answer.status, said]).toEqual([503, expect.anything()]);
    await pause(300);
  }
}
