import { describe, expect, it } from 'vitest';
import { findExceeded } from '#planner/budget/budget.ts';

const caps = { turnSoft: 0.3, session: 2, day: 5 };
const spent = (part: Partial<Record<'turn' | 'session' | 'user' | 'day', number>>) => ({
  turn: 0,
  session: 0,
  user: 0,
  day: 0,
  ...part,
});

describe('one more call', () => {
  it.each([
    ['turn', 'turn_soft', 0.3],
    ['session', 'session', 2],
    ['day', 'day', 5],
  ] as const)(
    'may fill the ceiling of the %s, and not pass it by a billionth',
    (key, ceiling, cap) => {
      const before = spent({ [key]: cap - 0.1 });
      expect(findExceeded(before, 0.1, caps, false)).toBeNull();
      expect(findExceeded(before, 0.100_000_001, caps, false)).toBe(ceiling);
    },
  );

  it.each([
    ['turn', 'turn_soft', 0.3],
    ['session', 'session', 2],
    ['day', 'day', 5],
  ] as const)(
    'is refused once the ceiling of the %s is reached, even at no cost',
    (key, ceiling, cap) => {
      expect(findExceeded(spent({ [key]: cap }), 0, caps, false)).toBe(ceiling);
      expect(findExceeded(spent({ [key]: cap - 0.01 }), 0, caps, false)).toBeNull();
    },
  );

  it('fits where the decimals say so, whatever doubles make of the sum', () => {
    expect(0.1 + 0.2).toBeGreaterThan(0.3);
    expect(findExceeded(spent({ turn: 0.1 }), 0.2, caps, false)).toBeNull();
  });

  it('names the hardest of several ceilings', () => {
    const all = spent({ turn: 9, session: 9, day: 9 });
    expect(findExceeded(all, 0.1, caps, false)).toBe('day');
    expect(findExceeded({ ...all, day: 0 }, 0.1, caps, false)).toBe('session');
    expect(findExceeded({ ...all, day: 0, session: 0 }, 0.1, caps, false)).toBe('turn_soft');
  });

  it('passes the soft ceiling, and no other, when a person has lifted it', () => {
    expect(findExceeded(spent({ turn: 1 }), 0.1, caps, true)).toBeNull();
    expect(findExceeded(spent({ turn: 1, session: 2 }), 0.1, caps, true)).toBe('session');
  });

  it('of a model whose price is 0 stays allowed under a budget of 0', () => {
    const none = { turnSoft: 0, session: 0, day: 0 };
    expect(findExceeded(spent({}), 0, none, false)).toBeNull();
    expect(findExceeded(spent({}), 0.001, none, false)).toBe('day');
  });

  it('does not count what a person spent against any ceiling', () => {
    expect(findExceeded(spent({ user: 100 }), 0.1, caps, false)).toBeNull();
  });
});
