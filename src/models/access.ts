// Credentials and address of the model server. Separate from the client, which a process without a model never loads.
import type { Environment } from '#domain/settings.ts';

/** OpenAI's Responses API, or chat completions, which every compatible server has. */
export type ModelApi = 'responses' | 'chat';

export type ModelAccess = {
  apiKey?: string | undefined;
  baseUrl?: string | undefined;
  /** The host that receives everything a model is given. */
  host: string;
  isOpenAi: boolean;
  api: ModelApi;
};

type Variables = Partial<Pick<Environment, 'OPENAI_API_KEY' | 'OPENAI_BASE_URL' | 'OPENAI_API'>>;

/** Model access from the environment, or null if none is set. A base URL suffices: local servers need no key. */
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
