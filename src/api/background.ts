// Serves background requests one at a time, after people's requests or 250 ms, so that people never queue behind self-refreshing pages. They are
// marked by `Priority: u=7`, reserved by RFC 9218 for tasks whose delay goes unnoticed.
import type { FastifyInstance, FastifyRequest } from 'fastify';

const background = /(?:^|[,\s])u=7(?:$|[,;\s])/;

/** Milliseconds that a background request whose turn has come waits for those of people, so that it does not wait for ever. */
const defaultMaxWaitMs = 250;

function isBackground({ method, headers: { priority } }: FastifyRequest): boolean {
  return method === 'GET' && typeof priority === 'string' && background.test(priority);
}

/** Must come before the routes. A request counts until its answer is made, or its client has left. */
export function queueBackground(app: FastifyInstance, maxWaitMs = defaultMaxWaitMs): void {
  const ends = new WeakMap<FastifyRequest, () => void>();
  let last = Promise.resolve();
  /** Requests of people that are being served. */
  let urgent = 0;
  let onQuiet = () => {};

  async function untilQuiet(): Promise<void> {
    if (urgent === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, maxWaitMs);
    onQuiet = resolve;
    await promise;
    clearTimeout(timer);
  }

  app.addHook('preHandler', async (request, reply) => {
    if (request.routeOptions.config.endless === true) return;
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    ends.set(request, end);
    reply.raw.once('close', end);
    if (isBackground(request)) {
      const before = last;
      last = before.then(() => ended);
      await before;
      await untilQuiet();
      // A client that left while waiting needs no answer.
      if (reply.raw.destroyed) reply.hijack();
      return;
    }
    urgent += 1;
    void ended.then(() => {
      urgent -= 1;
      if (urgent === 0) onQuiet();
    });
  });
  app.addHook('onSend', async (request, _reply, payload) => {
    ends.get(request)?.();
    return payload;
  });
}
