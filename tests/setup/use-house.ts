// A house of one's own for each test file, on a database of its own. Beside house.ts, since programs that tests start open houses too.
import { afterAll, beforeAll } from 'vitest';
import { useDatabase } from '#tests/setup/database.ts';
import { openTestHouse, type TestHouse } from '#tests/setup/house.ts';

/** Opens a house before the surrounding file's tests and closes it after them; the object is empty until then. */
export function useHouse(options: Parameters<typeof openTestHouse>[1] = {}): TestHouse {
  const database = useDatabase();
  const house = {} as TestHouse; // What tests are given is whole: it is filled before the first of them runs.
  beforeAll(async () => {
    Object.assign(house, await openTestHouse(database.url, options));
  });
  afterAll(() => house.close());
  return house;
}
