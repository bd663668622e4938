// What the program refuses: each with a problem that has a code and a sentence, and with nothing stored of it.
import { readdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client as Connection } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { draftStep } from '../fixtures/steps.ts';
import { useDatabase } from '../setup/database.ts';
import type { Problem } from '../setup/http-client.ts';
import { type Server, usePrograms } from '../setup/process.ts';

const database = useDatabase();
const programs = usePrograms();
/** A folder beside the workspace, with a file nobody may read. */
let outside: string;
let server: Server;
let connection: Connection;

beforeAll(async () => {
  outside = await programs.home();
  await writeFile(join(outside, 'secret.txt'), 'secret');
  const home = await programs.home();
  await symlink(outside, join(home, 'workspace', 'link'));
  server = await programs.serve({ home, database: database.url });
  connection = new Connection({ connectionString: database.url });
  await connection.connect();
});
afterAll(() => connection.end());

/** Rows of every table of ours and of the jobs, by table. */
async function countRows(): Promise<Record<string, number>> {
  const { rows: tables } = await connection.query<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname = 'countersign'
     union all select 'pgboss.job' order by 1`,
  );
  const counts: Record<string, number> = {};
  for (const { name } of tables) {
    // Jobs that come by themselves every few minutes are nobody's request.
    const where = name === 'pgboss.job' ? `where name in ('plan', 'execute', 'step', 'card')` : '';
    const { rows } = await connection.query<{ n: number }>(
      `select count(*)::int as n from ${name} ${where}`,
    );
    counts[name] = rows[0]?.n ?? -1;
  }
  return counts;
}

/** Expects a problem of `code` with a sentence, and that nothing was stored while it came about. */
async function expectRefused(
  code: string,
  status: number,
  ask: () => Promise<{ status: number; type: string; body: unknown }>,
): Promise<Problem> {
  const before = await countRows();
  const answer = await ask();
  const body = answer.body as Problem; // Checked right below.
  expect(body).toMatchObject({ code, status, type: `urn:countersign:problem:${code}` });
  expect([answer.status, answer.type.split(';')[0]]).toEqual([status, 'application/problem+json']);
  expect(body.detail).toMatch(/^[A-Z"/].{15,}[.:…)]/s);
  expect(await countRows()).toEqual(before);
  return body;
}

const write = (id: string, path: string, after: string[] = []) =>
  draftStep(id, `Write ${path}`, 'workspace_write', { path, content: 'x' }, ...after);
const plan = (...steps: object[]) => ({ title: 'Refused', steps });
const good = write('good', 'good.txt');
const propose = (body: unknown) => () => server.api.post('/api/plans', body);

describe('a proposed plan', () => {
  it('is stored when nothing is wrong with it, so that the counts below can tell', async () => {
    const before = await countRows();
    await server.api.propose(plan(good));
    const after = await countRows();
    expect(after['countersign.plans']).toBe((before['countersign.plans'] ?? 0) + 1);
    expect(after['countersign.plan_steps']).toBe((before['countersign.plan_steps'] ?? 0) + 1);
  });

  it('is refused with an unknown tool, and told what there is', async () => {
    const step = draftStep('2', 'Fly', 'flights_book', {});
    const { detail } = await expectRefused('unknown_operation', 422, propose(plan(good, step)));
    expect(detail).toContain('flights_book');
    expect(detail).toContain('workspace_write');
  });

  it('is refused with an unknown operation of a known tool', async () => {
    const step = draftStep('2', 'Shred it', 'workspace_shred');
    await expectRefused('unknown_operation', 422, propose(plan(good, step)));
  });

  it('is refused with a cycle, which is shown', async () => {
    const steps = [write('a', 'a', ['c']), write('b', 'b', ['a']), write('c', 'c', ['b'])];
    const { detail } = await expectRefused('dependency_cycle', 422, propose(plan(good, ...steps)));
    expect(detail).toMatch(/[abc] → [abc] → [abc] → [abc]/);
  });

  it('is refused with a step that waits for itself', async () => {
    await expectRefused('dependency_cycle', 422, propose(plan(write('a', 'a', ['a']))));
  });

  it('is refused with two steps of one id', async () => {
    await expectRefused('duplicate_step', 422, propose(plan(good, write('good', 'b.txt'))));
  });

  it('is refused with a dependency on a step that is not there', async () => {
    await expectRefused('unknown_step', 422, propose(plan(good, write('b', 'b.txt', ['gone']))));
  });

  it('is refused with a reference to an output that is not there', async () => {
    const step = { ...write('b', 'b.txt'), args: { path: 'b.txt', content: { $from: 'gone' } } };
    await expectRefused('invalid_reference', 422, propose(plan(good, step)));
  });

  it.for([
    ['a missing argument', { path: 'b.txt' }, /content/],
    ['an argument of the wrong type', { path: 'b.txt', content: 7 }, /content/],
    ['an argument that does not exist', { path: 'b.txt', content: 'x', mode: '777' }, /mode/],
  ] as const)('is refused with %s', async ([, args, sentence]) => {
    const step = { ...write('b', 'b.txt'), args };
    const { detail } = await expectRefused('invalid_arguments', 422, propose(plan(good, step)));
    expect(detail).toMatch(sentence);
  });

  it.for(['../x', 'notes/../../x', '/etc/passwd', 'C:\\x', '..\\x'])(
    'is refused with the path %s outside the workspace',
    async (path) => {
      const body = plan(good, write('b', path));
      await expectRefused('path_outside_workspace', 422, propose(body));
    },
  );

  it('is refused without steps, and without a title', async () => {
    await expectRefused('empty_plan', 422, propose(plan()));
    await expectRefused('invalid_request', 400, propose({ steps: [good] }));
  });

  it('names all of several problems at once', async () => {
    const { errors } = await expectRefused(
      'path_outside_workspace',
      422,
      propose(plan(write('a', '../a'), { ...write('b', 'b'), args: {} })),
    );
    expect(errors).toMatchObject([
      { code: 'path_outside_workspace', path: 'steps[0].args' },
      { code: 'invalid_arguments', path: 'steps[1].args' },
    ]);
  });
});

describe('a path that leaves the workspace by a link in it', () => {
  it('fails its step when it runs, and nothing is read or written', async () => {
    const { api } = server;
    const proposed = await api.propose(
      plan(
        write('escape', 'link/escaped.txt'),
        draftStep('read', 'Read the secret', 'workspace_read', { path: 'link/secret.txt' }),
      ),
    );
    await api.approve(proposed);
    await api.reach(proposed.id, 'failed');
    const steps = await api.steps(proposed.id);
    expect(steps.map(({ status, error }) => [status, error?.code])).toEqual([
      ['failed', 'path_outside_workspace'],
      ['failed', 'path_outside_workspace'],
    ]);
    expect(JSON.stringify(steps)).not.toContain('"secret"');
    expect(await readdir(outside)).not.toContain('escaped.txt');
  });
});

describe('a body', () => {
  const megabyte = 1_048_576;
  it('of more than 1 MB is refused', async () => {
    const text = 'x'.repeat(megabyte + 1);
    const { limit_bytes } = await expectRefused('body_too_large', 413, () =>
      server.api.post('/api/run', { text }),
    );
    expect(limit_bytes).toBe(megabyte);
  });

  it('of a proposed plan may have more than 1 MB, and not more than 64 MB', async () => {
    const padded = (bytes: number) => JSON.stringify(plan(good)).padEnd(bytes, ' '); // Space is JSON's as well.
    const fits = await server.api.send('/api/plans', padded(2 * megabyte));
    expect(fits.status).toBe(201);
    const { limit_bytes } = await expectRefused('body_too_large', 413, () =>
      server.api.send('/api/plans', padded(64 * megabyte + 1)),
    );
    expect(limit_bytes).toBe(64 * megabyte);
  });

  it.for(['/api/plans', '/api/run', '/api/plans/PLAN-00000000/approve'])(
    'that is not JSON is refused at %s',
    async (path) => {
      const { detail } = await expectRefused('invalid_json', 400, () =>
        server.api.send(path, '{"text": "Write'),
      );
      expect(detail).toContain('not valid JSON');
    },
  );

  it('of another type is refused', async () => {
    await expectRefused('unsupported_media_type', 415, () =>
      server.api.send('/api/run', 'Write a.txt', 'text/plain'),
    );
  });

  it('with an unknown key is refused by the name of the key', async () => {
    const body = await expectRefused('invalid_request', 400, () =>
      server.api.post('/api/run', { text: 'Write a.txt', approve: true }),
    );
    expect(JSON.stringify(body)).toContain('approve');
  });
});

describe('what does not exist', () => {
  const decision = { version: 1, digest: 'f'.repeat(64) };
  it('is a plan that nobody proposed, wherever it is named', async () => {
    const { api } = server;
    for (const path of ['', '/overview', '/diff', '/steps', '/plan.md', '/log.jsonl', '/audit'])
      await expectRefused('plan_not_found', 404, () => api.get(`/api/plans/PLAN-00000000${path}`));
    for (const path of ['/events', '/trace', '/versions/1..2', '/card'])
      await expectRefused('plan_not_found', 404, () => api.get(`/api/plans/PLAN-00000000${path}`));
    await expectRefused('plan_not_found', 404, () =>
      api.post('/api/plans/PLAN-00000000/approve', decision),
    );
    for (const verb of ['reject', 'cancel', 'pause', 'resume', 'retry', 'simulate'])
      await expectRefused('plan_not_found', 404, () =>
        api.post(`/api/plans/PLAN-00000000/${verb}`, { version: 1 }),
      );
  });

  it('is a run that nobody started', async () => {
    const { api } = server;
    await expectRefused('run_not_found', 404, () => api.get('/api/runs/run-0'));
    await expectRefused('run_not_found', 404, () =>
      api.post('/api/runs/run-0/reply', { text: 'approve' }),
    );
  });

  it('is a path that is none', async () => {
    await expectRefused('not_found', 404, () => server.api.get('/api/nothing'));
  });
});

describe('a decision that comes at the wrong time', () => {
  it('is refused with the status the plan has', async () => {
    const { api } = server;
    const proposed = await api.propose(plan(write('a', 'late.txt')));
    const path = `/api/plans/${proposed.id}`;
    for (const verb of ['pause', 'retry', 'resume']) {
      const { detail } = await expectRefused('invalid_transition', 409, () =>
        api.post(`${path}/${verb}`, { version: 1 }),
      );
      expect(detail).toContain('proposed');
    }
    expect((await api.approve(proposed)).status).toBe(200);
    await api.reach(proposed.id, 'completed');
    for (const verb of ['cancel', 'reject', 'pause', 'retry', 'resume']) {
      const { detail } = await expectRefused('invalid_transition', 409, () =>
        api.post(`${path}/${verb}`, { version: 1 }),
      );
      expect(detail).toContain('completed');
    }
  });
});
