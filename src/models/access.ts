// Credentials and address of the model server, apart from the client, so that a process without a model loads none of it.
import type { Environment } from '#domain/settings.ts';

export type ModelAccess = { apiKey?: string | undefined; baseUrl?: string | undefined };

/** How the environment says a model is reached; null: none is. A base URL alone is enough: local servers ask for no key. */
export function readModelAccess(env: Environment): ModelAccess | null {
  const access = { apiKey: env.OPENAI_API_KEY, baseUrl: env.OPENAI_BASE_URL };
  return access.apiKey === undefined && access.baseUrl === undefined ? null : access;
}
