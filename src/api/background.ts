// Background requests are served one at a time, so that people never queue behind pages that refresh themselves. A request says so
// by `Priority: u=7`, which RFC 9218 reserves for tasks whose delay nobody notices.
import type { FastifyInstance, FastifyRequest } from 'fastify';

const background = /(?:^|[,\s])u=7(?:$|[,;\s])/;

function isBackground({ method, headers, routeOptions }: FastifyRequest): boolean {
  const { priority } = headers;
  return (
    method === 'GET' &&
    routeOptions.config.endless !== true &&
    typeof priority === 'string' &&
    background.test(priority)
  );
}

/** Must come before the routes. A request gives its turn up once its answer is made, or its client has left. */
export function queueBackground(app: FastifyInstance): void {
  let last = Promise.resolve();
  const turns = new WeakMap<FastifyRequest, () => void>();

  app.addHook('preHandler', async (request, reply) => {
    if (!isBackground(request)) return;
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    const before = last;
    last = before.then(() => ended);
    turns.set(request, end);
    reply.raw.once('close', end);
    await before;
  });
  app.addHook('onSend', async (request, _reply, payload) => {
    turns.get(request)?.();
    return payload;
  });
}
