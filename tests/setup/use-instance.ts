// An instance per test file; instance.ts also serves processes without Vitest.
import type { FastifyInstance } from 'fastify';
import pino from 'pino';
import { afterAll, beforeAll } from 'vitest';
import { serve } from '#app/serve.ts';
import { type ModelInstance, openModelInstance } from '../fixtures/model-instance.ts';
import { useDatabase } from './database.ts';
import { type Client, createClient } from './http-client.ts';
import { openTestInstance, type TestInstance } from './instance.ts';

/** The object is empty until the tests begin. */
export function useInstance(options: Parameters<typeof openTestInstance>[1] = {}): TestInstance {
  const database = useDatabase();
  const instance = {} as TestInstance;
  beforeAll(async () => {
    Object.assign(instance, await openTestInstance(database.url, options));
  });
  afterAll(() => instance.close());
  return instance;
}

export function useModelInstance(
  options: Parameters<typeof openModelInstance>[1] = {},
): ModelInstance {
  const database = useDatabase();
  const instance = {} as ModelInstance;
  beforeAll(async () => {
    Object.assign(instance, await openModelInstance(database.url, options));
  });
  afterAll(() => instance.close());
  return instance;
}

export function useServedInstance(
  options: Parameters<typeof openTestInstance>[1] = {},
  urlOf: (database: string) => Promise<string> = async (url) => url,
): TestInstance & { api: Client; app: FastifyInstance } {
  const database = useDatabase();
  const served = {} as TestInstance & { api: Client; app: FastifyInstance };
  beforeAll(async () => {
    const env = { PORT: '0', ...options.env };
    const instance = await openTestInstance(await urlOf(database.url), { ...options, env });
    const { app, port } = await serve(instance, instance.config, pino({ level: 'silent' }));
    Object.assign(served, instance, { app, api: createClient(`http://127.0.0.1:${port}`) });
    return async () => {
      await app.close();
      await instance.close();
    };
  });
  return served;
}
