// Refusals their presser never saw are sent to their chat.
import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { useDatabase } from '../../setup/database.ts';
import { noop, scriptedPlanner, type TestInstance } from '../../setup/instance.ts';
import { waitFor } from '../../wait.ts';
import { clearInbox, settled } from '../inbox/bench.ts';
import { awaitMessage, useTeamsInstance } from './teams-instance.ts';

const database = useDatabase();
const planner = scriptedPlanner(() => ({
  kind: 'proposal',
  draft: { title: 'Two of nothing', steps: [noop('a'), noop('b')] },
}));

type Row = { id: number; note: string; read: boolean };

async function readReplies({ db }: Pick<TestInstance, 'db'>): Promise<Row[]> {
  const { rows } = await db.query.execute<Row>(sql`
    select id, reply->>'note' as note, reply_read_at is not null as read
    from countersign.inbox where reply is not null and handled_at is not null order by id`);
  return rows;
}

test('a note that was read is told once, as is one of a process that notes no reading; one that nobody has read once more', async () => {
  const { teams, instance } = await useTeamsInstance(database, { planner });
  await clearInbox(instance);
  const [ana, ben] = [teams.addPerson('ana'), teams.addPerson('ben')];
  const chat = teams.addPersonal(ben);
  const channel = teams.addChannel([ana, ben]);
  const { conversation } = await teams.say(ana, channel, 'do nothing, twice');
  const card = await awaitMessage(teams, conversation, '"approve"');
  const notices = () => teams.messages.filter((one) => one.conversation === chat.id);

  const first = await teams.press(ben, card, 'Approve');
  expect(JSON.stringify(first.body)).toContain('Only ana can');
  const [read] = await waitFor('the note to be noted as read', async () => {
    const rows = await readReplies(instance);
    return rows.length === 1 && rows[0]?.read === true && rows;
  });

  // Below, the first becomes one of an older process that records no waits, the second's answer is lost.
  await teams.press(ben, card, 'Approve');
  await teams.press(ben, card, 'Approve');
  const [, before, lost] = await waitFor('the other notes', async () => {
    const rows = await readReplies(instance);
    return rows.length === 3 && rows.every((one) => one.read) && rows;
  });
  await instance.db.query.execute(sql`
    update countersign.inbox set reply_read_at = null, handled_at = handled_at - interval '30 s',
      stored_at = stored_at - interval '30 s', awaited_at = case when id = ${lost?.id} then awaited_at end
    where id in (${before?.id}, ${lost?.id})`);
  const message = await awaitMessage(teams, chat.id, 'Only ana can');
  await settled(instance);
  expect(notices()).toEqual([message]);
  expect(await readReplies(instance)).toEqual([read, { ...before, read: false }]);
});
