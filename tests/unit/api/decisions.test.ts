import { expect, it } from 'vitest';
import { proposeDraft, readProblem, useApi } from '../../fixtures/api.ts';

const api = useApi();
it('passes on what became of unknown steps, and refuses other fates', async () => {
  const { id, version } = await proposeDraft(api);
  const steps = { '1': 'retry', '2': 'done' };
  await api.post(`/api/plans/${id}/resume`, { version, steps });
  expect(api.service.lastCall('resume')?.[1]).toEqual({ version, steps });
  const bad = await api.post(`/api/plans/${id}/resume`, { version, steps: { '1': 'maybe' } });
  expect((await readProblem(bad)).errors[0]?.path).toContain('steps');
});

it('passes on what was looked at, and refuses what cannot have been', async () => {
  const { id, version } = await proposeDraft(api);
  const steps = { '1': 'retry' };
  const about = { '1': { attempt: 2, status: 'unknown' } };
  await api.post(`/api/plans/${id}/resume`, { version, steps, about });
  expect(api.service.lastCall('resume')?.[1]).toEqual({ version, steps, about });
  const running = { '1': { attempt: 2, status: 'running' } };
  const bad = await api.post(`/api/plans/${id}/resume`, { version, steps, about: running });
  expect((await readProblem(bad)).errors[0]?.path).toContain('about');
  const ended_at = '2026-03-02T09:30:00.000Z';
  await api.post(`/api/plans/${id}/retry`, { version, ended_at });
  expect(api.service.lastCall('retry')?.[1]).toEqual({ version, ended_at });
  const never = await api.post(`/api/plans/${id}/retry`, { version, ended_at: 'never' });
  expect((await readProblem(never)).errors[0]?.path).toContain('ended_at');
});

it('passes on what people answered, in words and in fields, and refuses anything else', async () => {
  const { id, version } = await proposeDraft(api);
  const steps = { '1': 'done', '2': 'done' };
  const answers = { '1': 'Yes', '2': { amount: 12.5, paid: false, remarks: null, day: '' } };
  await api.post(`/api/plans/${id}/resume`, { version, steps, answers });
  expect(api.service.lastCall('resume')?.[1]).toEqual({ version, steps, answers });
  for (const wrong of [{ '1': 5 }, { '2': { amount: [1] } }, { '2': { amount: { of: 1 } } }]) {
    const response = await api.post(`/api/plans/${id}/resume`, { version, steps, answers: wrong });
    expect(response.status).toBe(400);
    expect((await readProblem(response)).errors[0]?.path).toContain('answers');
  }
});

it('simulates with a body and without one', async () => {
  const { id, version } = await proposeDraft(api);
  expect((await api.post(`/api/plans/${id}/simulate`, { version })).status).toBe(200);
  const bare = await fetch(`${api.origin}/api/plans/${id}/simulate`, { method: 'POST' });
  expect(bare.status).toBe(200);
  expect(api.service.lastCall('simulate')?.[1]).toEqual({});
});
