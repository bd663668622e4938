// Keeps Socket Mode connected.
// Slack's client exits when the app token is refused, and reconnects after being stopped.
import { setTimeout as wait } from 'node:timers/promises';
import { SocketModeReceiver, webApi } from '@slack/bolt';
import { explainSlackError } from '../calls/explain-error.ts';
import { createSlackLogger } from '../slack-logger.ts';
import { fetchUntil, settingsOf, tokenRefusals } from '../workspaces.ts';

/** From the first call. */
const helloWithinMs = 20_000;
const byeWithinMs = 1000;
/** After a connection this long, the next opens at once. */
const goodAfterMs = 10_000;
const longestPauseMs = 30_000;

/** Exponential with jitter, in milliseconds. */
function pauseAfter(failures: number): number {
  if (failures === 0) return 0;
  return Math.min(longestPauseMs, 1000 * 2 ** (failures - 1)) * (0.75 + Math.random() / 4);
}

/** Refusals that concern the app token. */
const appTokenRefusals = new Set([
  ...tokenRefusals,
  'missing_scope',
  'not_allowed_token_type',
  'not_authed',
  'team_disabled',
  'user_removed_from_team',
]);

/** `afterMs` as Slack wants. */
function explain(error: unknown): { text: string; afterMs: number } {
  if (error instanceof webApi.WebAPIPlatformError && appTokenRefusals.has(error.data.error))
    return {
      text: `Slack does not take SLACK_APP_TOKEN (${error.data.error}). Make an app-level token with connections:write on the app's page "Basic Information".`,
      afterMs: 0,
    };
  const { message, passesAfterMs } = explainSlackError(error, 'connect in Socket Mode');
  return { text: message, afterMs: passesAfterMs ?? 0 };
}

type Client = SocketModeReceiver['client'];

/** Terminates without an answer. */
async function close(client: Client): Promise<void> {
  const late = setTimeout(() => void client.disconnect(), byeWithinMs);
  await client.disconnect();
  clearTimeout(late);
}

export type Connection = {
  appToken: string;
  apiUrl: string | undefined;
  take(arrived: unknown): void;
  warn(message: string, error?: unknown): void;
};

/** An unparsable frame would end the process. */
function guardFrames(client: Client, warn: Connection['warn']): void {
  const readers = client.listeners('ws_message');
  async function read(...frame: unknown[]): Promise<void> {
    try {
      for (const one of readers) await one(...frame);
    } catch (error) {
      warn('Ignored an unreadable Socket Mode message from Slack.', error);
    }
  }
  client.removeAllListeners('ws_message');
  client.on('ws_message', (...frame: unknown[]) => void read(...frame));
}

/** @returns when it ends @throws if none was opened */
async function hold(
  { appToken, apiUrl, take, warn }: Connection,
  signal: AbortSignal,
  greet: () => void,
): Promise<void> {
  // Its errors are reported here once.
  const logger = createSlackLogger(() => {});
  const { client } = new SocketModeReceiver({
    appToken,
    logger,
    autoReconnectEnabled: false,
    installerOptions: {
      clientOptions: {
        ...settingsOf({ apiUrl, logger }),
        fetch: fetchUntil(signal),
      },
    },
  });
  guardFrames(client, warn);
  client.on('slack_event', take);
  // Nothing to close yet.
  client.on('connecting', () => signal.throwIfAborted());
  const ended = new Promise<void>((resolve) => client.once('disconnected', () => resolve()));
  const leave = () => void close(client);
  signal.addEventListener('abort', leave);
  const late = setTimeout(leave, helloWithinMs);
  try {
    await client.start().catch((error: unknown) => {
      throw error ?? new Error('the connection was closed before it said hello.');
    });
    clearTimeout(late);
    greet();
    await ended;
  } finally {
    clearTimeout(late);
    signal.removeEventListener('abort', leave);
  }
}

/** Reports an error once until connected. @returns a function that ends it */
export function keepConnected(
  connection: Connection,
  pause: (failures: number) => number = pauseAfter,
): () => Promise<void> {
  const { warn } = connection;
  const stopping = new AbortController();
  const { signal } = stopping;

  async function keep(): Promise<void> {
    const reported = new Set<string>();
    const greet = () => {
      if (reported.size > 0) warn('Slack is connected again.');
      reported.clear();
    };
    let failures = 0;
    while (!signal.aborted) {
      const began = performance.now();
      let afterMs = 0;
      try {
        await hold(connection, signal, greet);
        failures = performance.now() - began < goodAfterMs ? failures + 1 : 0;
      } catch (error) {
        if (signal.aborted) return;
        failures += 1;
        const why = explain(error);
        afterMs = why.afterMs;
        if (!reported.has(why.text)) warn(`No events from Slack. ${why.text}`, error);
        reported.add(why.text);
      }
      await wait(Math.max(afterMs, pause(failures)), undefined, { signal }).catch(() => {});
    }
  }

  const kept = keep();
  return async () => {
    stopping.abort();
    await kept;
  };
}
