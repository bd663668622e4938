// The connection to an OpenAI-compatible server. The package's own retries are off: ours are counted and traced.
import OpenAI from 'openai';
import type { Environment } from '#contracts/settings.ts';

export type ModelAccess = { apiKey?: string | undefined; baseUrl?: string | undefined };

/** How the environment says a model is reached; null: none is. A base URL alone is enough: local servers ask for no key. */
export function readModelAccess(env: Environment): ModelAccess | null {
  const access = { apiKey: env.OPENAI_API_KEY, baseUrl: env.OPENAI_BASE_URL };
  return access.apiKey === undefined && access.baseUrl === undefined ? null : access;
}

/** Every setting is given here, so that nothing of the environment slips in unseen. */
export function createModelClient(access: ModelAccess): OpenAI {
  return new OpenAI({
    apiKey: access.apiKey ?? 'none',
    baseURL: access.baseUrl ?? 'https://api.openai.com/v1',
    organization: null,
    project: null,
    maxRetries: 0,
    logLevel: 'off',
  });
}
