import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createSlots, LeftQueue } from '#executor/slots.ts';

const { signal: never } = new AbortController();

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
    const runs = [first, second, third].map(({ work }) => slots.run(work, never));
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
    const run = slots.run(first.work, never);
    const left = slots.run(second.work, abort.signal);
    const last = slots.run(third.work, never);
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
    const run = slots.run(first.work, never);
    await expect(
      slots.run(async () => {}, AbortSignal.abort(new Error('gone'))),
    ).rejects.toBeInstanceOf(LeftQueue);
    first.end();
    await run;
  });

  test('gets the slot of work that failed', async () => {
    const slots = createSlots(1);
    const failing = slots.run(() => Promise.reject(new Error('broke')), never);
    const next = slots.run(async () => 'next', never);
    await expect(failing).rejects.toThrow('broke');
    expect(await next).toBe('next');
  });
});

function makeClaimant(planId: string, person = 'ana') {
  return {
    planId,
    person,
    pace: 0,
    woken: 0,
    wake() {
      this.woken++;
    },
  };
}

describe('claiming', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  test('takes what can be called at once, over all plans, and the rest stand in line', () => {
    const slots = createSlots(4);
    const [a, b, c] = [makeClaimant('a'), makeClaimant('b'), makeClaimant('c')];
    expect([slots.admit(a, 3), slots.admit(b, 3), slots.admit(c, 3)]).toEqual([3, 1, 0]);
    slots.release(a, 2);
    expect(c.woken).toBe(1);
    expect(slots.admit(c, 3)).toBe(2);
  });

  test('lets people take turns, and of each person the plans', () => {
    const slots = createSlots(1);
    const busy = makeClaimant('busy', 'eve');
    slots.admit(busy, 1);
    const many = ['a1', 'a2', 'a3'].map((id) => makeClaimant(id, 'ana'));
    const one = makeClaimant('b1', 'ben');
    for (const claimant of [...many, one]) expect(slots.admit(claimant, 5)).toBe(0);
    const order: string[] = [];
    let has = busy;
    for (let turn = 0; turn < 6; turn++) {
      slots.release(has, 1);
      const next = [...many, one].find(({ woken }) => woken > 0);
      if (next === undefined) break;
      next.woken = 0;
      has = next;
      order.push(next.planId);
      expect(slots.admit(next, 5)).toBe(1);
      if (turn < 2) expect(slots.admit(next, 5)).toBe(0);
    }
    expect(order).toEqual(['a1', 'b1', 'a2', 'b1', 'a3', 'a1']);
  });

  test('gives back what whoever was woken does not want, to the next in line', () => {
    const slots = createSlots(2);
    const [a, b, c] = [makeClaimant('a'), makeClaimant('b'), makeClaimant('c')];
    slots.admit(a, 2);
    slots.admit(b, 1);
    slots.admit(c, 1);
    slots.release(a, 1);
    expect([b.woken, c.woken]).toEqual([1, 0]);
    expect(slots.admit(b, 0)).toBe(0);
    expect(c.woken).toBe(1);
    expect(slots.admit(c, 1)).toBe(1);
  });

  test('takes more of a plan whose calls come back quickly, and of no other for it', () => {
    const slots = createSlots(2);
    const quick = { ...makeClaimant('quick'), pace: 20 };
    const other = makeClaimant('other');
    expect(slots.admit(quick, 100)).toBe(22);
    expect(slots.admit(other, 1)).toBe(0);
    // Counted slots are released first, so another gets its turn at once.
    slots.release(quick, 1);
    expect(other.woken).toBe(1);
    expect(slots.admit(other, 1)).toBe(1);
    expect(slots.admit(quick, 100)).toBe(0);
    slots.release(quick, 3);
    expect(slots.admit(quick, 100)).toBe(3);
  });

  test('hands back what waited for a slot for a second, and nothing younger', async () => {
    const slots = createSlots(1);
    slots.admit(makeClaimant('a'), 1);
    const slow = makeWork();
    const first = slots.run(slow.work, never);
    const old = expect(slots.run(async () => {}, never)).rejects.toEqual(
      new LeftQueue('others may be free sooner'),
    );
    await vi.advanceTimersByTimeAsync(600);
    const young = slots.run(async () => 'young', never);
    await vi.advanceTimersByTimeAsync(600);
    await old;
    slow.end();
    await first;
    expect(await young).toBe('young');
  });

  test('makes more calls the longer none begins, up to its bound', async () => {
    const slots = createSlots(2, 3);
    const [a, b] = [makeClaimant('a'), makeClaimant('b', 'ben')];
    expect(slots.admit(a, 5)).toBe(2);
    const slow = [makeWork(), makeWork(), makeWork()];
    const runs = slow.slice(0, 2).map(({ work }) => slots.run(work, never));
    expect(slots.admit(b, 1)).toBe(0);
    await vi.advanceTimersByTimeAsync(1500);
    expect(b.woken).toBe(1);
    expect(slots.admit(b, 1)).toBe(1);
    runs.push(slots.run(slow[2]?.work ?? expect.fail(), never));
    expect(slow[2]?.begun()).toBe(true);
    expect(slots.admit(a, 1)).toBe(0);
    await vi.advanceTimersByTimeAsync(5000);
    expect(a.woken).toBe(0);
    for (const { end } of slow) end();
    await Promise.all(runs);
  });

  test('gives a slot that becomes free to the person who holds the fewest', () => {
    const slots = createSlots(3);
    const [a, b, c] = [makeClaimant('a'), makeClaimant('b', 'ben'), makeClaimant('c', 'cleo')];
    expect([slots.admit(a, 9), slots.admit(a, 9), slots.admit(b, 9)]).toEqual([3, 0, 0]);
    slots.release(a, 1);
    expect(slots.admit(b, 9)).toBe(1);
    expect([slots.admit(b, 9), slots.admit(c, 9)]).toEqual([0, 0]);
    slots.release(a, 1);
    // Ana has queued the longest.
    expect([a.woken, b.woken, c.woken]).toEqual([0, 1, 1]);
  });

  test('keeps some of the further calls for people who hold nothing, whatever others hold', async () => {
    const slots = createSlots(4, 8);
    const many = makeClaimant('many', 'ana');
    const begin = (claimant: ReturnType<typeof makeClaimant>) => {
      const admitted = slots.admit(claimant, 100);
      const works = Array.from({ length: admitted }, makeWork);
      const runs = works.map(({ work }) => slots.run(work, never));
      return { works, runs };
    };
    const all = [begin(many)];
    for (let second = 0; second < 20; second++) {
      all.push(begin(many));
      await vi.advanceTimersByTimeAsync(1000);
    }
    const slow = all.flatMap(({ works }) => works);
    expect(slow).toHaveLength(7);
    const one = makeClaimant('one', 'ben');
    for (let time = 0; time < 2; time++) {
      expect(slots.admit(one, 1)).toBe(0);
      await vi.advanceTimersByTimeAsync(2000);
      expect(one.woken).toBe(time + 1);
      expect(slots.admit(one, 1)).toBe(1);
      await slots.run(async () => {}, never);
      slots.release(one, 1);
      expect(slots.admit(many, 1)).toBe(0);
    }
    for (const { end } of slow) end();
    await Promise.all(all.flatMap(({ runs }) => runs));
  });

  test('gives what only waits for a time no slot, and does not count it', async () => {
    const slots = createSlots(1);
    const a = makeClaimant('a');
    expect(slots.admit(a, 5)).toBe(1);
    const timer = makeWork();
    const idle = slots.run(timer.work, never, () => slots.release(a, 1));
    expect(slots.admit(a, 5)).toBe(1);
    expect(await slots.run(async () => 'called', never)).toBe('called');
    timer.end();
    await idle;
  });
});
