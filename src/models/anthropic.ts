// Anthropic's client; only processes that use it load it.
import Anthropic from '@anthropic-ai/sdk';
import type { ModelAccess } from './access.ts';
import { type ModelClient, withReasons } from './client.ts';

/** All options set, so that the package reads no environment. */
export function createAnthropicClient({
  apiKey = 'none',
  baseUrl,
}: Pick<ModelAccess, 'apiKey' | 'baseUrl'>): ModelClient {
  return new Anthropic({
    ...{ apiKey, authToken: null, credentials: null, config: null, profile: null },
    ...{ webhookKey: null, maxRetries: 0, logLevel: 'off' },
    fetch: withReasons('ANTHROPIC_BASE_URL'),
    // The package's paths begin with /v1.
    baseURL: (baseUrl ?? 'https://api.anthropic.com').replace(/\/v1\/?$/, ''),
  });
}
