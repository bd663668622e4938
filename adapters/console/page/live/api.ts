// Calls the server's JSON API, with the token kept for this tab.
// Server and page have one version, so answers are typed, not parsed.
import { parseExactly } from '#domain/exact-json.ts';

const tokenKey = 'countersign.token';

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

/** Asks for the token if missing or wrong. @throws ApiError */
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

/** Keeps numbers exact. */
async function readAnswer<T>(response: Response): Promise<T> {
  return parseExactly(await response.text()) as T;
}

export async function get<T>(path: string): Promise<T> {
  return readAnswer(await request('GET', path));
}

/** The server answers these after what people wait for. */
export async function getInBackground<T>(path: string): Promise<T> {
  return readAnswer(await request('GET', path, { headers: { priority: 'u=7' } }));
}

export async function post<T>(path: string, body: unknown): Promise<T> {
  return readAnswer(await request('POST', path, { body }));
}

export async function put<T>(path: string, body: unknown): Promise<T> {
  return readAnswer(await request('PUT', path, { body }));
}

export function describeError(error: unknown): string {
  if (error instanceof ApiError) return error.message;
  if (error instanceof TypeError) return "The server isn't answering. Is it still running?";
  return error instanceof Error ? error.message : String(error);
}
