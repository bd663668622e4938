// The one way from the page to the server: JSON in, JSON out, problems as ApiError, the token kept for this tab.
// The server is of the same version as this page, so its answers are typed by the shared contracts, not parsed again.
import { parseExactly } from '#domain/exact-json.ts';

const tokenKey = 'countersign.token';

/** A refusal by the server, with the sentence it gave. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, sentence: string) {
    super(sentence);
    this.name = 'ApiError';
    this.status = status;
    this.code = code;
  }
}

type Problem = { code?: string; detail?: string; title?: string };

let askForToken: () => Promise<string> = () =>
  Promise.reject(new ApiError(401, 'unauthorized', 'This server needs a token.'));

/** Who is asked when the server wants a token. Called once however many requests wait. */
export function onTokenNeeded(ask: () => Promise<string>): void {
  let asking: Promise<string> | null = null;
  askForToken = () => {
    asking ??= ask().finally(() => {
      asking = null;
    });
    return asking;
  };
}

function headersFor(body: unknown, extra: Record<string, string>): Record<string, string> {
  const token = sessionStorage.getItem(tokenKey);
  return {
    'x-countersign-surface': 'console',
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...(token === null ? {} : { authorization: `Bearer ${token}` }),
    ...extra,
  };
}

async function readProblem(response: Response): Promise<ApiError> {
  const problem: Problem = await response.json().catch(() => ({}));
  const sentence = problem.detail ?? problem.title ?? `The server answered ${response.status}.`;
  return new ApiError(response.status, problem.code ?? 'internal', sentence);
}

/** Sends a request, asking for the token when it is missing or wrong. @throws ApiError */
export async function request(
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  path: string,
  options: { body?: unknown; headers?: Record<string, string>; signal?: AbortSignal } = {},
): Promise<Response> {
  const { body, headers = {}, signal } = options;
  for (;;) {
    const response = await fetch(path, {
      method,
      headers: headersFor(body, headers),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    });
    if (response.ok) return response;
    if (response.status !== 401) throw await readProblem(response);
    sessionStorage.setItem(tokenKey, await askForToken());
  }
}

/** The JSON answer, its numbers exact. */
async function readAnswer<T>(response: Response): Promise<T> {
  // The server is ours: its answers have the types of its routes.
  return parseExactly(await response.text()) as T;
}

export async function get<T>(path: string): Promise<T> {
  return readAnswer(await request('GET', path));
}

/** Refreshes what is on the screen already: the server answers it after what people wait for. */
export async function getInBackground<T>(path: string): Promise<T> {
  return readAnswer(await request('GET', path, { headers: { priority: 'u=7' } }));
}

export async function post<T>(path: string, body: unknown): Promise<T> {
  return readAnswer(await request('POST', path, { body }));
}

export async function put<T>(path: string, body: unknown): Promise<T> {
  return readAnswer(await request('PUT', path, { body }));
}

/** The message for anything that was thrown. */
export function describeError(error: unknown): string {
  if (error instanceof ApiError) return error.message;
  if (error instanceof TypeError) return "The server isn't answering. Is it still running?";
  return error instanceof Error ? error.message : String(error);
}
