import { describe, expect, it } from 'vitest';
import { defaultPolicy } from '#domain/people/policy.ts';
import { readProblem, useApi } from '../../fixtures/api.ts';

const api = useApi();

function put(user: string, body: unknown): Promise<Response> {
  return fetch(`${api.origin}/api/policy/${encodeURIComponent(user)}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

describe('a person’s sliders', () => {
  it('are the defaults where nothing was set', async () => {
    const view = await (await api.get('/api/policy/ana')).json();
    expect(view).toEqual({ user: 'ana', policy: defaultPolicy, set: {} });
  });

  it('are set as a whole, by the person themselves', async () => {
    const first = await put('ana', { conversation_style: 'coach', probing_depth: 3 });
    expect(first.status).toBe(200);
    expect(api.service.lastCall('setPolicy')).toEqual([
      'ana',
      { policy: { conversation_style: 'coach', probing_depth: 3 }, keep: false },
      { kind: 'person', id: 'ana', via: 'api' },
    ]);
    expect(await (await put('ana', { tone: 'friendly' })).json()).toEqual({
      user: 'ana',
      policy: { ...defaultPolicy, tone: 'friendly' },
      set: { tone: 'friendly' },
    });
    expect(await (await put('ana', {})).json()).toMatchObject({ policy: defaultPolicy, set: {} });
  });

  it.each([
    [{ talkativeness: 1.1 }, 'The body does not fit: talkativeness must be at most 1.'],
    [{ talkativeness: -0.1 }, 'The body does not fit: talkativeness must be at least 0.'],
    [{ probing_depth: 4 }, 'The body does not fit: probing_depth must be at most 3.'],
    [{ probing_depth: 1.5 }, 'The body does not fit: probing_depth must be a whole number.'],
    [{ volume: 11 }, 'The body does not fit: it has "volume", not known here.'],
    [{ tone: null }, 'must be one of "neutral", "friendly", "clinical"'],
    [[], 'must be an object'],
  ])('refuses %j and says why', async (body, sentence) => {
    const response = await put('ana', body);
    expect(response.status).toBe(400);
    const problem = await readProblem(response);
    expect(problem.code).toBe('invalid_request');
    expect(problem.detail).toContain(sentence);
  });

  it.each([0, 3])('takes %i as probing_depth', async (probing_depth) => {
    expect((await put('ana', { probing_depth, talkativeness: probing_depth / 3 })).status).toBe(
      200,
    );
  });

  it('are of people whose names have blanks and slashes', async () => {
    await put('Ana / Ops', { tone: 'clinical' });
    const view = await (await api.get(`/api/policy/${encodeURIComponent('Ana / Ops')}`)).json();
    expect(view).toMatchObject({ user: 'Ana / Ops', set: { tone: 'clinical' } });
  });
});
