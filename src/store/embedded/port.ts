// The server's port on 127.0.0.1: the one of last time when it is free, so that its address stays the same.
import { createServer } from 'node:net';
import { CountersignError } from '#contracts/errors.ts';
import { readIfThere } from './files.ts';

/** Tries to listen on `port` (0: any); the port it got, or null when it is taken. */
function tryPort(port: number): Promise<number | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(null));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => {
      const address = server.address();
      const got = typeof address === 'object' && address !== null ? address.port : null;
      server.close(() => resolve(got));
    });
  });
}

/** @param portFile where the port of last time is remembered */
export async function choosePort(portFile: string): Promise<number> {
  const remembered = Number((await readIfThere(portFile)) ?? 0);
  const possible = Number.isInteger(remembered) && remembered > 0 && remembered < 65_536;
  const port = (possible ? await tryPort(remembered) : null) ?? (await tryPort(0));
  if (port !== null) return port;
  throw new CountersignError(
    'database_unavailable',
    'No port is free on 127.0.0.1 for the database. Set DATABASE_URL to a PostgreSQL of your own.',
  );
}
