// Windows in Slack: opened before any lookup, filled afterwards, in pages; and the message if Slack opens none.
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

test('details of a large plan are pages within what Slack takes, forth and back', async () => {
  const desk = await useDesk(database, { planner });
  const { slack, ana } = desk;
  const { card } = await askFor(desk, '70 steps');
  await openWindow(desk, ana, card, 'countersign:details');
  const page = (text: string) =>
    waitFor(`a page with ${text}`, async () => {
      const view = slack.views(ana.id).at(-1);
      return view !== undefined && JSON.stringify(view.blocks).includes(text) && view;
    });
  let view = await page('25  Does nothing');
  for (const last of [50, 70]) {
    await slack.press(ana.id, view, 'countersign:page:next');
    view = await page(`${last}  Does nothing`);
    expect(view.blocks.length).toBeLessThanOrEqual(100);
  }
  expect(JSON.stringify(view.blocks)).not.toContain('countersign:page:next');
  await slack.press(ana.id, view, 'countersign:page:back');
  await page('50  Does nothing');
});

test('what should change has 3,000 characters at most: Slack’s own form says so, and so do we', async () => {
  const desk = await useDesk(database, { planner });
  const { slack, ana, instance } = desk;
  const { plan, card } = await askFor(desk, 'two steps');
  const view = await openWindow(desk, ana, card, 'countersign:propose_changes');
  await expect(slack.submit(ana.id, view, { value: 'x'.repeat(3001) })).rejects.toThrow(
    '1 characters too many',
  );
  const { delivery } = await slack.submit(ana.id, view, { value: ' ' });
  const sent = await slack.replay(delivery.signal, (payload) => {
    const { view: form } = payload as { view: { hash: string; state: { values: unknown } } };
    form.hash = 'again.1';
    form.state.values = { text: { value: { type: 'plain_text_input', value: 'x'.repeat(3001) } } };
  });
  expect(JSON.parse(sent.body)).toEqual({
    response_action: 'errors',
    errors: { text: 'Shorten it to 3000 characters.' },
  });
  await slack.submit(ana.id, view, { value: 'x'.repeat(3000) });
  await waitFor('version 2', async () => (await instance.service.getPlan(plan.id)).version === 2);
});
