// Metrics of a large database: by index, without full scans.
import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { clusterReads } from '#app/metrics/cluster-gauges.ts';
import { copyRows } from '../setup/copy-rows.ts';
import { ana, noop } from '../setup/instance.ts';
import { useInstance } from '../setup/use-instance.ts';

const instance = useInstance({ work: false });

/** Rows of each growing table. */
const many = 20_000;
/** Rows that may be scanned in full. */
const few = 1000;

const numbers = `generate_series(1, ${many}) n`;
const id = `'PLAN-' || lpad(to_hex(n), 8, '0')`;
const fills = [
  `insert into countersign.deleted_plans (id, ended_at) select 'gone-' || n, now() from ${numbers}`,
  `insert into countersign.model_calls (run_id, turn, "user", model, stage, estimate_usd, cost_usd, began_at)
    select 'run-' || n, 1, 'ana', 'm', 's', 0, 0, now() - make_interval(days => 1 + n % 80) from ${numbers}`,
  `insert into countersign.inbox (platform, tenant, thread, kind, body, received_at, handled_at)
    select 'slack', 'T1', 'C' || n, 'message', '', now(), now() from ${numbers}`,
  `insert into countersign.chat_places (conversation, platform, tenant, channel)
    select 'c' || n, 'slack', 'T1', 'C' || n from ${numbers}`,
  `insert into countersign.chat_posts (message_id, conversation, key, live, state)
    select n, 'c' || n, 'k' || n, false, 'posted' from ${numbers}`,
  `insert into countersign.webhook_deliveries (endpoint, message, type, plan_id, data, state, ended_at)
    select 'one', 'm' || n, 'plan.ended', ${id}, '{}', 'delivered', now() from ${numbers}`,
  `insert into countersign.webhook_endpoints (id, url) values ('one', 'https://ops.example.com')`,
  `insert into pgboss.job (name, state, completed_on) select 'card', 'completed', now() from ${numbers}`,
];

test('no gauge reads a large table from end to end', async () => {
  const { db, service } = instance;
  await service.propose({ title: 'One', steps: [noop('a')] }, {}, ana);
  const planId = sql.raw(id);
  await copyRows(db.query, 'plans', many, {
    id: planId,
    status: sql`case when n % 100 = 0 then 'proposed' else 'completed' end`,
  });
  await copyRows(db.query, 'plan_versions', many, { plan_id: planId });
  for (const fill of fills) await db.query.execute(sql.raw(fill));
  await db.query.execute(sql`analyze`);
  const scanned = await db.transaction(async (tx) => {
    for (const { read } of clusterReads) await read(tx, new Date());
    const { rows } = await tx.execute<{ name: string; rows: number }>(sql`
      select schemaname || '.' || relname as name, seq_tup_read::int as rows
      from pg_stat_xact_user_tables where seq_tup_read > ${few} order by 1`);
    return rows;
  });
  expect(scanned).toEqual([]);
});
