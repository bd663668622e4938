// The largest bodies that the API takes.
import { expect, it } from 'vitest';
import { draft, readProblem, useApi } from '../fixtures/api.ts';
import { draftStep } from '../fixtures/steps.ts';

const api = useApi();

const megabyte = 1_048_576;

/** A JSON object of exactly `bytes` bytes around `head`, which is an object's text without its last brace. */
function padded(head: string, bytes: number): string {
  return `${head}${' '.repeat(bytes - head.length - 1)}}`;
}

it('takes a plan of 64 MB and not a byte more', async () => {
  const head = JSON.stringify(draft).slice(0, -1);
  expect((await api.post('/api/plans', padded(head, 64 * megabyte))).status).toBe(201);
  const response = await api.post('/api/plans', padded(head, 64 * megabyte + 1));
  expect(response.status).toBe(413);
  expect(await readProblem(response)).toMatchObject({ limit_bytes: 64 * megabyte });
});

it('takes 100,000 steps and answers without them', async () => {
  const steps = Array.from({ length: 100_000 }, (_, index) => ({
    ...draftStep(`s${index}`, `Create file ${index}`, 'workspace_write', {
      path: `files/${index}.txt`,
      content: 'x',
    }),
    ...(index === 0 ? {} : { after: [`s${index - 1}`] }),
  }));
  const response = await api.post('/api/plans', { title: 'Many files', steps });
  const answer = await response.text();
  expect(response.status).toBe(201);
  expect(JSON.parse(answer).total_steps).toBe(100_000);
  expect(answer.length).toBeLessThan(10_000);
});
