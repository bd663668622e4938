// The connection to an OpenAI-compatible server. The package's own retries are off: ours are counted and traced.
import OpenAI from 'openai';

export type ModelAccess = { apiKey?: string | undefined; baseUrl?: string | undefined };

/** A base URL alone is enough: local servers ask for no key. */
export function hasModelAccess(access: ModelAccess): boolean {
  return access.apiKey !== undefined || access.baseUrl !== undefined;
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
