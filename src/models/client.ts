// The OpenAI-compatible client; retries are ours, counted and traced.
import type Anthropic from '@anthropic-ai/sdk';
import OpenAI, { type APIError } from 'openai';
import { longestReason, readText } from '#domain/bounded-body.ts';
import { readPageText } from '#domain/encoding/page-text.ts';
import type { ModelApi } from '#domain/model-apis.ts';
import type { ModelAccess } from './access.ts';
import type { WireFailure } from './chat.ts';

export type ModelClient = Pick<OpenAI | Anthropic, 'baseURL' | 'post' | 'get'> & {
  apiKey: string | null;
};

export const addressOf = (api: ModelApi): string =>
  api === 'messages' ? 'ANTHROPIC_BASE_URL' : 'OPENAI_BASE_URL';

/** All options set, so that the package reads no environment. */
export function createModelClient({
  apiKey = 'none',
  baseUrl = 'https://api.openai.com/v1',
}: Pick<ModelAccess, 'apiKey' | 'baseUrl'>): ModelClient {
  return new OpenAI({
    ...{ apiKey, baseURL: baseUrl, organization: null, project: null },
    ...{ maxRetries: 0, logLevel: 'off' },
    fetch: withReasons(addressOf('chat')),
  });
}

/** No status: unreachable. */
export type ApiFailure = Pick<APIError, 'status' | 'headers' | 'error' | 'message'> & {
  code?: string | null | undefined;
  param?: string | null | undefined;
};

/** By fields: each package has its own class. */
export const isApiFailure = (error: unknown): error is ApiFailure =>
  error instanceof Error && 'status' in error && 'headers' in error && 'error' in error;

const redirectsFollowed = 3;

export const withReasons =
  (variable: string): typeof fetch =>
  (url, init) =>
    fetchWithReason(variable, url, init);

/** Puts errors into OpenAI's form, or the package drops their reason. Redirects stay on the server, as the key must. */
async function fetchWithReason(
  variable: string,
  ...[url, init]: Parameters<typeof fetch>
): Promise<Response> {
  let response = await fetch(url, { ...init, redirect: 'manual' });
  for (let count = 0; count < redirectsFollowed; count += 1) {
    const next = findRedirect(response, url);
    if (next === null) break;
    await response.body?.cancel();
    response = await fetch(next, { ...init, redirect: 'manual' });
  }
  if (response.ok) return response;
  const text = await readText(response, longestReason);
  const location = response.headers.get('location');
  const error =
    location === null
      ? readError(text)
      : {
          message: `It redirects to ${location}. Set ${variable} to the address that answers.`,
        };
  const headers = new Headers(response.headers);
  headers.set('content-type', 'application/json');
  headers.delete('content-length');
  headers.delete('content-encoding');
  return new Response(JSON.stringify({ error }), {
    status: response.status < 400 ? 421 : response.status,
    statusText: response.statusText,
    headers,
  });
}

/** On the same server. */
function findRedirect({ status, headers }: Response, asked: Parameters<typeof fetch>[0]) {
  const location = headers.get('location');
  if (![301, 302, 307, 308].includes(status) || location === null) return null;
  const from = new URL(asked instanceof Request ? asked.url : asked.toString());
  const to = URL.canParse(location, from.href) ? new URL(location, from.href) : null;
  if (to === null || to.hostname !== from.hostname) return null;
  // Another port is another server, except upgrading http to https.
  const isUpgrade = from.port === '' && to.port === '' && to.protocol === 'https:';
  return to.origin === from.origin || isUpgrade ? to : null;
}

function readError(text: string): object {
  try {
    return findError(JSON.parse(text)) ?? { message: text };
  } catch {
    return { message: readPageText(text, null) }; // a proxy's page, or plain text
  }
}

/** However wrapped. */
export function findError(body: unknown): { message: string } | null {
  const first: unknown = Array.isArray(body) ? body[0] : body;
  if (typeof first !== 'object' || first === null) return null;
  const error = 'error' in first ? first.error : first;
  if (typeof error === 'string') return { message: error };
  if (typeof error !== 'object' || error === null) return null;
  const message = 'message' in error && typeof error.message === 'string' ? error.message : null;
  return { ...error, message: message ?? JSON.stringify(error) };
}

/** Some servers put `error: null` into every chunk. */
export function isFailure(event: unknown): boolean {
  if (typeof event !== 'object' || event === null) return false;
  return (
    ('error' in event && Boolean(event.error)) || ('object' in event && event.object === 'error')
  );
}

export function readFailure(raw: unknown): WireFailure | null {
  if (!isFailure(raw)) return null;
  const error = findError(raw) ?? { message: 'The server does not say why.' };
  return { failed: error.message, passes: isPassing(error) };
}

/** 429 and 5xx, also in the middle of a reply. */
export function isPassing({ code, type }: Record<string, unknown>): boolean {
  if (typeof code === 'number') return code === 429 || code >= 500;
  return /overloaded|server_?error|api_error|rate_limit|timeout_error|unavailable/i.test(
    `${code} ${type}`,
  );
}
