import { expect, test, vi } from 'vitest';
import { writeHeld } from '#adapters/slack/press/held.ts';
import { createRecheck } from '#adapters/slack/press/show.ts';
import type { SlackContext } from '#adapters/slack/slack-context.ts';

const press = { action: 'details', plan_id: 'PLAN-3f9a1c20', version: 1, digest: 'd' } as const;

function sent(callback: string, user = 'U1') {
  const place = { channel: 'C1', thread: '1.1' };
  const held = { team: 'T1', user, place, press, missing: null, fields: [], pages: [''] };
  const view = { id: 'V1', hash: 'h', callback_id: callback, private_metadata: writeHeld(held) };
  const form = { type: 'view_submission' as const, user: { id: 'U1' }, view };
  return { kind: 'sent' as const, team: 'T1', sent: form };
}

function contextOf(getPlan: () => Promise<unknown>) {
  const warn = vi.fn();
  return { warn, context: { service: { getPlan }, warn } as unknown as SlackContext };
}

test('a plan that is still the one that was shown is decided about', async () => {
  const getPlan = vi.fn(async () => ({ version: 1, digest: 'd' }));
  const { context } = contextOf(getPlan);
  expect(await createRecheck(context)(sent('countersign:approve'))).toBeNull();
  expect(getPlan).toHaveBeenCalledOnce();
});

test.each([
  ['a form that approves nothing', sent('countersign:form')],
  ['a window of somebody else', sent('countersign:approve', 'U2')],
])('%s is not compared', async (_, signal) => {
  const { context } = contextOf(() => expect.unreachable());
  expect(await createRecheck(context)(signal)).toBeNull();
});

test('a database that does not answer leaves it to deciding', async () => {
  const { context, warn } = contextOf(() => Promise.reject(new Error('The database is away.')));
  expect(await createRecheck(context)(sent('countersign:part'))).toBeNull();
  expect(warn).toHaveBeenCalledOnce();
});

test('a database that takes too long leaves it to deciding, in time for Slack', async () => {
  const { context } = contextOf(() => new Promise(() => {}));
  expect(await createRecheck(context, 5)(sent('countersign:approve'))).toBeNull();
});
