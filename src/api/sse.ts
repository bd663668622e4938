// Server-sent events from a watch: resumable, with heartbeats, no faster than the client reads, gone when either side goes.
//
// `@fastify/sse` was considered: a client that leaves while a write waits for `drain` leaves its source running for ever,
// and heartbeats are written whether or not anybody reads.
import { once } from 'node:events';
import { PassThrough, type Readable } from 'node:stream';
import type { FastifyBaseLogger } from 'fastify';

/** One event. Without an id the client's place in the stream stays where it was. */
export type ServerEvent = { id?: number; event: string; data: unknown };

export type EventStreamOptions<T> = {
  /** Batches as they come, until the signal aborts. */
  watch(signal: AbortSignal): AsyncIterable<T[]>;
  toEvents(batch: T[]): ServerEvent[];
  /** Aborts when the server closes. */
  closing: AbortSignal;
  heartbeatMs: number;
  log: FastifyBaseLogger;
};

/** Milliseconds a browser waits before it comes back. */
const retry = 2000;

function formatEvent({ id, event, data }: ServerEvent): string {
  const place = id === undefined ? '' : `id: ${id}\n`;
  // JSON has no line breaks of its own, so one data line is enough.
  return `${place}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** The body of an event stream; its first bytes come at once. Must not throw; faults are logged and end the stream. */
export function streamEvents<T>(options: EventStreamOptions<T>): Readable {
  const out = new PassThrough();
  const left = new AbortController();
  const signal = AbortSignal.any([left.signal, options.closing]);
  const heartbeat = setInterval(() => {
    if (!signal.aborted && !out.writableNeedDrain) out.write(': heartbeat\n\n');
  }, options.heartbeatMs);
  out.once('close', () => {
    clearInterval(heartbeat);
    left.abort();
  });
  signal.addEventListener('abort', () => out.end(), { once: true });
  out.write(`retry: ${retry}\n\n`);
  void pump(options, out, signal);
  return out;
}

async function pump<T>(
  { watch, toEvents, log }: EventStreamOptions<T>,
  out: PassThrough,
  signal: AbortSignal,
): Promise<void> {
  try {
    for await (const batch of watch(signal)) {
      for (const event of toEvents(batch)) {
        if (signal.aborted) return;
        if (!out.write(formatEvent(event))) await once(out, 'drain', { signal });
      }
    }
  } catch (error) {
    // An abort is how these streams end; anything else is a fault, after which clients come back by themselves.
    if (!signal.aborted) log.error({ err: error }, 'an event stream broke off');
  } finally {
    if (!out.writableEnded) out.end();
  }
}

/**
 * Events of changes that carry a revision each. Several changes can share one; only the last of
 * them moves the client's place, so that a connection lost in between misses none.
 */
export function placeEvents<T>(
  event: string,
  batch: T[],
  placeOf: (item: T) => number,
): ServerEvent[] {
  return batch.map((data, index) => {
    const next = batch[index + 1];
    const id = placeOf(data);
    return next !== undefined && placeOf(next) === id ? { event, data } : { id, event, data };
  });
}
