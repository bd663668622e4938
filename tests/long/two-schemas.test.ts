// Several instances in one database, each in its own schema.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import { expect, it } from 'vitest';
import { appendTool } from '../fixtures/append-tool.ts';
import { draftStep } from '../fixtures/steps.ts';
import { useDatabase } from '../setup/database.ts';
import { usePrograms } from '../setup/process.ts';

const database = useDatabase();
const programs = usePrograms();
const schemas = ['countersign', 'team_a', 'team_b'];

async function ask(statement: string): Promise<string[]> {
  const client = new Client({ connectionString: database.url });
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string }>(statement);
    return rows.map(({ name }) => name);
  } finally {
    await client.end();
  }
}

it('runs the whole story in each schema, backs one up, and keeps to its own', async () => {
  const stories = await Promise.all(
    schemas.map(async (schema) => {
      const log = join(await programs.home(), 'log.txt');
      const home = await programs.home({ mcpServers: { log: appendTool(log) } });
      const options = { home, database: database.url, env: { DATABASE_SCHEMA: schema } };
      const { api, stop } = await programs.serve(options);
      return { schema, log, options, api, stop };
    }),
  );
  const plans = await Promise.all(
    stories.map(async ({ schema, api }) => {
      const plan = await api.propose({
        title: `In ${schema}`,
        steps: [
          draftStep('log', 'Log', 'log_append', { line: schema }),
          draftStep('wait', 'Wait', 'control_wait', { seconds: 1 }, 'log'),
        ],
      });
      expect((await api.approve(plan)).status).toBe(200);
      return api.reach(plan.id, 'completed');
    }),
  );
  for (const [i, { schema, api, log }] of stories.entries()) {
    expect((await readFile(log, 'utf8')).trim()).toBe(schema);
    const { body } = await api.get<{ plans: { title: string }[] }>('/api/plans');
    expect(body.plans.map(({ title }) => title)).toEqual([`In ${schema}`]);
    const other = plans[(i + 1) % plans.length];
    expect((await api.get(`/api/plans/${other?.id}`)).status).toBe(404);
    expect((await api.get('/readyz')).status).toBe(200);
  }
  await Promise.all(stories.map(({ stop }) => stop()));

  // A named instance has one schema, the default one three.
  expect(
    await ask(
      `select nspname as name from pg_namespace where nspname !~ '^(pg_|information_schema$|public$)' order by 1`,
    ),
  ).toEqual(['countersign', 'countersign_migrations', 'pgboss', 'team_a', 'team_b']);

  const [, one, two] = stories;
  if (one === undefined || two === undefined) throw new Error('There are three.');
  const file = join(one.options.home, 'backup.tar.gz');
  expect(await programs.finish(['backup', file], one.options)).toMatchObject({ code: 0 });
  const refused = await programs.finish(['restore', file], two.options);
  expect(refused).toMatchObject({ code: 1 });
  const restored = await programs.finish(['restore', file, '--force'], two.options);
  expect(restored).toMatchObject({ code: 0 });
  expect(await ask('select title as name from team_b.plans')).toEqual(['In team_a']);
  expect(await ask('select title as name from countersign.plans')).toEqual(['In countersign']);
});
