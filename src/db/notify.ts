// NOTIFY in transactions, LISTEN on its own connection. An optimisation: listeners also poll.
import { EventEmitter } from 'node:events';
import { sql } from 'drizzle-orm';
import pg from 'pg';
import { goodbyeMs, limitSilence } from './connection.ts';
import type { Queryable } from './database.ts';
import { schemaName, sessionName } from './instance.ts';

export type Topic =
  | `plan:${string}`
  | `conversation:${string}`
  | `activity:${string}`
  | `parts:${string}`
  | `request:${string}`
  /** A run's turn ended; a planner still working on it stops. */
  | `stop:${string}`
  | `cancel:${string}`
  | `pause:${string}`
  | `work:${string}`
  | `sign-in:${string}`
  | 'model-access'
  | 'tenancy';
/** Topics listened to for every plan. */
type Kind = 'activity' | 'cancel' | 'pause' | 'plan' | 'work';

export async function notify(tx: Queryable, topic: Topic): Promise<void> {
  await tx.execute(sql`select pg_notify(${schemaName}, ${topic})`);
}

export type Listener = {
  /** Also wakes after each reconnection. @returns stops listening */
  on(topic: Topic | Kind, wake: (topic: string) => void): () => void;
  listen(
    channel: string,
    onPayload: (payload: string) => void,
    onReconnect: () => void,
  ): Promise<{ close(): Promise<void> }>;
  close(): Promise<void>;
};

const retryAfterMs = 1000;
/** A lost listening connection reports nothing, so it is queried. */
const usualHeartbeat = { everyMs: 10_000, answerMs: 5000 };

/** Reconnects when lost. @param warn once per lost connection */
export async function openListener(
  url: string,
  warn: (error: Error) => void,
  heartbeat = usualHeartbeat,
): Promise<Listener> {
  const emitter = new EventEmitter().setMaxListeners(0);
  const channels = new Map<string, { hear(payload: string): void; onReconnect(): void }>();
  let client: pg.Client | null = null;
  let closed = false;
  let timer: NodeJS.Timeout | undefined;

  function lose(lost: pg.Client, error: Error): void {
    if (client !== lost) return;
    client = null;
    clearTimeout(timer);
    lost.end().catch(() => {}); // already lost; frees its socket
    if (closed) return;
    warn(error);
    timer = setTimeout(() => void reconnect(), retryAfterMs);
  }

  function beat(on: pg.Client): void {
    timer = setTimeout(() => {
      limitSilence(on, heartbeat.answerMs);
      on.query('select 1').then(
        () => {
          limitSilence(on, 0);
          if (client === on) beat(on);
        },
        (error: Error) => lose(on, error),
      );
    }, heartbeat.everyMs);
  }

  const listenOn = (on: pg.Client, channel: string) =>
    on.query(`listen ${pg.escapeIdentifier(channel)}`);

  async function connect(): Promise<void> {
    const next = new pg.Client({
      connectionString: url,
      application_name: `${sessionName} listener`,
      connectionTimeoutMillis: 10_000,
      keepAlive: true,
    });
    next.on('error', (error) => lose(next, error));
    next.on('end', () => lose(next, new Error('The listening connection ended.')));
    next.on('notification', ({ channel, payload }) => {
      if (payload === undefined) return;
      const other = channels.get(channel);
      if (other !== undefined) return other.hear(payload);
      emitter.emit(payload, payload);
      emitter.emit(payload.slice(0, payload.indexOf(':')), payload);
    });
    client = next;
    try {
      await next.connect();
      limitSilence(next, heartbeat.answerMs);
      for (const channel of [schemaName, ...channels.keys()]) await listenOn(next, channel);
      limitSilence(next, 0);
      if (client === next) beat(next);
    } catch (error) {
      lose(next, error instanceof Error ? error : new Error(String(error)));
      throw error;
    }
  }

  async function reconnect(): Promise<void> {
    try {
      await connect();
    } catch {
      return; // `lose` has scheduled the next try
    }
    for (const topic of emitter.eventNames()) emitter.emit(topic, String(topic));
    for (const { onReconnect } of channels.values()) onReconnect();
  }

  try {
    await connect();
  } catch (error) {
    closed = true;
    clearTimeout(timer);
    throw error;
  }
  return {
    on(topic, wake) {
      emitter.on(topic, wake);
      return () => emitter.off(topic, wake);
    },
    async listen(channel, onPayload, onReconnect) {
      channels.set(channel, { hear: onPayload, onReconnect });
      if (client !== null) await listenOn(client, channel);
      return {
        async close() {
          channels.delete(channel);
        },
      };
    },
    async close() {
      closed = true;
      clearTimeout(timer);
      const last = client;
      client = null;
      if (last === null) return;
      limitSilence(last, goodbyeMs);
      await last.end();
    },
  };
}
