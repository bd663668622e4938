import { afterEach, beforeEach, expect, it } from 'vitest';
import type { AnswerCallback } from '#domain/callback.ts';
import { CountersignError } from '#domain/errors.ts';
import { readProblem, startApi, type TestApi } from '../../fixtures/api.ts';

const token = 'f00d'.repeat(16);
let api: TestApi;
let taken: Parameters<AnswerCallback>[] = [];
beforeEach(async () => {
  taken = [];
  const answer: AnswerCallback = async (...given) => {
    taken.push(given);
    if (given[0] !== token) throw new CountersignError('callback_over', 'Nobody waits.');
  };
  const doors = { apiToken: 'a-token-of-this-test' };
  api = await startApi({ doors, requestsPerMinute: 3, callbacks: { answer } });
});
afterEach(() => api.close());

/** As a local proxy forwards it. */
const from = (address: string) => ({ 'x-forwarded-for': address });
const post = (path: string, body: unknown, address = '203.0.113.7') =>
  api.post(`/api/callbacks/${path}`, body, from(address));
it.each([
  [{}, 400],
  [{ data: 1, error: 'both' }, 400],
  [{ error: '' }, 400],
  [{ data: 1, more: 1 }, 400],
  ['{', 400],
  [{ data: 'x'.repeat(1_100_000) }, 413],
])('refuses what is no result (%#)', async (body, status) => {
  expect((await post(token, body)).status).toBe(status);
  expect(taken).toEqual([]);
});

it('counts what one address sends, so that nobody can try many tokens', async () => {
  const statuses: number[] = [];
  for (let time = 0; time < 4; time += 1)
    statuses.push((await post(`guess-${time}`, { data: 1 })).status);
  expect(statuses).toEqual([410, 410, 410, 429]);
  expect((await post(token, { data: 1 }, '203.0.113.8')).status).toBe(204);
});

it('says why nobody waits, and writes no token into the log', async () => {
  expect(await readProblem(await post('guess', { data: 1 }))).toMatchObject({
    code: 'callback_over',
    status: 410,
    detail: 'Nobody waits.',
  });
  await post(token, { data: 1 });
  expect(api.logged()).toContain('Nobody waits.');
  expect(api.logged()).not.toContain(token);
  expect(api.logged()).not.toContain('guess');
});
