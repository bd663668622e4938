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
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return { message: text }; // a page of a proxy, or plain words
  }
  const first: unknown = Array.isArray(body) ? body[0] : body;
  if (typeof first !== 'object' || first === null) return { message: text };
  const error = 'error' in first ? first.error : first;
  if (typeof error !== 'object' || error === null)
    return { message: typeof error === 'string' ? error : text };
  return 'message' in error && typeof error.message === 'string'
    ? error
    : { ...error, message: JSON.stringify(error) };
}
