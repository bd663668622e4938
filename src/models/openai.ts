// The client of an OpenAI-compatible server. The package's own retries are off: ours are counted and traced.
import OpenAI from 'openai';
import type { ModelAccess } from './access.ts';

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
