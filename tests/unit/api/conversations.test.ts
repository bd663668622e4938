import { expect, it } from 'vitest';
import { readProblem, useApi } from '../../fixtures/api.ts';

const api = useApi();

it('starts a run and says where to ask about it', async () => {
  const response = await api.post('/api/run', { text: 'Write a note', reasoning_level: 2 });
  expect(response.status).toBe(202);
  expect(await response.json()).toEqual({ run_id: 'run-1', status_url: '/api/runs/run-1' });
  expect(api.service.lastCall('startRun')).toEqual([
    { text: 'Write a note', reasoning_level: 2 },
    { kind: 'person', id: 'local', via: 'api' },
  ]);
  const run = await (await api.get('/api/runs/run-1')).json();
  expect(run).toMatchObject({ planning_status: 'running' });
});

it('hears replies, and knows runs that are not there', async () => {
  const reply = await api.post('/api/runs/run-1/reply', { text: 'approve', user: 'ben' });
  expect(reply.status).toBe(202);
  expect(api.service.lastCall('reply')).toEqual([
    'run-1',
    'approve',
    { kind: 'person', id: 'ben', via: 'api' },
    { on_screen: {}, reader: 'local' },
  ]);
  const missing = await api.get('/api/runs/none');
  expect(missing.status).toBe(404);
  expect((await readProblem(missing)).code).toBe('run_not_found');
});

it('keeps a conversation whose id has slashes and is long', async () => {
  const id = encodeURIComponent(`slack:${'C'.repeat(200)}/1700000000.1`);
  const said = await api.post(`/api/conversations/${id}/messages`, { text: 'hello', user: 'ana' });
  expect(said.status).toBe(202);
  expect(await said.json()).toEqual({ run_id: 'run-1' });
  await api.post(`/api/conversations/${id}/messages`, { text: 'again' });
  const later = await (await api.get(`/api/conversations/${id}/messages?after=1`)).json();
  expect(later).toMatchObject({ messages: [{ id: 2, text: 'again', name: 'local' }] });
});
