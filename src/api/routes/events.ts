// Event streams: the changes of a plan and the messages of a conversation as they happen, from any place on.
import type { FastifyReply } from 'fastify';
import { answers, text } from '../answers.ts';
import type { ApiContext, Routes } from '../context.ts';
import { tags } from '../openapi.ts';
import { ConversationPath, PlanPath, StreamHeaders, StreamQuery } from '../requests.ts';
import { type EventStreamOptions, placeEvents, streamEvents } from '../sse.ts';

const media = 'text/event-stream';

function sendEvents<T>(
  reply: FastifyReply,
  { closing, heartbeatMs }: ApiContext,
  source: Pick<EventStreamOptions<T>, 'watch' | 'toEvents'>,
): FastifyReply {
  return (
    reply
      .header('content-type', media)
      .header('x-accel-buffering', 'no')
      // The connection ends with the stream, so that a closing server does not wait for it.
      .header('connection', 'close')
      .send(streamEvents({ ...source, closing, heartbeatMs, log: reply.log }))
  );
}

export const eventRoutes: Routes = async (app, context) => {
  const { service } = context;

  app.get(
    '/api/plans/:id/events',
    {
      exposeHeadRoute: false,
      config: { endless: true },
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
      await service.getPlan(id);
      return sendEvents(reply, context, {
        watch: (signal) => service.watchPlan(id, since, signal),
        toEvents: (batch) => placeEvents('change', batch, (change) => change.revision),
      });
    },
  );

  app.get(
    '/api/conversations/:id/events',
    {
      exposeHeadRoute: false,
      config: { endless: true },
      schema: {
        operationId: 'watchConversation',
        tags: [tags.conversations],
        summary: 'Messages as they are said',
        description:
          'Events named `message`: the id is the message’s, the data is a Message. Without a place it begins with the first message.',
        params: ConversationPath,
        querystring: StreamQuery,
        headers: StreamHeaders,
        response: answers({ 200: text('The stream; it stays open.', media) }),
      },
    },
    async (request, reply) => {
      const { id } = request.params;
      const after = request.headers['last-event-id'] ?? request.query.since ?? 0;
      return sendEvents(reply, context, {
        watch: (signal) => service.watchConversation(id, after, signal),
        toEvents: (batch) => placeEvents('message', batch, (message) => message.id),
      });
    },
  );
};
