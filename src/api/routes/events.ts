// Event streams: the changes of a plan and the messages of a conversation as they happen, from any place on; and which plans change.
import { once } from 'node:events';
import { PassThrough, type Readable } from 'node:stream';
import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify';
import { answers, text } from '../answers.ts';
import type { ApiContext, Routes } from '../context.ts';
import { tags } from '../openapi.ts';
import { ConversationPath, PlanPath, StreamHeaders, StreamQuery } from '../requests.ts';

// Server-sent events from a watch: resumable, with heartbeats, no faster than the client reads, gone when either side goes.
//
// `@fastify/sse` was considered: a client that leaves while a write waits for `drain` leaves its source running for ever,
// and heartbeats are written whether or not anybody reads.

/** One event. Without an id the client's place in the stream stays where it was. */
type ServerEvent = { id?: number; event: string; data: unknown };

type EventStreamOptions<T> = {
  /** Batches as they come, until the signal aborts. */
  watch(signal: AbortSignal): AsyncIterable<T[]>;
  toEvents(batch: T[]): ServerEvent[];
  /** Aborts when the server closes. */
  closing: AbortSignal;
  heartbeatMs: number;
  recheckMs: number;
  /** Whether the reader is still let in. */
  isStillLetIn(): Promise<boolean>;
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
function streamEvents<T>(options: EventStreamOptions<T>): Readable {
  const out = new PassThrough();
  const left = new AbortController();
  const signal = AbortSignal.any([left.signal, options.closing]);
  const heartbeat = setInterval(() => {
    if (!signal.aborted && !out.writableNeedDrain) out.write(': heartbeat\n\n');
  }, options.heartbeatMs);
  const recheck = setInterval(() => {
    void options.isStillLetIn().then(
      (still) => {
        if (!still) left.abort();
      },
      (error: unknown) =>
        options.log.error({ err: error }, 'nobody could see whether a stream may go on'),
    );
  }, options.recheckMs);
  out.once('close', () => {
    clearInterval(heartbeat);
    clearInterval(recheck);
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

const media = 'text/event-stream';

function sendEvents<T>(
  request: FastifyRequest,
  reply: FastifyReply,
  { closing, heartbeatMs, recheckMs }: ApiContext,
  source: Pick<EventStreamOptions<T>, 'watch' | 'toEvents'>,
): FastifyReply {
  return (
    reply
      .header('content-type', media)
      .header('x-accel-buffering', 'no')
      // The connection ends with the stream, so that a closing server does not wait for it.
      .header('connection', 'close')
      .send(
        streamEvents({
          ...source,
          closing,
          heartbeatMs,
          recheckMs,
          isStillLetIn: () => request.isStillLetIn(),
          log: reply.log,
        }),
      )
  );
}

export const eventRoutes: Routes = async (app, context) => {
  app.get(
    '/api/plans/:id/events',
    {
      config: { role: 'viewer', subject: 'plan', endless: true },
      exposeHeadRoute: false,
      schema: {
        operationId: 'watchPlan',
        tags: [tags.plans],
        summary: 'Changes as they happen',
        description:
          'Events named `change`: the id is the revision, the data is a Change. Without a place it begins with the first change.',
        params: PlanPath,
        querystring: StreamQuery,
        headers: StreamHeaders,
        response: answers({ 200: text('The stream; it stays open.', media) }, ['plan_not_found']),
      },
    },
    async (request, reply) => {
      const { id } = request.params;
      const since = request.headers['last-event-id'] ?? request.query.since ?? 0;
      // Before the stream begins, so that an unknown plan is a problem and not an empty stream.
      await request.service.getPlan(id);
      return sendEvents(request, reply, context, {
        watch: (signal) => request.service.watchPlan(id, since, signal),
        toEvents: (batch) => placeEvents('change', batch, (change) => change.revision),
      });
    },
  );

  app.get(
    '/api/inbox/events',
    {
      config: { role: 'viewer', subject: 'list', endless: true },
      exposeHeadRoute: false,
      schema: {
        operationId: 'watchInbox',
        tags: [tags.plans],
        summary: 'Which plans change, as they do',
        description:
          'Events named `plans`, at most one a second: the data has `plans`, each with its `id` and whether it `moved`, by more than the progress of its steps; null: any may have changed. It begins with what changes from now on.',
        response: answers({ 200: text('The stream; it stays open.', media) }),
      },
    },
    (request, reply) =>
      sendEvents(request, reply, context, {
        watch: (signal) => request.service.watchInbox({}, signal),
        toEvents: (batch) => batch.map((data) => ({ event: 'plans', data })),
      }),
  );

  app.get(
    '/api/conversations/:id/events',
    {
      config: { role: 'viewer', subject: 'conversation', endless: true },
      exposeHeadRoute: false,
      schema: {
        operationId: 'watchConversation',
        tags: [tags.conversations],
        summary: 'Messages as they are said',
        description:
          'Events named `message`: the id is the message’s, the data is a Message. Without a place it begins with the first message. Events named `planning` have no id: the data is what is being planned there (`run_id`, `turn`, `activity`), at once and when it changes; null: nothing is.',
        params: ConversationPath,
        querystring: StreamQuery,
        headers: StreamHeaders,
        response: answers({ 200: text('The stream; it stays open.', media) }),
      },
    },
    async (request, reply) => {
      const { id } = request.params;
      const after = request.headers['last-event-id'] ?? request.query.since ?? 0;
      // Before the stream begins, so that one of another organisation is a problem and not an empty stream.
      await request.service.activityIn(id);
      return sendEvents(request, reply, context, {
        watch: (signal) => request.service.watchConversation(id, after, signal),
        toEvents: (batch) =>
          batch.map((happened) =>
            happened.kind === 'message'
              ? { id: happened.message.id, event: 'message', data: happened.message }
              : { event: 'planning', data: happened.planning },
          ),
      });
    },
  );
};
