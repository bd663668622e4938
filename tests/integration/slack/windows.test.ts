// Windows in Slack open before any lookup, then fill.
import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { useDatabase } from '../../setup/database.ts';
import { noop, scriptedPlanner } from '../../setup/instance.ts';
import { waitFor } from '../../wait.ts';
import { settled } from '../inbox/bench.ts';
import { askFor, openWindow, told, useDesk } from './desk.ts';

const database = useDatabase();
const planner = scriptedPlanner(({ text }) => ({
  kind: 'proposal',
  draft: {
    title: 'Many',
    steps: Array.from({ length: Number(/\d+/.exec(text)?.[0] ?? 2) }, (_, i) => ({
      ...noop(`s${i}`),
      description: `Step ${i} ${'word '.repeat(600)}`,
    })),
  },
}));

test('a trigger that is refused: who pressed is told to press again, and that opens the window', async () => {
  const desk = await useDesk(database, { planner });
  const { slack, ana, instance } = desk;
  const { plan, card } = await askFor(desk, 'two steps');
  slack.fail('views.open', { error: 'expired_trigger_id' });
  await slack.press(ana.id, card, 'countersign:propose_changes');
  const [text] = await told(desk, ana);
  expect(text).toContain('Try again');
  expect(text).toContain('propose changes: …');
  expect((await settled(instance)).map(({ state }) => state)).not.toContain('failed');
  const view = await openWindow(desk, ana, card, 'countersign:propose_changes');
  await slack.submit(ana.id, view, { value: 'leave out the last' });
  await waitFor('version 2', async () => (await instance.service.getPlan(plan.id)).version === 2);
});

test('in a list, where there is no thread, they are told in answer to their press', async () => {
  const desk = await useDesk(database, { planner });
  const { slack, ana, channel } = desk;
  const { plan } = await askFor(desk, 'two steps');
  await slack.command(ana.id, channel, '/plans', '');
  const [list] = await waitFor('the list', async () => {
    const found = slack.ephemerals(ana.id);
    return found.length > 0 && found;
  });
  if (list === undefined) throw new Error('There is no list.');
  slack.fail('views.open', { error: 'expired_trigger_id' });
  await slack.press(ana.id, list, `countersign:details:${plan.id}`);
  expect((await told(desk, ana, 2)).at(-1)).toContain('Try again');
});

test('a window opens although the database does not answer, and is filled when it does', async () => {
  const desk = await useDesk(database, { planner });
  const { slack, ana, instance } = desk;
  const { card } = await askFor(desk, 'two steps');
  const free = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  const blocked = instance.db.transaction(async (tx) => {
    await tx.execute(sql`lock table countersign.plans, countersign.runs in access exclusive mode`);
    held.resolve();
    await free.promise;
  });
  await held.promise;
  const { answer } = await slack.press(ana.id, card, 'countersign:details');
  expect([answer.status, answer.failure]).toEqual([200, null]);
  await waitFor('a window', async () => JSON.stringify(slack.views(ana.id)).includes('Loading'));
  free.resolve();
  await blocked;
  await waitFor('what stands in it', async () =>
    JSON.stringify(slack.views(ana.id)).includes('Uncheck steps'),
  );
});

test('a window that Slack does not take, or that was closed meanwhile, leaves nothing loading', async () => {
  const desk = await useDesk(database, { planner });
  const { slack, ana } = desk;
  const { card } = await askFor(desk, 'two steps');
  slack.fail('views.update', { error: 'invalid_arguments' });
  const view = await openWindow(desk, ana, card, 'countersign:details');
  expect(JSON.stringify(view.blocks)).toContain('try again');
  slack.fail('views.update', { error: 'not_found' });
  await slack.press(ana.id, card, 'countersign:details');
  await waitFor('the try', async () => {
    const calls = slack.calls.filter(({ method }) => method === 'views.update');
    return calls.length >= 3;
  });
  await slack.settle();
  expect(slack.ephemerals(ana.id)).toEqual([]);
});
