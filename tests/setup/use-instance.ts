// An instance per test file, on its own database. Separate from instance.ts, which processes without Vitest use too.
import { afterAll, beforeAll } from 'vitest';
import { type ModelInstance, openModelInstance } from '../fixtures/model-instance.ts';
import { useDatabase } from './database.ts';
import { openTestInstance, type TestInstance } from './instance.ts';

/** Opens an instance before the surrounding file's tests and closes it after them; the object is empty until then. */
export function useInstance(options: Parameters<typeof openTestInstance>[1] = {}): TestInstance {
  const database = useDatabase();
  const instance = {} as TestInstance; // Filled before the first test runs.
  beforeAll(async () => {
    Object.assign(instance, await openTestInstance(database.url, options));
  });
  afterAll(() => instance.close());
  return instance;
}

/** The same with a planner that calls the model double. */
export function useModelInstance(
  options: Parameters<typeof openModelInstance>[1] = {},
): ModelInstance {
  const database = useDatabase();
  const instance = {} as ModelInstance; // As above.
  beforeAll(async () => {
    Object.assign(instance, await openModelInstance(database.url, options));
  });
  afterAll(() => instance.close());
  return instance;
}
