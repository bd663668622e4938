// Server-sent events that resume after lost connections.
// Uses fetch because EventSource cannot send a token.
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { ApiError, request } from './api.ts';
import type { StreamState } from './state.ts';

export type StreamHandlers = {
  onEvent(event: EventSourceMessage): void;
  onState(state: StreamState): void;
};

/** Milliseconds before attempt `n` (from 1): 0.5 s doubling to 10 s, with jitter. */
export function backOff(attempt: number, random: number): number {
  return Math.min(10_000, 500 * 2 ** (attempt - 1)) * (0.75 + random / 2);
}

async function readStream(
  response: Response,
  onEvent: (event: EventSourceMessage) => void,
): Promise<void> {
  if (response.body === null) return;
  const parser = createParser({ onEvent });
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    parser.feed(value);
  }
}

function wait(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

/** Resolves when the page is shown, or hidden, or `signal` aborts. */
function becomes(hidden: boolean, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const check = () => {
      if (document.hidden !== hidden && !signal.aborted) return;
      document.removeEventListener('visibilitychange', check);
      signal.removeEventListener('abort', check);
      resolve();
    };
    document.addEventListener('visibilitychange', check);
    signal.addEventListener('abort', check);
    check();
  });
}

/**
 * Until `signal` aborts. Paused in hidden tabs: a browser opens six connections
 * to a server at most, and all its tabs share them. So a page follows one stream.
 */
export async function follow(
  path: string,
  lastEventId: string,
  handlers: StreamHandlers,
  signal: AbortSignal,
): Promise<void> {
  let last = lastEventId;
  let attempt = 0;
  handlers.onState('connecting');
  for (;;) {
    await becomes(false, signal);
    if (signal.aborted) return;
    const shown = new AbortController();
    const ending = AbortSignal.any([signal, shown.signal]);
    void becomes(true, ending).then(() => shown.abort());
    let refused = false;
    try {
      const headers = { accept: 'text/event-stream', 'last-event-id': last };
      const response = await request('GET', path, { headers, signal: ending });
      attempt = 0;
      handlers.onState('live');
      await readStream(response, (event) => {
        last = event.id ?? last;
        handlers.onEvent(event);
      });
    } catch (error) {
      if (signal.aborted) return;
      refused = error instanceof ApiError && error.status < 500;
    } finally {
      shown.abort();
    }
    if (document.hidden) continue;
    if (signal.aborted) return;
    attempt += 1;
    // A stream that merely ended reconnects silently.
    if (refused) handlers.onState('refused');
    else if (attempt > 1) handlers.onState('reconnecting');
    await wait(backOff(attempt, Math.random()), signal);
  }
}
