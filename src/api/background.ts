// Serves background requests one at a time, after people's requests or 250 ms, so that people never queue behind self-refreshing pages. They are
// marked by `Priority: u=7`, reserved by RFC 9218 for tasks whose delay goes unnoticed.
import type { FastifyInstance, FastifyRequest } from 'fastify';

const background = /(?:^|[,\s])u=7(?:$|[,;\s])/;

const defaultLimits = {
  /** Milliseconds that a background request whose turn has come waits for those of people, so that it does not wait forever. */
  maxWaitMs: 250,
  /** A turn passes on after this, so that a request that hangs does not hold up the others. */
  turnMs: 3000,
  /** People's requests that take longer wait for something else, such as a model, and no longer count. */
  busyMs: 1000,
};

function isBackground({ method, headers: { priority } }: FastifyRequest): boolean {
  return method === 'GET' && typeof priority === 'string' && background.test(priority);
}

async function within(promise: Promise<void>, ms: number): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  await Promise.race([promise, late]);
  clearTimeout(timer);
}

/** Must come before the routes. A request counts until its answer is made, or its client has left. */
export function queueBackground(
  app: FastifyInstance,
  limits: Partial<typeof defaultLimits> = {},
): void {
  const { maxWaitMs, turnMs, busyMs } = { ...defaultLimits, ...limits };
  const ends = new WeakMap<FastifyRequest, () => void>();
  let last = Promise.resolve();
  /** Requests of people that are being served. */
  let urgent = 0;
  let onQuiet = () => {};

  async function untilQuiet(): Promise<void> {
    if (urgent === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    onQuiet = resolve;
    await within(promise, maxWaitMs);
  }

  app.addHook('preHandler', async (request, reply) => {
    if (request.routeOptions.config.endless === true) return;
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    ends.set(request, end);
    reply.raw.once('close', end);
    if (isBackground(request)) {
      const before = last;
      last = before.then(() => within(ended, turnMs));
      await before;
      await untilQuiet();
      // A client that left while waiting needs no answer.
      if (reply.raw.destroyed) reply.hijack();
      return;
    }
    urgent += 1;
    void within(ended, busyMs).then(() => {
      urgent -= 1;
      if (urgent === 0) onQuiet();
    });
  });
  app.addHook('onSend', async (request, _reply, payload) => {
    ends.get(request)?.();
    return payload;
  });
}
