// Posts are deleted after thirty days.
import { sql } from 'drizzle-orm';
import { beforeEach, expect, test } from 'vitest';
import { runRound } from '../../setup/retention.ts';
import { useInstance } from '../../setup/use-instance.ts';

const instance = useInstance({ work: false });
beforeEach(() => instance.db.query.execute(sql`truncate countersign.chat_posts`));

const left = async () => {
  const { rows } = await instance.db.query.execute<{ key: string }>(
    sql`select key from countersign.chat_posts order by message_id`,
  );
  return rows.map(({ key }) => key);
};

test('what rests for more than thirty days goes, and nothing else', async () => {
  await instance.db.query.execute(sql`
    insert into countersign.chat_posts (message_id, conversation, plan_id, key, state, live, superseded, asked, answered, shown_at)
    select n, 'slack-1', plan, key, state, live, superseded, asked, 0, clock_timestamp() - age::interval
    from (values
      (1, null, 'words, long ago', 'posted', false, false, 0, '30 days 1 second'),
      (2, 'PLAN-1', 'an ended plan, long ago', 'posted', false, false, 0, '31 days'),
      (3, 'PLAN-1', 'an older card of a plan, long ago', 'posted', false, true, 0, '31 days'),
      (4, 'PLAN-1', 'deleted, long ago', 'gone', false, false, 0, '31 days'),
      (5, 'PLAN-1', 'refused, long ago', 'failed', false, false, 0, '31 days'),
      (6, 'PLAN-1', 'nearly long ago', 'posted', false, false, 0, '29 days 23:59'),
      (7, 'PLAN-2', 'follows its plan', 'posted', true, false, 0, '400 days'),
      (8, 'PLAN-2', 'about to be posted', 'sending', false, false, 0, '400 days'),
      (9, 'PLAN-2', 'to be drawn once more', 'posted', false, true, 1, '400 days')
    ) as posts(n, plan, key, state, live, superseded, asked, age)`);
  await runRound(instance.db);
  expect(await left()).toEqual([
    'nearly long ago',
    'follows its plan',
    'about to be posted',
    'to be drawn once more',
  ]);
});

test('many go in one round', async () => {
  await instance.db.query.execute(sql`
    insert into countersign.chat_posts (message_id, conversation, key, state, live, shown_at)
    select n, 'slack-1', n::text, 'posted', false, clock_timestamp() - interval '31 days'
    from generate_series(1, 1200) n`);
  await runRound(instance.db);
  expect(await left()).toEqual([]);
});
