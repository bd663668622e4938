// Credentials and address of the model server.
import type { Environment } from '#domain/environment.ts';
import type { ModelApi } from '#domain/model-apis.ts';

export type ModelAccess = {
  apiKey?: string | undefined;
  baseUrl?: string | undefined;
  /** Receives everything a model is given. */
  host: string;
  isOpenAi: boolean;
  api: ModelApi;
};

const ofAnthropic = ['ANTHROPIC_API_KEY', 'ANTHROPIC_BASE_URL'] as const;
type Variables = Partial<
  Pick<
    Environment,
    'OPENAI_API_KEY' | 'OPENAI_BASE_URL' | 'OPENAI_API' | (typeof ofAnthropic)[number]
  >
>;

export type StoredAccess = {
  [name in 'OPENAI_API_KEY' | 'OPENAI_BASE_URL' | (typeof ofAnthropic)[number]]?: string;
};

/** An address of Anthropic's means its API. */
export function toVariables(apiKey: string | undefined, baseUrl: string | undefined): StoredAccess {
  const isAnthropic =
    baseUrl !== undefined && /(?:^|\.)anthropic\.com$/.test(new URL(baseUrl).hostname);
  const [key, address] = isAnthropic
    ? ofAnthropic
    : (['OPENAI_API_KEY', 'OPENAI_BASE_URL'] as const);
  return {
    ...(apiKey === undefined ? {} : { [key]: apiKey }),
    ...(baseUrl === undefined ? {} : { [address]: baseUrl }),
  };
}

/** A base URL suffices: local servers need no key. OpenAI's variables precede Anthropic's. */
export function readModelAccess(env: Variables): ModelAccess | null {
  const { OPENAI_API_KEY: apiKey, OPENAI_BASE_URL: baseUrl } = env;
  if (apiKey === undefined && baseUrl === undefined) return readAnthropic(env);
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

function readAnthropic({ ANTHROPIC_API_KEY, ANTHROPIC_BASE_URL }: Variables): ModelAccess | null {
  if (ANTHROPIC_API_KEY === undefined && ANTHROPIC_BASE_URL === undefined) return null;
  const baseUrl = ANTHROPIC_BASE_URL ?? 'https://api.anthropic.com';
  const { host } = new URL(baseUrl);
  return { apiKey: ANTHROPIC_API_KEY, baseUrl, host, isOpenAi: false, api: 'messages' };
}
