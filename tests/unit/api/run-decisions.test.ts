import { expect, it } from 'vitest';
import { readProblem, useApi } from '../../fixtures/api.ts';

const api = useApi();

it('approves what a run shows by its digest', async () => {
  const body = { digest: 'shown', turn: 2, user: 'ana' };
  const response = await api.post('/api/runs/run-1/approve', body);
  expect(response.status).toBe(200);
  expect(await response.json()).toMatchObject({ run_id: 'run-1', planning_status: 'running' });
  expect(api.service.lastCall('decideRun')).toEqual([
    'run-1',
    { kind: 'approve', digest: 'shown', turn: 2 },
    { kind: 'person', id: 'ana', via: 'api' },
  ]);
});

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

it('answers 409 with what is shown now to a card that has gone', async () => {
  const response = await api.post('/api/runs/run-1/approve', { digest: 'old' });
  expect(response.status).toBe(409);
  expect(await readProblem(response)).toMatchObject({
    code: 'stale_version',
    current: { digest: 'shown', waits_for: 'gate' },
  });
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
