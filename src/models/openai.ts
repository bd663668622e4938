// The client of an OpenAI-compatible server. The package's own retries are off: ours are counted and traced.
import OpenAI from 'openai';
import type { ModelAccess } from './access.ts';

/** Every setting is given here, so that nothing of the environment slips in unseen. */
export function createModelClient(access: Pick<ModelAccess, 'apiKey' | 'baseUrl'>): OpenAI {
  return new OpenAI({
    apiKey: access.apiKey ?? 'none',
    baseURL: access.baseUrl ?? 'https://api.openai.com/v1',
    organization: null,
    project: null,
    maxRetries: 0,
    logLevel: 'off',
    fetch: fetchWithReason,
  });
}

/** The package drops the reason of an error that is not written as OpenAI writes it; here it is put into that form. */
async function fetchWithReason(...request: Parameters<typeof fetch>): Promise<Response> {
  const response = await fetch(...request);
  if (response.ok) return response;
  const text = await response.text();
  const body = JSON.stringify({ error: readError(text) });
  const headers = new Headers(response.headers);
  headers.set('content-type', 'application/json');
  headers.delete('content-length');
  headers.delete('content-encoding');
  return new Response(body, { status: response.status, statusText: response.statusText, headers });
}

function readError(text: string): object {
  try {
    return findError(JSON.parse(text)) ?? { message: text };
  } catch {
    return { message: text }; // a page of a proxy, or plain words
  }
}

/** The error in what a server sent, however it wraps it, with its reason as `message`; null: there is no object to look into. */
export function findError(body: unknown): { message: string } | null {
  const first: unknown = Array.isArray(body) ? body[0] : body;
  if (typeof first !== 'object' || first === null) return null;
  const error = 'error' in first ? first.error : first;
  if (typeof error === 'string') return { message: error };
  if (typeof error !== 'object' || error === null) return null;
  const said = 'message' in error && typeof error.message === 'string' ? error.message : null;
  return { ...error, message: said ?? JSON.stringify(error) };
}

/** Whether an error is one that passes, as the statuses 429 and 5xx are: it may come within a reply that began well. */
export function isPassing({ code, type }: Record<string, unknown>): boolean {
  if (typeof code === 'number') return code === 429 || code >= 500;
  return /overloaded|server_?error|rate_limit|unavailable/i.test(`${code} ${type}`);
}
