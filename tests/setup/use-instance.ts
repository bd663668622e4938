// An instance of one's own for each test file, on a database of its own. Beside instance.ts, since programs that tests start open instances too.
import { afterAll, beforeAll } from 'vitest';
import { type ModelInstance, openModelInstance } from '../fixtures/model-instance.ts';
import { useDatabase } from './database.ts';
import { openTestInstance, type TestInstance } from './instance.ts';

/** Opens an instance before the surrounding file's tests and closes it after them; the object is empty until then. */
export function useInstance(options: Parameters<typeof openTestInstance>[1] = {}): TestInstance {
  const database = useDatabase();
  const instance = {} as TestInstance; // What tests are given is whole: it is filled before the first of them runs.
  beforeAll(async () => {
    Object.assign(instance, await openTestInstance(database.url, options));
  });
  afterAll(() => instance.close());
  return instance;
}

/** The same, whose planner talks to the double of a model. */
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
