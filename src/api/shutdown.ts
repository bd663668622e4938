// Closing without waiting for anybody: streams end, answers under way are finished, connections that never asked are cut.
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** A signal that aborts as soon as the server begins to close. */
export function closeGracefully(app: FastifyInstance): AbortSignal {
  const closing = new AbortController();
  // Browsers and pools open connections ahead of need. To Node they are not idle, so closing would wait for them.
  const silent = new Set<Socket>();

  app.server.on('connection', (socket: Socket) => {
    if (closing.signal.aborted) return void socket.destroy();
    silent.add(socket);
    socket.once('close', () => silent.delete(socket));
  });
  app.server.on('request', ({ socket }) => silent.delete(socket));

  app.addHook('preClose', async () => {
    closing.abort();
    for (const socket of silent) socket.destroy();
  });
  app.addHook('onSend', async (_request, reply, payload) => {
    if (closing.signal.aborted) reply.header('connection', 'close');
    return payload;
  });
  return closing.signal;
}
