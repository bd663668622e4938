// Slots: who waits is served in turn, and who leaves takes no slot along.
import { describe, expect, test } from 'vitest';
import { createSlots, LeftQueue } from '#executor/slots.ts';

const { signal: never } = new AbortController();

/** Work that ends when it is told to. */
function makeWork() {
  const { promise, resolve } = Promise.withResolvers<void>();
  let begun = false;
  const work = () => {
    begun = true;
    return promise;
  };
  return { work, end: resolve, begun: () => begun };
}

describe('what waits for a slot', () => {
  test('begins in the order in which it came', async () => {
    const slots = createSlots(1);
    const [first, second, third] = [makeWork(), makeWork(), makeWork()];
    const runs = [first, second, third].map(({ work }) => slots.run(work, 'plan', never));
    first.end();
    await runs[0];
    expect([second.begun(), third.begun()]).toEqual([true, false]);
    second.end();
    third.end();
    await Promise.all(runs);
  });

  test('leaves when its signal aborts, and those behind it move up', async () => {
    const slots = createSlots(1);
    const [first, second, third] = [makeWork(), makeWork(), makeWork()];
    const abort = new AbortController();
    const run = slots.run(first.work, 'plan', never);
    const left = slots.run(second.work, 'plan', abort.signal);
    const last = slots.run(third.work, 'plan', never);
    abort.abort(new Error('gone'));
    await expect(left).rejects.toEqual(new LeftQueue('gone'));
    first.end();
    await run;
    expect([second.begun(), third.begun()]).toEqual([false, true]);
    third.end();
    await last;
  });

  test('does not queue when its signal aborted before', async () => {
    const slots = createSlots(1);
    const first = makeWork();
    const run = slots.run(first.work, 'plan', never);
    await expect(
      slots.run(async () => {}, 'plan', AbortSignal.abort(new Error('gone'))),
    ).rejects.toBeInstanceOf(LeftQueue);
    first.end();
    await run;
  });

  test('of a dismissed plan leaves, and what has begun of it goes on', async () => {
    const slots = createSlots(1);
    const first = makeWork();
    const run = slots.run(first.work, 'a', never);
    const own = slots.run(async () => 'own', 'a', never);
    const other = slots.run(async () => 'other', 'b', never);
    slots.dismiss('a', 'its plan was paused');
    await expect(own).rejects.toEqual(new LeftQueue('its plan was paused'));
    first.end();
    await run;
    expect(await other).toBe('other');
  });

  test('of a dismissed plan stays as far as some of it is kept, in the order in which it came', async () => {
    const slots = createSlots(1);
    const first = makeWork();
    const run = slots.run(first.work, 'a', never);
    const waiting = [1, 2, 3].map((n) => slots.run(async () => n, 'a', never));
    const ended = Promise.allSettled(waiting);
    expect(slots.dismiss('a', 'too many', 2)).toBe(1);
    await expect(waiting[2]).rejects.toEqual(new LeftQueue('too many'));
    first.end();
    await run;
    expect((await ended).map(({ status }) => status)).toEqual([
      'fulfilled',
      'fulfilled',
      'rejected',
    ]);
  });

  test('gets the slot of work that failed', async () => {
    const slots = createSlots(1);
    const failing = slots.run(() => Promise.reject(new Error('broke')), 'a', never);
    const next = slots.run(async () => 'next', 'a', never);
    await expect(failing).rejects.toThrow('broke');
    expect(await next).toBe('next');
  });
});
