// Opens the client of the configured API.
import type { ModelAccess } from './access.ts';
import { createModelClient, type ModelClient } from './client.ts';

export async function openModelClient(
  access: Pick<ModelAccess, 'apiKey' | 'baseUrl' | 'api'>,
): Promise<ModelClient> {
  if (access.api !== 'messages') return createModelClient(access);
  const { createAnthropicClient } = await import('./anthropic.ts');
  return createAnthropicClient(access);
}
