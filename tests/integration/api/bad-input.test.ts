// Refused requests: a problem with a code, and nothing stored.
import { sql } from 'drizzle-orm';
import { expect, it } from 'vitest';
import { draftStep } from '../../fixtures/steps.ts';
import type { Problem } from '../../setup/http-client.ts';
import { useServedInstance } from '../../setup/use-instance.ts';

const instance = useServedInstance();

async function countRows(): Promise<Record<string, number>> {
  const { query } = instance.db;
  const { rows: tables } = await query.execute<{ name: string }>(
    sql`select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname = 'countersign'
      union all select 'pgboss.job' order by 1`,
  );
  const counts: Record<string, number> = {};
  for (const { name } of tables) {
    // Scheduled jobs come from no request.
    const where = name === 'pgboss.job' ? `where name in ('plan', 'execute', 'step', 'card')` : '';
    const { rows } = await query.execute<{ n: number }>(
      sql.raw(`select count(*)::int as n from ${name} ${where}`),
    );
    counts[name] = rows[0]?.n ?? -1;
  }
  return counts;
}

async function expectRefused(
  code: string,
  status: number,
  ask: () => Promise<{ status: number; type: string; body: unknown }>,
): Promise<Problem> {
  const before = await countRows();
  const answer = await ask();
  const body = answer.body as Problem;
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
const propose = (body: unknown) => () => instance.api.post('/api/plans', body);

it('stores a plan with nothing wrong, so that the counts below can tell', async () => {
  const before = await countRows();
  await instance.api.propose(plan(good));
  const after = await countRows();
  expect(after['countersign.plans']).toBe((before['countersign.plans'] ?? 0) + 1);
  expect(after['countersign.plan_steps']).toBe((before['countersign.plan_steps'] ?? 0) + 1);
});

const withArgs = (args: object) => plan(good, { ...write('b', 'b.txt'), args });

it.each<[code: string, what: string, body: object, named: RegExp]>([
  [
    'unknown_operation',
    'an unknown tool',
    plan(draftStep('2', 'Fly', 'flights_book', {})),
    /flights_book.*workspace_write/s,
  ],
  [
    'unknown_operation',
    'an unknown operation',
    plan(draftStep('2', 'Shred', 'workspace_shred')),
    /shred/,
  ],
  [
    'dependency_cycle',
    'a cycle',
    plan(write('a', 'a', ['c']), write('b', 'b', ['a']), write('c', 'c', ['b'])),
    /[abc] → [abc] → [abc] → [abc]/,
  ],
  ['dependency_cycle', 'a step that waits for itself', plan(write('a', 'a', ['a'])), /a/],
  ['duplicate_step', 'two steps of one id', plan(good, write('good', 'b.txt')), /good/],
  ['unknown_step', 'a dependency on nothing', plan(good, write('b', 'b.txt', ['gone'])), /gone/],
  [
    'invalid_reference',
    'a reference to nothing',
    withArgs({ path: 'b.txt', content: { $from: 'gone' } }),
    /gone/,
  ],
  ['invalid_arguments', 'a missing argument', withArgs({ path: 'b.txt' }), /content/],
  [
    'invalid_arguments',
    'an argument of the wrong type',
    withArgs({ path: 'b.txt', content: 7 }),
    /content/,
  ],
  [
    'invalid_arguments',
    'an argument that does not exist',
    withArgs({ path: 'b.txt', content: 'x', mode: '777' }),
    /mode/,
  ],
  ['path_outside_workspace', 'a path outside the workspace', plan(write('b', '../x')), /\.\.\/x/],
  ['empty_plan', 'no steps', plan(), /step/],
])('refuses a plan as %s: %s', async (code, _, body, named) => {
  const { detail } = await expectRefused(code, 422, propose(body));
  expect(detail).toMatch(named);
});

it('refuses a plan without a title, and names all of several problems at once', async () => {
  await expectRefused('invalid_request', 400, propose({ steps: [good] }));
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
