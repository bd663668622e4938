// NOTIFY inside a transaction, LISTEN on its own connection. Only an optimisation: every listener also polls.
import { EventEmitter } from 'node:events';
import { sql } from 'drizzle-orm';
import pg from 'pg';
import { goodbyeMs, limitSilence } from './connection.ts';
import type { Queryable } from './database.ts';
import { schemaName, sessionName } from './instance.ts';

export type Topic =
  | `plan:${string}`
  | `conversation:${string}`
  /** A conversation's planning, or its planner's activity, has changed. */
  | `activity:${string}`
  /** A part of what a run plans has been planned, or could not be. */
  | `parts:${string}`
  /** A request for data has been fulfilled, or could not be. */
  | `request:${string}`
  /** A run's turn ended; a planner still working on it stops. */
  | `stop:${string}`
  | `cancel:${string}`
  /** Steps of the plan that have not begun must not begin. */
  | `pause:${string}`
  /** A plan has steps that some worker could claim. */
  | `work:${string}`
  /** A sign-in at an MCP server was made, refreshed or removed, or holds no more. */
  | `sign-in:${string}`
  /** The model's server was entered in the console, or removed. */
  | 'model-access'
  /** From now on several organisations share the instance. */
  | 'tenancy';
/** Topics listened to for every plan. */
type Kind = 'activity' | 'cancel' | 'pause' | 'plan' | 'work';

/** Wakes everyone who listens to `topic`, when the transaction commits. */
export async function notify(tx: Queryable, topic: Topic): Promise<void> {
  await tx.execute(sql`select pg_notify(${schemaName}, ${topic})`);
}

export type Listener = {
  /** Calls `wake` at each notification of `topic` and after each reconnection. Returns the way to stop. */
  on(topic: Topic | Kind, wake: (topic: string) => void): () => void;
  /** Listens on a further channel, for `hear`; `onReconnect` is called when the connection was lost and is there again. */
  listen(
    channel: string,
    onPayload: (payload: string) => void,
    onReconnect: () => void,
  ): Promise<{ close(): Promise<void> }>;
  close(): Promise<void>;
};

const retryAfterMs = 1000;
/** A lost listening connection reports nothing, so it is queried regularly. */
const usualHeartbeat = { everyMs: 10_000, answerMs: 5000 };

/**
 * Listens on a connection of its own and reconnects when it is lost.
 * @param warn called once for each lost connection
 */
export async function openListener(
  url: string,
  warn: (error: Error) => void,
  heartbeat = usualHeartbeat,
): Promise<Listener> {
  const emitter = new EventEmitter().setMaxListeners(0);
  const channels = new Map<string, { hear(payload: string): void; onReconnect(): void }>();
  let client: pg.Client | null = null;
  let closed = false;
  /** For the next heartbeat or reconnect. */
  let timer: NodeJS.Timeout | undefined;

  /** Drops `lost` and reconnects later. Its further reports are ignored. */
  function lose(lost: pg.Client, error: Error): void {
    if (client !== lost) return;
    client = null;
    clearTimeout(timer);
    lost.end().catch(() => {}); // it is lost already; this frees its socket
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
      return; // `lose` has warned and set the next try
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
      // While the connection is away, the next one listens to all of them.
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
      // One that does not say goodbye is cut off.
      limitSilence(last, goodbyeMs);
      await last.end();
    },
  };
}
