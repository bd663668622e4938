// NOTIFY inside the transaction, LISTEN on one connection of its own. A convenience: whoever listens also looks from time to time.
import { EventEmitter } from 'node:events';
import { sql } from 'drizzle-orm';
import pg from 'pg';
import type { Queryable } from './database.ts';

export type Topic = `plan:${string}` | `conversation:${string}` | `cancel:${string}`;

/** Wakes everyone who listens to `topic`, when the transaction commits. */
export async function notify(tx: Queryable, topic: Topic): Promise<void> {
  await tx.execute(sql`select pg_notify('countersign', ${topic})`);
}

export type Listener = {
  /** Calls `wake` at each notification of `topic` and after each reconnection. Returns the way to stop. */
  on(topic: Topic | 'cancel', wake: (topic: string) => void): () => void;
  close(): Promise<void>;
};

const retryAfterMs = 1000;

/**
 * Listens on a connection of its own and reconnects when it is lost.
 * @param warn called once for each lost connection
 */
export async function openListener(url: string, warn: (error: Error) => void): Promise<Listener> {
  const emitter = new EventEmitter().setMaxListeners(0);
  let client: pg.Client | null = null;
  let closed = false;
  let timer: NodeJS.Timeout | undefined;

  function lose(error: Error): void {
    if (client === null) return;
    client = null;
    if (closed) return;
    warn(error);
    timer = setTimeout(reconnect, retryAfterMs);
  }

  async function connect(): Promise<void> {
    const next = new pg.Client({
      connectionString: url,
      application_name: 'countersign listener',
      keepAlive: true,
    });
    next.on('error', lose);
    next.on('end', () => lose(new Error('The listening connection ended.')));
    next.on('notification', ({ payload }) => {
      if (payload === undefined) return;
      emitter.emit(payload, payload);
      if (payload.startsWith('cancel:')) emitter.emit('cancel', payload);
    });
    client = next;
    await next.connect();
    await next.query('listen countersign');
  }

  function reconnect(): void {
    connect().then(
      () => {
        for (const topic of emitter.eventNames()) emitter.emit(topic, String(topic));
      },
      (error: Error) => {
        client = null;
        if (!closed) timer = setTimeout(reconnect, retryAfterMs);
        else warn(error);
      },
    );
  }

  await connect();
  return {
    on(topic, wake) {
      emitter.on(topic, wake);
      return () => emitter.off(topic, wake);
    },
    async close() {
      closed = true;
      clearTimeout(timer);
      const last = client;
      client = null;
      await last?.end();
    },
  };
}
