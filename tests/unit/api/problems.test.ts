import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { type ProblemCode, problemKinds, toProblem } from '#api/problem.ts';
import { CountersignError, type ErrorCode } from '#domain/errors.ts';
import { readProblem, useApi } from '../../fixtures/api.ts';

const api = useApi();

describe('the table of problems', () => {
  it('has a row for every code of the instance', async () => {
    const source = await readFile(
      new URL('../../../src/domain/errors.ts', import.meta.url),
      'utf8',
    );
    const begin = source.indexOf('ErrorCode =');
    const union = source.slice(begin, source.indexOf(';', begin));
    const codes = [...union.matchAll(/'(\w+)'/g)].map(([, code]) => code);
    expect(codes.length).toBeGreaterThan(30);
    expect(Object.keys(problemKinds).sort()).toEqual([...codes, 'method_not_allowed'].sort());
  });

  it('tells malformed requests, refused plans and late decisions apart', () => {
    const statuses: [ProblemCode, number][] = [
      ['invalid_json', 400],
      ['dependency_cycle', 422],
      ['path_outside_workspace', 422],
      ['stale_version', 409],
      ['digest_mismatch', 409],
      ['already_decided', 409],
      ['invalid_transition', 409],
      ['not_allowed', 403],
      ['plan_not_found', 404],
    ];
    for (const [code, status] of statuses) expect(problemKinds[code].status, code).toBe(status);
  });

  it('lets no detail replace a member of the standard', () => {
    const details = { status: 200, type: 'x', code: 'y', instance: 'z', current: 3 };
    expect(toProblem({ code: 'not_found', detail: 'No.', details }, '/a')).toEqual({
      type: 'urn:countersign:problem:not_found',
      title: 'Not found',
      status: 404,
      detail: 'No.',
      code: 'not_found',
      instance: '/a',
      current: 3,
    });
  });
});

describe('errors of the service', () => {
  it.each(Object.keys(problemKinds) as ErrorCode[])('sends %s with its status', async (code) => {
    api.service.getPlan = async () => {
      throw new CountersignError(code, 'A sentence.', { details: { extra: 1 } });
    };
    const response = await api.get('/api/plans/PLAN-1');
    const problem = await readProblem(response);
    expect(response.status).toBe(problemKinds[code].status);
    expect(response.headers.get('content-type')).toContain('application/problem+json');
    expect(problem).toMatchObject({ code, type: `urn:countersign:problem:${code}` });
    if (response.status !== 500) expect(problem).toMatchObject({ detail: 'A sentence.', extra: 1 });
  });

  it('hides what went wrong inside, and logs it under the id it answers with', async () => {
    api.service.getPlan = async () => {
      throw new Error('connect ECONNREFUSED postgres://user:secret@db/x');
    };
    const response = await api.get('/api/plans/PLAN-1');
    const body = await response.text();
    expect(response.status).toBe(500);
    expect(body).not.toContain('secret');
    const problem = await readProblem(new Response(body));
    expect(problem.code).toBe('internal');
    expect(problem.request_id).toBe(response.headers.get('x-request-id'));
    expect(problem.detail).toContain(problem.request_id);
    await expect.poll(() => api.logged()).toContain('ECONNREFUSED');
    const line = api
      .logged()
      .split('\n')
      .find((one) => one.includes('ECONNREFUSED'));
    expect(line).toContain(problem.request_id);
  });

  it('hides the sentences of internal errors too', async () => {
    api.service.getPlan = async () => {
      throw new CountersignError('internal', 'row 7 of plans is odd', { details: { row: 7 } });
    };
    const body = await (await api.get('/api/plans/PLAN-1')).text();
    expect(body).not.toMatch(/row/);
  });
});

describe('paths and methods', () => {
  it('answers an unknown path with a hint', async () => {
    const response = await api.get('/api/plan/PLAN-1?x=1');
    expect(response.status).toBe(404);
    expect(await readProblem(response)).toMatchObject({
      code: 'not_found',
      instance: '/api/plan/PLAN-1',
      detail: expect.stringContaining('/openapi.json'),
    });
  });

  it('shows a browser a page with a way back, and an unknown path of the API its problem', async () => {
    const headers = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
    const page = await api.get('/nope', headers);
    expect(page.status).toBe(404);
    expect(page.headers.get('content-type')).toContain('text/html');
    expect(await page.text()).toContain('href="/docs"');
    expect(await readProblem(await api.get('/api/nope', headers))).toMatchObject({ status: 404 });
  });

  it.each([
    ['DELETE', '/api/plans/PLAN-1', 'GET, HEAD'],
    ['GET', '/api/run', 'POST'],
    ['PUT', '/api/plans', 'GET, HEAD, POST'],
    ['POST', '/api/plans/PLAN-1/versions/1..2', 'GET, HEAD'],
    ['OPTIONS', '/api/plans/PLAN-1/approve', 'POST'],
  ])('answers %s %s with what it takes', async (method, path, allow) => {
    const response = await fetch(api.origin + path, { method });
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe(allow);
    expect((await readProblem(response)).code).toBe('method_not_allowed');
  });

  it.each(['/api/plans/PLAN-1/versions/1..x'])('refuses %s', async (path) => {
    const response = await api.get(path);
    expect(response.status).toBe(400);
    expect((await readProblem(response)).code).toBe('invalid_request');
  });

  it('answers bytes that are not HTTP with a problem', async () => {
    const socket = connect(api.port, '127.0.0.1');
    socket.write('not http at all\r\n\r\n');
    const answer = await readText(socket);
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).toContain('application/problem+json');
  });
});
