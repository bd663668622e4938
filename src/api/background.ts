// Serves background requests one at a time, after people's requests or 250 ms, so that self-refreshing pages never delay
// people. Marked by `Priority: u=7` (RFC 9218).
import type { FastifyInstance, FastifyRequest } from 'fastify';

const background = /(?:^|[,\s])u=7(?:$|[,;\s])/;

const defaultLimits = {
  /** Longest wait for people's requests once it is a background request's turn. */
  maxWaitMs: 250,
  /** A request that hangs gives up its turn. */
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

/** Must come before the routes. A request counts until answered or abandoned. */
export function queueBackground(
  app: FastifyInstance,
  limits: Partial<typeof defaultLimits> = {},
): void {
  const { maxWaitMs, turnMs, busyMs } = { ...defaultLimits, ...limits };
  const ends = new WeakMap<FastifyRequest, () => void>();
  let last = Promise.resolve();
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
