import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readCompose } from '../../setup/compose.ts';

const file = join(import.meta.dirname, '../../../compose.yaml');
const secrets = {
  POSTGRES_PASSWORD: 'of-the-database',
  COUNTERSIGN_API_TOKEN: 'sixteen-characters',
};

test('without its secrets nothing starts, and the file says which and where they go', () => {
  expect(() => readCompose(file, {})).toThrow(
    /^POSTGRES_PASSWORD: Put POSTGRES_PASSWORD into .env/,
  );
  expect(() => readCompose(file, { POSTGRES_PASSWORD: 'x' })).toThrow(
    /^COUNTERSIGN_API_TOKEN: Put COUNTERSIGN_API_TOKEN into .env/,
  );
});

test('every variable of .env reaches gateway and workers, but for those that say how they are reached', () => {
  const own = { PLANNER_MODEL: 'large', SLACK_CLIENT_ID: '1.2', GOOGLE_SECRET: 'of-a-provider' };
  const services = readCompose(file, { ...secrets, ...own, PORT: '80', DATABASE_URL: 'elsewhere' });
  for (const name of ['migrate', 'gateway', 'worker'])
    expect(services[name]?.environment).toMatchObject({
      ...own,
      COUNTERSIGN_API_TOKEN: secrets.COUNTERSIGN_API_TOKEN,
      DATABASE_URL: `postgres://countersign:${secrets.POSTGRES_PASSWORD}@db:5432/countersign`,
      POSTGRES_PASSWORD: '',
      PORT: '3978',
    });
  expect(Object.keys(services.db?.environment ?? {}).sort()).toEqual([
    ...['POSTGRES_DB', 'POSTGRES_PASSWORD', 'POSTGRES_USER'],
  ]);
});
