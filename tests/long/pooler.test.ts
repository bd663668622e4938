// A transaction-mode pooler: no session state outside listener and migrations.
import { Client } from 'pg';
import { expect, test } from 'vitest';
import { draftStep } from '../fixtures/steps.ts';
import { useDatabase } from '../setup/database.ts';
import { startPgBouncer } from '../setup/pgbouncer.ts';
import { usePrograms } from '../setup/process.ts';
import { waitFor } from '../wait.ts';

const database = useDatabase();
const programs = usePrograms();
// To the server.
const connections = 6;

const draft = (name: number) => ({
  title: `Plan ${name}`,
  steps: [
    ...Array.from({ length: 30 }, (_, i) => ({
      ...draftStep(`step-${i}`, `Step ${i}`, 'control_noop'),
      ...(i < 10 ? {} : { after: [`step-${i - 10}`] }),
    })),
    draftStep(
      'write',
      'Write',
      'workspace_write',
      { path: `out/${name}.txt`, content: `plan ${name}` },
      'step-29',
    ),
  ],
});

test('plans are proposed, approved and run by a gateway and two workers, one of which is killed', async () => {
  const pooled = await startPgBouncer(database.url, connections);
  const options = {
    home: await programs.home(),
    database: pooled,
    env: { DATABASE_DIRECT_URL: database.url },
  };
  const gateway = await programs.serve({ ...options, verb: 'gateway' });
  const [worker, other] = await Promise.all([programs.work(options), programs.work(options)]);
  const plans = await Promise.all(
    Array.from({ length: 20 }, (_, i) => gateway.api.propose(draft(i))),
  );
  await Promise.all(
    plans.map(({ id, version, digest }) =>
      gateway.api.post(`/api/plans/${id}/approve`, { version, digest }),
    ),
  );
  const [first] = plans;
  if (first === undefined) throw new Error('no plan was proposed');
  await waitFor('the work to begin', async () => {
    const { status } = (await gateway.api.get<{ status: string }>(`/api/plans/${first.id}`)).body;
    return status !== 'approved';
  });
  await other.stop('SIGKILL');
  for (const { id } of plans) await gateway.api.reach(id, 'completed');

  const client = new Client({ connectionString: database.url });
  await client.connect();
  const { rows } = await client.query<{ pooled: number; listening: number }>(`
    select count(*) filter (where application_name <> 'countersign listener' and query not like 'listen%')::int as pooled,
      count(*) filter (where application_name = 'countersign listener')::int as listening
    from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`);
  await client.end();
  // The gateway and the remaining worker.
  expect(rows).toEqual([{ pooled: expect.any(Number), listening: 2 }]);
  expect(rows[0]?.pooled).toBeLessThanOrEqual(connections);
  // Lost session state would be logged here.
  for (const program of [gateway, worker]) {
    const lines = program.stderr().split('\n');
    expect(
      lines.filter((line) => !/^$|stopped responding|recovered from a lost worker/.test(line)),
    ).toEqual([]);
  }
});
