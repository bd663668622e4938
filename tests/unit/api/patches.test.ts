import { expect, test } from 'vitest';
import { proposeDraft, readProblem, useApi } from '../../fixtures/api.ts';
import { draftStep } from '../../fixtures/steps.ts';

const api = useApi();

const remove = { op: 'remove_steps', steps: { ids: ['1'] } };
const add = {
  op: 'add_step',
  step: draftStep('n', 'Do it', 'control_noop'),
};

test('a change that is applied is answered with 200, one that waits with 202', async () => {
  const { id } = await proposeDraft(api);
  const path = `/api/plans/${id}/patches`;
  const applied = await api.post(path, { base_revision: 1, operations: [remove], user: 'ana' });
  expect(applied.status).toBe(200);
  expect(api.service.lastCall('checkPatch')).toMatchObject([
    id,
    { base_revision: 1, operations: [remove] },
    { kind: 'person', id: 'ana' },
  ]);
  const waiting = await api.post(path, { base_revision: 1, operations: [add], reason: 'why' });
  expect(waiting.status).toBe(202);
  expect(await waiting.json()).toMatchObject({ status: 'needs_approval', reason: 'why' });
});

test('a conflict is answered with 409', async () => {
  const { id } = await proposeDraft(api);
  const answer = await api.post(`/api/plans/${id}/patches`, {
    base_revision: 99,
    operations: [remove],
  });
  expect(answer.status).toBe(409);
  expect((await readProblem(answer)).code).toBe('patch_conflict');
});

test.each([
  ['no operations', { base_revision: 1, operations: [] }],
  ['no revision', { operations: [remove] }],
  ['a selector of nothing', { base_revision: 1, operations: [{ ...remove, steps: {} }] }],
  ['an unknown operation', { base_revision: 1, operations: [{ op: 'explode' }] }],
  [
    'a change that changes nothing',
    { base_revision: 1, operations: [{ op: 'update_steps', steps: { ids: ['1'] }, set: {} }] },
  ],
  [
    'another tool for a step',
    {
      base_revision: 1,
      operations: [{ op: 'update_steps', steps: { ids: ['1'] }, set: { tool: 'http' } }],
    },
  ],
])('%s is refused', async (_name, body) => {
  const { id } = await proposeDraft(api);
  const answer = await api.post(`/api/plans/${id}/patches`, body);
  expect(answer.status).toBe(400);
  expect((await readProblem(answer)).code).toBe('invalid_request');
});
