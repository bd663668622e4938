// Headers every answer carries: no sniffing, no framing, nothing of the API kept in caches. Plugins may set their own instead.
import type { FastifyInstance } from 'fastify';

export function setSecurityHeaders(app: FastifyInstance): void {
  app.addHook('onRequest', async (request, reply) => {
    reply.headers({
      'x-request-id': request.id,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-resource-policy': 'same-origin',
      'content-security-policy': "frame-ancestors 'none'",
    });
    if (!request.url.startsWith('/api')) return;
    reply.headers({
      'cache-control': 'no-store',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    });
  });
}
