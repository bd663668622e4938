// Resumable event streams of plans and conversations.
import { once } from 'node:events';
import { PassThrough, type Readable } from 'node:stream';
import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify';
import { routesOf, text } from '../answers.ts';
import type { ApiContext, Routes } from '../context.ts';
import {
  ConversationPath,
  ConversationStreamQuery,
  PlanPath,
  StreamHeaders,
  StreamQuery,
} from '../queries.ts';

const route = routesOf('plans');
const ofConversation = routesOf('conversations');

// `@fastify/sse` leaks sources if a client leaves during `drain`, and sends heartbeats without readers.

/** Without an ID the client's position stays. */
type ServerEvent = { id?: number; event: string; data: unknown };

type Source = (signal: AbortSignal) => AsyncIterable<ServerEvent[]>;

type EventStreamOptions = {
  /** Sent as one stream, which ends with the first of them. */
  sources: Source[];
  closing: AbortSignal;
  heartbeatMs: number;
  recheckMs: number;
  isStillLetIn(): Promise<boolean>;
  log: FastifyBaseLogger;
};

const retry = 2000;

function formatEvent({ id, event, data }: ServerEvent): string {
  const place = id === undefined ? '' : `id: ${id}\n`;
  // JSON has no line breaks.
  return `${place}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** Must not throw; faults are logged and end it. */
function streamEvents({ sources, ...options }: EventStreamOptions): Readable {
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
        options.log.error({ err: error }, 'could not check whether a stream may continue'),
    );
  }, options.recheckMs);
  out.once('close', () => {
    clearInterval(heartbeat);
    clearInterval(recheck);
    left.abort();
  });
  signal.addEventListener('abort', () => out.end(), { once: true });
  out.write(`retry: ${retry}\n\n`);
  for (const source of sources)
    void pump(source, out, signal, options.log).finally(() => left.abort());
  return out;
}

async function pump(
  source: Source,
  out: PassThrough,
  signal: AbortSignal,
  log: FastifyBaseLogger,
): Promise<void> {
  try {
    for await (const events of source(signal)) {
      for (const event of events) {
        if (signal.aborted) return;
        if (!out.write(formatEvent(event))) await once(out, 'drain', { signal });
      }
    }
  } catch (error) {
    // Clients reconnect after a fault.
    if (!signal.aborted) log.error({ err: error }, 'an event stream broke off');
  }
}

async function* toEvents<T>(
  batches: AsyncIterable<T[]>,
  write: (batch: T[]) => ServerEvent[],
): AsyncGenerator<ServerEvent[]> {
  for await (const batch of batches) yield write(batch);
}

/** Only the last event of a revision moves the client's position. */
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

function sendEvents(
  request: FastifyRequest,
  reply: FastifyReply,
  { closing, heartbeatMs, recheckMs }: ApiContext,
  ...sources: Source[]
): FastifyReply {
  return (
    reply
      .header('content-type', media)
      .header('x-accel-buffering', 'no')
      // Closing would wait for the connection.
      .header('connection', 'close')
      .send(
        streamEvents({
          sources,
          closing,
          heartbeatMs,
          recheckMs,
          isStillLetIn: () => request.isStillLetIn(),
          log: reply.log,
        }),
      )
  );
}

const plansOf =
  ({ service }: FastifyRequest): Source =>
  (signal) =>
    toEvents(service.watchInbox({}, signal), (batch) =>
      batch.map((data) => ({ event: 'plans', data })),
    );

export const eventRoutes: Routes = async (app, context) => {
  app.get(
    '/api/plans/:id/events',
    {
      ...route('viewer', 'plan', 'watchPlan', "Stream a plan's changes", {
        config: { endless: true },
        description:
          'Events named `change`: the ID is the revision, the data is a Change. Begins with the first change by default.',
        params: PlanPath,
        querystring: StreamQuery,
        headers: StreamHeaders,
        response: { 200: text('The stream; it stays open.', media) },
      }),
      exposeHeadRoute: false,
    },
    async (request, reply) => {
      const { id } = request.params;
      const since = request.headers['last-event-id'] ?? request.query.since ?? 0;
      // First, so unknown plans are problems, not empty streams.
      await request.service.getPlan(id);
      return sendEvents(request, reply, context, (signal) =>
        toEvents(request.service.watchPlan(id, since, signal), (batch) =>
          placeEvents('change', batch, (change) => change.revision),
        ),
      );
    },
  );

  app.get(
    '/api/inbox/events',
    {
      ...route('viewer', 'list', 'watchInbox', 'Stream which plans change', {
        config: { endless: true },
        description:
          'Events named `plans`, at most one a second: the data has `plans`, each with its `id` and whether it `moved`, by more than the progress of its steps; null: any may have changed. Begins with the next change.',
        response: { 200: text('The stream; it stays open.', media) },
      }),
      exposeHeadRoute: false,
    },
    (request, reply) => sendEvents(request, reply, context, plansOf(request)),
  );

  app.get(
    '/api/conversations/:id/events',
    {
      ...ofConversation('viewer', 'conversation', 'watchConversation', 'Stream messages', {
        config: { endless: true },
        description:
          'Events named `message`: the ID is the message’s, the data is a Message. Begins with the first message by default. Events named `planning` have no ID: the data is the current planning (`run_id`, `turn`, `activity`) or null, at once and on each change. With `plans`, also the events of `/api/inbox/events`.',
        params: ConversationPath,
        querystring: ConversationStreamQuery,
        headers: StreamHeaders,
        response: { 200: text('The stream; it stays open.', media) },
      }),
      exposeHeadRoute: false,
    },
    async (request, reply) => {
      const { id } = request.params;
      const after = request.headers['last-event-id'] ?? request.query.since ?? 0;
      // First, so others' conversations are problems, not empty streams.
      await request.service.activityIn(id);
      const happenings: Source = (signal) =>
        toEvents(request.service.watchConversation(id, after, signal), (batch) =>
          batch.map((happened) =>
            happened.kind === 'message'
              ? { id: happened.message.id, event: 'message', data: happened.message }
              : { event: 'planning', data: happened.planning },
          ),
        );
      const others = request.query.plans ? [plansOf(request)] : [];
      return sendEvents(request, reply, context, happenings, ...others);
    },
  );
};
