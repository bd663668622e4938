import { expect, it } from 'vitest';
import { readModelAccess, toVariables } from '#models/access.ts';

const anthropic = 'https://api.anthropic.com';

it.each([
  [{}, null],
  [{ OPENAI_API_KEY: 'k' }, { api: 'responses', host: 'api.openai.com' }],
  [{ OPENAI_BASE_URL: 'http://127.0.0.1:1/v1' }, { api: 'chat', host: '127.0.0.1:1' }],
  [{ ANTHROPIC_API_KEY: 'k' }, { api: 'messages', host: 'api.anthropic.com', apiKey: 'k' }],
  [{ ANTHROPIC_BASE_URL: 'http://127.0.0.1:1' }, { api: 'messages', host: '127.0.0.1:1' }],
  [
    { ANTHROPIC_API_KEY: 'a', OPENAI_API_KEY: 'o' },
    { api: 'responses', apiKey: 'o' },
  ],
])('%j means %j', (env, access) => {
  if (access === null) expect(readModelAccess(env)).toBeNull();
  else expect(readModelAccess(env)).toMatchObject(access);
});

it.each([
  ['k', undefined, { OPENAI_API_KEY: 'k' }],
  [undefined, 'http://127.0.0.1:1/v1', { OPENAI_BASE_URL: 'http://127.0.0.1:1/v1' }],
  ['k', anthropic, { ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: anthropic }],
  [
    'k',
    'https://anthropic.com.example.org',
    { OPENAI_API_KEY: 'k', OPENAI_BASE_URL: 'https://anthropic.com.example.org' },
  ],
])('a key %s for %s is kept as %j', (key, url, variables) => {
  expect(toVariables(key, url)).toEqual(variables);
});
