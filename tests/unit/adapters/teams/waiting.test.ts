// Slow presses are answered within Teams' ten seconds, then in private.
import { expect, test, vi } from 'vitest';
import { handlePress } from '#adapters/teams/press/handle-press.ts';
import { readDecision } from '#adapters/teams/press/read-press.ts';
import { createShow } from '#adapters/teams/press/show.ts';
import type { PressSignal } from '#adapters/teams/signals/read-activity.ts';
import type { TeamsContext } from '#adapters/teams/teams-context.ts';
import { createAccept } from '#adapters/teams/transport/accept.ts';
import { verbs } from '#cards/press.ts';
import type { EventOutcome } from '#db/chat/inbox.ts';
import type { ReceivedEvent } from '#domain/chat/inbox.ts';
import { CountersignError } from '#domain/errors.ts';

const tenant = '3f6e0d1c-1111-4222-8333-444455556666';
const data = { action: 'approve', plan_id: 'PLAN-0a1b2c3d', version: 1, digest: 'd' };
const signal: PressSignal = {
  kind: 'press',
  scene: {
    tenant,
    activity: 'f:1',
    from: { id: '29:ben', object: 'object-of-ben', name: 'Ben' },
    bot: '28:bot',
    place: { platform: 'teams', tenant, channel: '19:c@thread.tacv2', thread: '5' },
    kind: 'channel',
    team: null,
    serviceUrl: 'https://smba.trafficmanager.net/emea/',
    timezone: null,
  },
  verb: 'approve',
  data,
  asks: true,
};

async function acceptWith(outcome: EventOutcome, pressed: PressSignal = signal) {
  const waited: number[] = [];
  const drawn: number[] = [];
  const read: number[] = [];
  const stored: ReceivedEvent[] = [];
  const accept = createAccept({
    receive: async (event) => {
      stored.push(event);
      return { stored: true, id: 7 };
    },
    wait: {
      outcome: async (_id, ms) => {
        waited.push(ms);
        return outcome;
      },
      noteRead: async (id) => void read.push(id),
    },
    clock: { now: () => new Date() },
    build: { show: async () => ({}), refuseTerms: async () => null },
    openPlanThis: async () => ({}),
    showFirst: async () => {},
    show: {
      look: async (_look, _scene, withinMs) => {
        drawn.push(withinMs);
        return { statusCode: 200, type: 'looked', value: null };
      },
      outcome: async (_decision, reply, _scene, withinMs) => {
        drawn.push(withinMs);
        return { statusCode: 200, type: 'shown', value: reply };
      },
    },
  });
  const answered = await accept(pressed, Buffer.from('{}'));
  return { answer: answered?.answer, onSent: answered?.onSent, waited, drawn, read, stored };
}

test('Teams is answered within ten seconds, whatever has become of the press', async () => {
  const { answer, waited } = await acceptWith({ state: 'open' });
  expect(waited.every((ms) => ms < 10_000)).toBe(true);
  expect(answer).toMatchObject({
    statusCode: 200,
    value: expect.stringContaining('Still working'),
  });
  const failed = await acceptWith({ state: 'failed' });
  expect(failed.answer).toMatchObject({ value: expect.stringContaining("didn't work") });
  const handled = await acceptWith({ state: 'handled', reply: { note: 'no' } });
  expect(handled.answer).toEqual({ statusCode: 200, type: 'shown', value: { note: 'no' } });
  const looked = await acceptWith(
    { state: 'open' },
    { ...signal, data: { ...data, action: 'details' }, verb: 'details' },
  );
  expect(looked.answer).toMatchObject({ type: 'looked' });
  // Leaves room for earlier waits within ten seconds.
  for (const ms of [...handled.drawn, ...looked.drawn]) expect(ms).toBeLessThan(9500);
  expect([handled.drawn.length, looked.drawn.length]).toEqual([1, 1]);
});

test('a note is noted as read once it has gone out, and not before; without a note nothing is', async () => {
  const noted = await acceptWith({ state: 'handled', reply: { note: 'no' } });
  expect(noted.read).toEqual([]);
  await noted.onSent?.();
  expect(noted.read).toEqual([7]);
  const card = await acceptWith({ state: 'handled', reply: null });
  expect(card.onSent).toBeUndefined();
});

test('a press is stored as awaited where Teams wants its outcome as the answer, and not where it does not', async () => {
  const asked = await acceptWith({ state: 'handled', reply: null });
  expect(asked.stored).toMatchObject([{ awaited: true }]);
  const answer = await acceptWith({ state: 'open' }, { ...signal, asks: false });
  expect(answer.stored).toMatchObject([{ awaited: false }]);
  expect([asked.waited.length, answer.waited.length]).toEqual([1, 0]);
});

const never = () => new Promise<never>(() => {});

test('a card that takes too long to draw is not waited for, before a press and after it', async () => {
  const context = {
    service: { isAbout: never },
    people: { find: never },
    warn() {},
  } as unknown as TeamsContext;
  const show = createShow(context);
  const look = { kind: 'refresh', subject: { plan_id: data.plan_id } } as const;
  expect(await show.look(look, signal.scene, 0)).toMatchObject({
    value: expect.stringContaining('too long'),
  });
  const decision = readDecision(signal.verb, data);
  if (decision === null) throw new Error('It decides nothing.');
  expect(await show.outcome(decision, null, signal.scene, 0)).toMatchObject({
    value: expect.stringContaining('update in a moment'),
  });
});

test('of a card that belongs elsewhere nothing is shown after a press, however late that was refused', async () => {
  const card = vi.fn(never);
  const context = {
    service: { isAbout: async () => false, card },
    people: { find: never },
    warn() {},
  } as unknown as TeamsContext;
  const decision = readDecision(signal.verb, data);
  if (decision === null) throw new Error('It decides nothing.');
  expect(await createShow(context).outcome(decision, null, signal.scene, 1000)).toMatchObject({
    value: expect.stringContaining('another conversation'),
  });
  expect(card).not.toHaveBeenCalled();
});

test('a press that fails and a look that fails are told in the same words', async () => {
  const failed = await acceptWith({ state: 'failed' });
  const context = { warn() {} } as unknown as TeamsContext;
  const look = { kind: 'refresh', subject: { plan_id: data.plan_id } } as const;
  expect(await createShow(context).look(look, signal.scene, 1000)).toEqual(failed.answer);
});

test('settings that take longer promise no card that changes', async () => {
  const kept = { ...signal, verb: verbs.settings, data: {} };
  const { answer } = await acceptWith({ state: 'open' }, kept);
  expect(answer).toMatchObject({ value: expect.stringContaining('Type “settings”') });
});

async function decideAfter(ms: number, asks = true) {
  const now = new Date('2026-03-01T10:00:00Z');
  const replies: unknown[] = [];
  const whispers: string[] = [];
  const refuse = async () => {
    throw new CountersignError('not_allowed', 'Only ana can approve this.');
  };
  const context = {
    clock: { now: () => now },
    people: { find: async () => ({ id: 'ben', account: 'ben', name: 'Ben', timezone: 'UTC' }) },
    service: { isAbout: async () => true, approve: refuse },
    port: {
      whisper: async (_place: unknown, user: string, { text }: { text: string }) => {
        whispers.push(`${user}: ${text}`);
      },
    },
    warn() {},
  } as unknown as TeamsContext;
  // The gateway's clock is five minutes late; only the database's counts.
  const event = { id: 7, received_at: new Date(now.getTime() - ms - 300_000) };
  const one = { age: () => ms, reply: (value: unknown) => void replies.push(value), forget() {} };
  await handlePress(context, { ...signal, asks }, event, one);
  return { replies, whispers };
}

test('why nothing was decided is the answer to the press, or where nobody waits any more a word in their chat', async () => {
  const answered = { replies: [{ note: 'Only ana can approve this.' }], whispers: [] };
  const expected = { replies: [], whispers: ['29:ben: Only ana can approve this.'] };
  expect(await decideAfter(5999)).toEqual(answered);
  expect(await decideAfter(6000)).toEqual(expected);
  expect(await decideAfter(0, false)).toEqual(expected);
});
