import { once } from 'node:events';
import { request } from 'node:http';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { readProblem, useApi } from '../../fixtures/api.ts';

const api = useApi();

const megabyte = 1_048_576;

/** @param head an object's text without its last brace */
function padded(head: string, bytes: number): string {
  return `${head}${' '.repeat(bytes - head.length - 1)}}`;
}

describe('JSON', () => {
  it.each([
    ['{"text": "a",', /^The body is not valid JSON: .+/, {}],
    ['{"text": "a"\n "b"}', /line 2 column 2/, { line: 2, column: 2 }],
    ['', /The body is empty/, {}],
    ['{"text": "Read a.md", "text": "Delete a.md"}', /“text” twice/, { field: 'text' }],
    ['{"__proto__": {"a": 1}, "text": "x"}', /a forbidden key/, {}],
  ])('refuses %j and says where it breaks', async (body, detail, details) => {
    const response = await api.post('/api/run', body);
    const problem = await readProblem(response);
    expect(response.status).toBe(400);
    expect(problem).toMatchObject({
      code: 'invalid_json',
      title: 'The body is not JSON',
      ...details,
    });
    expect(problem.detail).toMatch(detail);
  });

  it('refuses what is JSON but no object', async () => {
    const problem = await readProblem(await api.post('/api/run', '[1]'));
    expect(problem).toMatchObject({ code: 'invalid_request' });
    expect(problem.detail).toContain('must be an object');
  });

  it('refuses on every route what nests too deep, and names the limit', async () => {
    const Document = z.object({
      paths: z.record(z.string(), z.record(z.string(), z.unknown())),
    });
    const { paths } = Document.parse(await (await api.get('/openapi.json')).json());
    const routes = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).flatMap((method) => {
        const takes = ['post', 'put', 'patch'].includes(method) && !path.endsWith('/import');
        return takes ? [{ path: path.replaceAll(/\{\w+\}/g, 'x'), method }] : [];
      }),
    );
    expect(routes.length).toBeGreaterThan(10);
    const nested = `${'{"args":'.repeat(1500)}1${'}'.repeat(1500)}`;
    for (const { path, method } of routes) {
      const response = await fetch(api.origin + path, {
        method: method.toUpperCase(),
        headers: { 'content-type': 'application/json' },
        body: nested,
      });
      const problem = await readProblem(response);
      expect(problem, path).toMatchObject({ status: 400, code: 'invalid_json', limit_depth: 100 });
      expect(problem.detail).toContain('100 levels');
    }
  });

  it('takes what nests up to the limit', async () => {
    const args: unknown = JSON.parse(`${'['.repeat(96)}${']'.repeat(96)}`);
    const step = { id: '1', description: 'x', tool: 'a', operation: 'b', args: { args } };
    expect((await api.post('/api/plans', { title: 'Deep', steps: [step] })).status).toBe(201);
  });

  it.each(['/api/run', '/api/runs/run-1/reply', '/api/conversations/c/messages'])(
    'refuses a text that is too long for %s, and names the limit',
    async (path) => {
      const response = await api.post(path, { text: 'a '.repeat(50_000) });
      const problem = await readProblem(response);
      expect(problem).toMatchObject({ status: 400, code: 'invalid_request' });
      expect(problem.detail).toContain('text must have at most 20000 characters');
    },
  );

  it('refuses text that cannot be stored', async () => {
    const problem = await readProblem(await api.post('/api/run', { text: 'a\u0000b' }));
    expect(problem.errors[0]).toMatchObject({ path: 'text' });
  });
});

describe('content types', () => {
  it.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'])(
    'does not take %s, which a form could send',
    async (type) => {
      const response = await api.post('/api/run', '{"text":"x"}', { 'content-type': type });
      const problem = await readProblem(response);
      expect(response.status).toBe(415);
      expect(problem).toMatchObject({
        code: 'unsupported_media_type',
        accepts: 'application/json',
      });
      expect(problem.detail).toContain(type);
    },
  );

  it('takes JSON with a charset', async () => {
    const type = { 'content-type': 'application/json; charset=utf-8' };
    expect((await api.post('/api/run', { text: 'x' }, type)).status).toBe(202);
  });
});

describe('sizes', () => {
  it('takes 1 MB and not a byte more', async () => {
    expect((await api.post('/api/run', padded('{"text":"x"', megabyte))).status).toBe(202);
    const response = await api.post('/api/run', padded('{"text":"x"', megabyte + 1));
    const problem = await readProblem(response);
    expect(response.status).toBe(413);
    expect(problem).toMatchObject({ code: 'body_too_large', limit_bytes: megabyte });
    expect(problem.detail).toContain('1 MB');
  });

  it('lets a client that sends too much without saying how much read the answer', async () => {
    const outgoing = request({
      host: '127.0.0.1',
      port: api.port,
      path: '/api/run',
      method: 'POST',
      headers: { 'content-type': 'application/json', 'transfer-encoding': 'chunked' },
    });
    const answered = once(outgoing, 'response');
    for (let sent = 0; sent < 8; sent += 1) {
      if (!outgoing.write(' '.repeat(megabyte))) await once(outgoing, 'drain');
    }
    outgoing.end();
    const [response] = await answered;
    expect(response.statusCode).toBe(413);
    response.resume();
  });
});
