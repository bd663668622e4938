// Shared by inbox tests: instances with handlers, and queries.
import { sql } from 'drizzle-orm';
import type { InboxHandler, InboxRule } from '#chat/inbox/inbox-context.ts';
import type { InboxEvent } from '#domain/chat/inbox.ts';
import { openTestInstance, type TestInstance } from '../../setup/instance.ts';
import { waitFor } from '../../wait.ts';

const quickRule: Partial<InboxRule> = {
  backoffMs: 20,
  longestBackoffMs: 40,
  leaseSeconds: 2,
  lateSeconds: 0,
};

export function openWorker(
  url: string,
  handler: InboxHandler,
  rule: Partial<InboxRule> = {},
): Promise<TestInstance> {
  return openTestInstance(url, {
    inboxHandlers: { slack: handler },
    inboxRule: { ...quickRule, ...rule },
  });
}

export const textOf = ({ body }: Pick<InboxEvent, 'body'>) => body.toString('utf8');

export type InboxRow = {
  id: number;
  body: string;
  state: 'open' | 'handled' | 'failed';
  attempt: number;
  failures: number;
  error: string | null;
};

export async function readInbox({ db }: Pick<TestInstance, 'db'>): Promise<InboxRow[]> {
  const { rows } = await db.query.execute<InboxRow>(sql`
    select id, convert_from(body, 'utf8') as body, attempt, failures, error,
      case when handled_at is not null then 'handled' when failed_at is not null then 'failed' else 'open' end as state
    from countersign.inbox order by id`);
  return rows;
}

export function settled(
  instance: Pick<TestInstance, 'db'>,
  timeoutMs = 30_000,
): Promise<InboxRow[]> {
  return waitFor(
    'every event to be settled',
    async () => {
      const rows = await readInbox(instance);
      return rows.length > 0 && rows.every(({ state }) => state !== 'open') && rows;
    },
    { timeoutMs },
  );
}

export async function clearInbox({ db }: Pick<TestInstance, 'db'>): Promise<void> {
  // TRUNCATE could deadlock with other processes' locks.
  for (const table of ['inbox_leases', 'inbox_keys', 'inbox'])
    await db.query.execute(sql`delete from countersign.${sql.identifier(table)}`);
  await db.query.execute(sql`delete from pgboss.job where name like 'inbox%'`);
}
