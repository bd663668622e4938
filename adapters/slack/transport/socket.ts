// Socket Mode, which needs no public address.
import { z } from 'zod';
import type { Accept } from './accept.ts';
import { keepConnected } from './keep-connected.ts';

/** `ack` answers the envelope. */
const Arrived = z.looseObject({
  ack: z.custom<(answer?: Record<string, unknown>) => Promise<void>>(
    (value) => typeof value === 'function',
  ),
  body: z.looseObject({}),
});

/** Connects in the background. @returns a function that ends it; later requests go to another connection */
export function connectSocket(options: {
  appToken: string;
  apiUrl: string | undefined;
  accept: Accept;
  warn(message: string, error?: unknown): void;
  /** Milliseconds, by failures. */
  pause?: (failures: number) => number;
}): () => Promise<void> {
  const { appToken, apiUrl, accept, warn, pause } = options;
  const under = new Set<Promise<void>>();
  let stopped = false;

  async function take(arrived: unknown): Promise<void> {
    const parsed = Arrived.safeParse(arrived);
    if (!parsed.success) return;
    const { ack, body } = parsed.data;
    try {
      const answer = await accept(Buffer.from(JSON.stringify(body)));
      // Otherwise Slack resends it, and it is recognized.
      await (answer === null ? ack() : ack(answer)).catch(() => {});
    } catch (error) {
      // Unacknowledged, so Slack sends it again.
      warn('Could not store a Slack event, so it was not acknowledged.', error);
    }
  }
  const connection = {
    appToken,
    apiUrl,
    warn,
    take(arrived: unknown) {
      if (stopped) return;
      const work = take(arrived).finally(() => under.delete(work));
      under.add(work);
    },
  };
  const leave = keepConnected(connection, pause);
  return async () => {
    stopped = true;
    await Promise.all(under);
    await leave();
  };
}
