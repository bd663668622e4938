// During an upgrade, only processes with the schema's migrations are ready.
import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { createProbes } from '#app/health.ts';
import { useInstance } from '../setup/use-instance.ts';

const instance = useInstance();

test('a newer process that migrates leaves those that run ready; a schema that is behind does not', async () => {
  const { query } = instance.db;
  const probes = createProbes(instance);
  expect(await probes.ready()).toMatchObject({ ready: true, parts: { schema: 'ok' } });
  await query.execute(
    sql`insert into countersign_migrations.applied (hash, created_at) values ('x', ${Date.UTC(3000, 0, 1)})`,
  );
  expect(await probes.ready()).toMatchObject({ ready: true, parts: { schema: 'ok' } });
  await query.execute(sql`
    delete from countersign_migrations.applied
    where created_at >= (select max(created_at) from countersign_migrations.applied where hash <> 'x')`);
  expect(await probes.ready()).toMatchObject({
    ready: false,
    parts: { schema: expect.stringContaining('countersign migrate') },
  });
});
