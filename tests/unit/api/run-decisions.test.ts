import { expect, it } from 'vitest';
import { readProblem, useApi } from '../../fixtures/api.ts';

const api = useApi();
it('passes changes and rejections on, with what was said', async () => {
  const digest = 'shown';
  await api.post('/api/runs/run-1/propose-changes', { digest, feedback: ' later ' });
  expect(api.service.lastCall('decideRun')?.[1]).toEqual({
    kind: 'changes',
    digest,
    feedback: 'later',
  });
  await api.post('/api/runs/run-1/reject', { digest, feedback: ' ' });
  expect(api.service.lastCall('decideRun')?.[1]).toEqual({ kind: 'reject', digest });
});
it.each([
  ['approve', {}, 'invalid_request'],
  ['approve', { digest: '' }, 'invalid_request'],
  ['approve', { digest: 'shown', feedback: 'x' }, 'invalid_request'],
  ['propose-changes', { digest: 'shown', feedback: '  ' }, 'feedback_required'],
])('refuses %s with %j', async (verb, body, code) => {
  const response = await api.post(`/api/runs/run-1/${verb}`, body);
  expect(response.status).toBe(400);
  expect((await readProblem(response)).code).toBe(code);
});
