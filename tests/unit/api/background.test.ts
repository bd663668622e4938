// Pages that refresh themselves, and the people who wait beside them.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { startApi, type TestApi } from '../../fixtures/api.ts';
import { waitFor } from '../../wait.ts';

const refresh = { priority: 'u=7, i' };
let api: TestApi;
/** Requests that the route has begun and not answered: each waits to be let go. */
let under: { name: string; letGo: () => void }[];

beforeEach(async () => {
  under = [];
  api = await startApi({}, async (app) => {
    app.get<{ Params: { name: string } }>(
      '/slow/:name',
      { config: { role: 'viewer', subject: 'list' } },
      ({ params: { name } }) =>
        new Promise((resolve) => under.push({ name, letGo: () => resolve({ name }) })),
    );
  });
});
afterEach(async () => {
  for (const { letGo } of under) letGo();
  await api.close();
});

const begun = () => under.map(({ name }) => name);
const untilBegun = (...names: string[]) =>
  waitFor(`${names} to begin`, () => begun().join() === names.join());

it('serves one background request at a time, and those that people wait for at once', async () => {
  const first = api.get('/slow/first', refresh);
  await untilBegun('first');
  const second = api.get('/slow/second', refresh);
  const person = api.get('/slow/person');
  const urgent = api.get('/slow/urgent', { priority: 'u=1' });
  await waitFor('people to be served', () => begun().length === 3);
  expect(begun().toSorted()).toEqual(['first', 'person', 'urgent']);
  under[0]?.letGo();
  expect((await first).status).toBe(200);
  await waitFor('the second one to begin', () => begun().includes('second'));
  for (const { letGo } of under) letGo();
  for (const answer of [second, person, urgent]) expect((await answer).status).toBe(200);
});

it('lets the next one in where the client of the one before has left', async () => {
  const left = new AbortController();
  const first = fetch(`${api.origin}/slow/first`, { headers: refresh, signal: left.signal });
  await untilBegun('first');
  const second = api.get('/slow/second', refresh);
  left.abort();
  await expect(first).rejects.toThrow();
  await untilBegun('first', 'second');
  under[1]?.letGo();
  expect((await second).status).toBe(200);
});
