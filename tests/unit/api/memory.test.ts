import { describe, expect, it } from 'vitest';
import { readProblem, useApi } from '../../fixtures/api.ts';

const api = useApi();

function send(method: string, path: string, body?: unknown): Promise<Response> {
  return fetch(`${api.origin}/api/memory/${path}`, {
    method,
    ...(body === undefined
      ? {}
      : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  });
}

const actor = { kind: 'person', id: 'ana', via: 'api' };

describe('memory over HTTP', () => {
  it('is kept, listed, changed and forgotten by its person', async () => {
    const note = { name: 'Ben', text: 'ben@example.com' };
    const kept = await (await send('POST', 'ana', note)).json();
    expect(kept).toMatchObject({ ...note, scope: 'person' });
    expect(api.service.lastCall('keepMemory')).toEqual(['ana', note, actor]);
    const { id } = kept as { id: number };
    const changed = await send('PUT', `ana/${id}`, { text: 'ben@example.org' });
    expect(await changed.json()).toMatchObject({ name: null, text: 'ben@example.org' });
    expect(await (await send('GET', 'ana')).json()).toMatchObject({ entries: [{ id }] });
    expect((await send('DELETE', `ana/${id}`)).status).toBe(200);
    expect((await readProblem(await send('DELETE', `ana/${id}`))).code).toBe('not_found');
    expect(await (await send('GET', 'ana')).json()).toEqual({ entries: [] });
  });

  it.each([[{}], [{ text: ' ' }], [{ text: 'x'.repeat(501) }], [{ text: 'a', scope: 'person' }]])(
    'refuses %j',
    async (body) => {
      const response = await send('POST', 'ana', body);
      expect(response.status).toBe(400);
    },
  );
});
