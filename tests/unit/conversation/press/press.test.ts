import { expect, test, vi } from 'vitest';
import { carryOutPress, carryOutPressIn } from '#conversation/press.ts';
import type { CardPress } from '#domain/chat/card.ts';
import { type AnyPress, bare, type Press } from '#domain/chat/press.ts';
import type { SessionPress } from '#domain/chat/session-card.ts';
import { CountersignError } from '#domain/errors.ts';
import { person } from '#domain/people/actor.ts';
import type { Service } from '#domain/service.ts';

const ana = person('ana', 'slack');
const elsewhere = 'This card belongs elsewhere.';
const pressed = { once: 'slack:press:1', at: new Date(0) };

function record(answers: Record<string, unknown> = {}) {
  const calls: unknown[][] = [];
  const service = new Proxy({} as Service, {
    get: (_, name: string) =>
      vi.fn(async (...args: unknown[]) => {
        if (name === 'card' || name === 'isAbout') return answers[name];
        calls.push([name, ...args]);
        if (answers[name] instanceof Error) throw answers[name];
        return undefined;
      }),
  });
  return { service, calls };
}

const button = (action: CardPress['action'], more: Partial<CardPress> = {}): CardPress => ({
  action,
  plan_id: 'PLAN-1',
  version: 2,
  digest: 'abc',
  ...more,
});
const session = (action: SessionPress['action'], choice?: string): SessionPress => ({
  action,
  run_id: 'run-1',
  turn: 3,
  digest: 'abc',
  ...(choice === undefined ? {} : { choice }),
});
const on = (one: AnyPress, entered: Partial<Press> = {}): Press => ({ ...bare(one), ...entered });

const step = { step_id: '4', attempt: 2, stood: 'unknown' } as const;
const about = { 4: { attempt: 2, status: 'unknown' } };
const fields = { amount: 12.5 };
const shown = { turn: 3, digest: 'abc' };

const rows: [Press, string, string, object | string, object?][] = [
  [
    on(button('approve'), { part: { except: ['4'] } }),
    'approve',
    'PLAN-1',
    { version: 2, digest: 'abc', except: ['4'] },
  ],
  [
    on(button('reschedule', { choice: 'start step "4" on 2026-02-05 at 14:00 UTC' })),
    'proposeChanges',
    'PLAN-1',
    { version: 2, feedback: 'start step "4" on 2026-02-05 at 14:00 UTC' },
  ],
  [
    on(button('reject'), { text: 'too early' }),
    'reject',
    'PLAN-1',
    { version: 2, feedback: 'too early' },
  ],
  [
    on(button('settle_retry', step)),
    'resume',
    'PLAN-1',
    { version: 2, steps: { 4: 'retry' }, about },
  ],
  [
    on(button('settle_failed', step)),
    'resume',
    'PLAN-1',
    { version: 2, steps: { 4: 'failed' }, about },
  ],
  [
    on(button('human_done', { step_id: '4' }), { text: 'as agreed', fields }),
    'resume',
    'PLAN-1',
    { version: 2, steps: { 4: 'done' }, answer: 'as agreed', answers: { 4: fields } },
  ],
  [
    on(button('human_blocked', { step_id: '4' }), { text: 'no room' }),
    'resume',
    'PLAN-1',
    { version: 2, steps: { 4: 'failed' }, answer: 'no room' },
  ],
  [on(session('session_approve')), 'decideRun', 'run-1', { ...shown, kind: 'approve' }],
  [on(session('session_reject')), 'decideRun', 'run-1', { ...shown, kind: 'reject' }],
  [
    on(session('session_changes'), { text: 'later' }),
    'decideRun',
    'run-1',
    { ...shown, kind: 'changes', feedback: 'later' },
  ],
  [
    on(session('session_changes', 'sooner'), { text: 'later' }),
    'decideRun',
    'run-1',
    { ...shown, kind: 'changes', feedback: 'sooner' },
  ],
  [on(session('session_answer', 'B')), 'reply', 'run-1', 'B', { turn: 3 }],
];

test.each(rows)('press %# asks %j', async (press, method, id, decision, options) => {
  const { service, calls } = record();
  await carryOutPress(service, press, ana);
  expect(calls).toEqual([
    options === undefined ? [method, id, decision, ana] : [method, id, decision, ana, options],
  ]);
});

test('places on the card are the steps that stand there, and all of them are the whole plan', async () => {
  const card = { plan: { total_steps: 2 }, steps: [{ id: 'a' }, { id: 'b' }] };
  const some = record({ card });
  await carryOutPress(some.service, on(button('approve'), { part: { places: [1, 7] } }), ana);
  expect(some.calls[0]?.[2]).toMatchObject({ steps: ['b'] });
  const all = record({ card });
  await carryOutPress(all.service, on(button('approve'), { part: { places: [0, 1] } }), ana);
  expect(all.calls[0]?.[2]).toEqual({ version: 2, digest: 'abc' });
});

test('a button that names no step settles none, and one that shows changes nothing', async () => {
  const { service, calls } = record();
  const nameless = carryOutPress(service, on(button('settle_done')), ana);
  await expect(nameless).rejects.toMatchObject({ code: 'invalid_request' });
  expect(await carryOutPress(service, on(button('details')), ana)).toEqual({ kind: 'nothing' });
  expect(calls).toEqual([]);
});

test('in a chat a press decides in the conversation of its card, under its own name', async () => {
  const away = record({ isAbout: false });
  const press = on(button('pause'));
  for (const conversation of ['slack:C1', null]) {
    const why = await carryOutPressIn(away.service, conversation, press, ana, pressed, elsewhere);
    expect(why).toMatchObject({ code: 'not_allowed', message: elsewhere });
  }
  expect(away.calls).toEqual([]);
  const here = record({ isAbout: true });
  expect(
    await carryOutPressIn(here.service, 'slack:C1', press, ana, pressed, elsewhere),
  ).toBeNull();
  expect(here.calls).toEqual([['pause', 'PLAN-1', { version: 2, pressed }, ana]]);
});

test('a refusal is returned for its presser, and what passes by itself is thrown', async () => {
  const refused = new CountersignError('already_decided', 'Ben was first.');
  const { service } = record({ isAbout: true, pause: refused });
  const press = on(button('pause'));
  expect(await carryOutPressIn(service, 'c', press, ana, pressed, elsewhere)).toBe(refused);
  const down = record({ isAbout: true, pause: new Error('no database') });
  await expect(carryOutPressIn(down.service, 'c', press, ana, pressed, elsewhere)).rejects.toThrow(
    'no database',
  );
});
