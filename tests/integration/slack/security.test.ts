// Forged requests change nothing; people decide only their own matters.
import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import type { Forgery, Signal } from '../../fixtures/slack/delivery.ts';
import { useDatabase } from '../../setup/database.ts';
import { noop, scriptedPlanner, type TestInstance } from '../../setup/instance.ts';
import { waitFor } from '../../wait.ts';
import { clearInbox, settled } from '../inbox/bench.ts';
import { askFor, openWindow, useDesk } from './desk.ts';

const database = useDatabase();
const planner = scriptedPlanner(() => ({
  kind: 'proposal',
  draft: { title: 'Nothing', steps: [noop('a'), noop('b')] },
}));

async function countRows({ db }: TestInstance): Promise<Record<string, number>> {
  const { rows: tables } = await db.query.execute<{ name: string }>(sql`
    select table_name as name from information_schema.tables
    where table_schema = 'countersign' and table_type = 'BASE TABLE' order by 1`);
  const counts: Record<string, number> = {};
  for (const { name } of tables) {
    const { rows } = await db.query.execute<{ n: number }>(
      sql`select count(*)::int as n from countersign.${sql.identifier(name)}`,
    );
    counts[name] = rows[0]?.n ?? 0;
  }
  // Heartbeats.
  delete counts.backends;
  return counts;
}

const forgeries: Forgery[] = [
  { signature: 'none' },
  { signature: 'wrong' },
  { signature: { secret: 'another' } },
  { ageSeconds: 301 },
  { ageSeconds: -302 },
  { tamper: (body) => `${body}&x=1` },
  { headers: { 'x-slack-request-timestamp': '' } },
];

test('events, presses, forms and commands that are unsigned, wrongly signed, changed, old or early get 401 and touch nothing', async () => {
  const desk = await useDesk(database, { planner, work: false });
  const { slack, ana, channel, instance } = desk;
  const { deliveries } = await slack.mention(ana.id, channel, 'hello');
  const command = await slack.command(ana.id, channel, '/plans', 'all');
  await slack.openHome(ana.id);
  await slack.settle();
  const base = { team: { id: slack.workspace.id }, user: { id: ana.id } };
  const press: Signal = {
    kind: 'interactive',
    payload: {
      ...base,
      type: 'block_actions',
      trigger_id: 'forged.1',
      container: { type: 'message', channel_id: channel, message_ts: '1700000000.000001' },
      actions: [{ action_id: 'countersign:approve', action_ts: '1.1', value: '{}' }],
    },
  };
  const view = { id: 'V1', hash: '1.a', callback_id: 'countersign:form', private_metadata: '' };
  const form: Signal = {
    kind: 'interactive',
    payload: { ...base, type: 'view_submission', view },
  };
  const signals = [...deliveries.map(({ signal }) => signal), command.delivery.signal, press, form];
  await clearInbox(instance);
  const before = await countRows(instance);
  for (const signal of signals)
    for (const forgery of forgeries) {
      const { status } = await slack.replay(signal, undefined, forgery);
      expect([forgery, status]).toEqual([forgery, 401]);
    }
  expect(await countRows(instance)).toEqual(before);
});

test('a form that was opened here decides nothing when it is sent from another user, workspace or conversation', async () => {
  const desk = await useDesk(database, { planner });
  const { slack, ana, ben, instance, channel } = desk;
  const { plan, card } = await askFor(desk, 'do nothing');
  const view = await openWindow(desk, ana, card, 'countersign:propose_changes');
  const { delivery } = await slack.submit(ana.id, view, { value: ' ' });
  type Payload = Signal['payload'] & {
    user: { id: string };
    team: { id: string };
    view: {
      hash: string;
      private_metadata: string;
      app_installed_team_id: string;
      state: { values: Record<string, Record<string, { value: string }>> };
    };
  };
  let count = 0;
  const replay = (change: (payload: Payload) => void) =>
    slack.replay(delivery.signal, (raw) => {
      // The double's forms have these fields.
      const payload = raw as Payload;
      count += 1;
      payload.view.hash = `replayed.${count}`;
      payload.view.state.values = { text: { value: { value: 'something else' } } };
      change(payload);
    });
  const elsewhere = slack.addChannel({ name: 'other', members: [ana.id, ben.id] }).id;
  await replay((payload) => {
    payload.user.id = ben.id;
  });
  await replay((payload) => {
    payload.team.id = 'T0ELSEWHERE';
    payload.view.app_installed_team_id = 'T0ELSEWHERE';
  });
  await replay((payload) => {
    const held = JSON.parse(payload.view.private_metadata);
    payload.view.private_metadata = JSON.stringify({
      ...held,
      place: { channel: elsewhere, thread: null },
    });
  });
  await settled(instance);
  const now = await instance.service.getPlan(plan.id);
  expect([now.status, now.version]).toEqual(['proposed', 1]);
  expect(slack.ephemerals(ben.id)).toEqual([]);
  expect(slack.messages(channel).flatMap(({ pings, bot_id }) => (bot_id ? pings : []))).toEqual([]);
  await replay(() => {});
  await waitFor('version 2', async () => (await instance.service.getPlan(plan.id)).version === 2);
});

test('a list shows plans and decides nothing, whatever its buttons are made to say', async () => {
  const desk = await useDesk(database, { planner });
  const { slack, ana, channel, instance } = desk;
  const { plan } = await askFor(desk, 'do nothing');
  const { version, digest } = plan;
  await slack.command(ana.id, channel, '/plans', '');
  const list = await waitFor('the list', async () => slack.ephemerals(ana.id).at(-1));
  const { delivery } = await slack.press(ana.id, list, `countersign:details:${plan.id}`);
  await slack.replay(delivery.signal, (payload) => {
    const { actions } = payload as { actions: { value: string; action_ts: string }[] };
    const [action] = actions;
    if (action === undefined) throw new Error('Nothing was pressed.');
    action.value = JSON.stringify({ action: 'approve', plan_id: plan.id, version, digest });
    action.action_ts = '1700000000.000009';
    Object.assign(payload, { trigger_id: 'again.1' });
  });
  await settled(instance);
  expect((await instance.service.getPlan(plan.id)).status).toBe('proposed');
});

test('an answer goes to Slack’s own addresses only', async () => {
  const desk = await useDesk(database, { planner });
  const { slack, ana, channel, instance } = desk;
  const { delivery } = await slack.command(ana.id, channel, '/plans', 'help');
  await settled(instance);
  await clearInbox(instance);
  const answers = slack.ephemerals(ana.id).length;
  const port = new URL(slack.url).port === '1' ? 2 : 1;
  for (const url of ['http://169.254.169.254/latest', `http://127.0.0.1:${port}/x`]) {
    await slack.replay(delivery.signal, (payload) => {
      Object.assign(payload, { response_url: url, trigger_id: `again.${url}` });
    });
  }
  const rows = await settled(instance);
  expect(rows.map(({ state }) => state)).toEqual(['handled', 'handled']);
  expect(slack.ephemerals(ana.id)).toHaveLength(answers);
});
