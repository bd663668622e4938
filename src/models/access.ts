// Credentials and address of the model server, apart from the client, so that a process without a model loads none of it.
import type { Environment } from '#domain/settings.ts';

/** OpenAI's Responses API, or chat completions, which every compatible server has. */
export type ModelApi = 'responses' | 'chat';

export type ModelAccess = {
  apiKey?: string | undefined;
  baseUrl?: string | undefined;
  /** Where all that a model is given goes. */
  host: string;
  /** The server is OpenAI's own. */
  isOpenAi: boolean;
  api: ModelApi;
};

type Variables = Partial<Pick<Environment, 'OPENAI_API_KEY' | 'OPENAI_BASE_URL' | 'OPENAI_API'>>;

/** How the environment says a model is reached; null: none is. A base URL alone is enough: local servers ask for no key. */
export function readModelAccess(env: Variables): ModelAccess | null {
  const { OPENAI_API_KEY: apiKey, OPENAI_BASE_URL: baseUrl } = env;
  if (apiKey === undefined && baseUrl === undefined) return null;
  const { host, hostname } = new URL(baseUrl ?? 'https://api.openai.com');
  const isOpenAi = /^(?:.+\.)?api\.openai\.com$/.test(hostname);
  return {
    apiKey,
    baseUrl,
    host,
    isOpenAi,
    api: env.OPENAI_API ?? (isOpenAi ? 'responses' : 'chat'),
  };
}
