import { describe, expect, it } from 'vitest';
import { findExceeded, findTooSmall, type Spent } from '#domain/budget.ts';

const caps = {
  ...{ softPerTurn: 0.3, perPlan: 1, perSession: 2 },
  ...{ perPerson: 3, perOrganisation: 4, perDay: 5 },
};
const spent = (part: Partial<Spent>) => ({
  turn: 0,
  session: 0,
  plan: 0,
  person: 0,
  organisation: 0,
  day: 0,
  ...part,
});

describe('one more call', () => {
  it.each([
    ['turn', 0.3],
    ['plan', 1],
    ['session', 2],
    ['person', 3],
    ['organisation', 4],
    ['day', 5],
  ] as const)('may fill the ceiling of the %s, and not pass it by a billionth', (ceiling, cap) => {
    const before = spent({ [ceiling]: cap - 0.1 });
    expect(findExceeded(before, 0.1, caps, false)).toBeNull();
    expect(findExceeded(before, 0.100_000_001, caps, false)).toBe(ceiling);
  });

  it.each([
    ['turn', 0.3],
    ['plan', 1],
    ['session', 2],
    ['person', 3],
    ['organisation', 4],
    ['day', 5],
  ] as const)(
    'is refused once the ceiling of the %s is reached, even at no cost',
    (ceiling, cap) => {
      expect(findExceeded(spent({ [ceiling]: cap }), 0, caps, false)).toBe(ceiling);
      expect(findExceeded(spent({ [ceiling]: cap - 0.01 }), 0, caps, false)).toBeNull();
    },
  );

  it('fits where the decimals say so, whatever doubles make of the sum', () => {
    expect(0.1 + 0.2).toBeGreaterThan(0.3);
    expect(findExceeded(spent({ turn: 0.1 }), 0.2, caps, false)).toBeNull();
  });

  it('names the tightest of several ceilings, and those that a person can lift last', () => {
    const all = spent({ turn: 9, session: 9, plan: 9, person: 9, organisation: 9, day: 9 });
    const names = ['session', 'person', 'organisation', 'day', 'plan', 'turn'] as const;
    for (const [nth, name] of names.entries()) {
      const free = Object.fromEntries(names.slice(0, nth).map((one) => [one, 0]));
      expect(findExceeded({ ...all, ...free }, 0.1, caps, false)).toBe(name);
    }
  });

  it('passes the soft ceiling, and no other, when a person has lifted it', () => {
    expect(findExceeded(spent({ turn: 1 }), 0.1, caps, true)).toBeNull();
    expect(findExceeded(spent({ turn: 1, session: 2 }), 0.1, caps, true)).toBe('session');
  });

  it('of a model whose price is 0 stays allowed under a budget of 0', () => {
    const none = { softPerTurn: 0, perSession: 0, perDay: 0 };
    expect(findExceeded(spent({}), 0, none, false)).toBeNull();
    expect(findExceeded(spent({}), 0.001, none, false)).toBe('session');
  });

  it('of a person is held by a cap of theirs only', () => {
    const { perPerson: _, ...others } = caps;
    expect(findExceeded(spent({ person: 100 }), 0.1, others, false)).toBeNull();
  });

  it('may be the first of a turn whatever its soft ceiling, unless that is 0', () => {
    expect(findExceeded(spent({}), 0.9, caps, false)).toBeNull();
    expect(findExceeded(spent({ turn: 0.001 }), 0.9, caps, false)).toBe('turn');
    expect(findExceeded(spent({}), 0.9, { ...caps, softPerTurn: 0 }, false)).toBe('turn');
  });
});

it('names each cap that no single call fits into, with the setting', () => {
  expect(findTooSmall(caps, 'gpt-5.5', 0.08)).toEqual([]);
  expect(findTooSmall({ ...caps, softPerTurn: 0.01 }, 'gpt-5.5', 0.08)).toEqual([]);
  const small = findTooSmall({ ...caps, perPerson: 0.01, perDay: 0.05 }, 'gpt-5.5', 0.08);
  expect(small).toHaveLength(2);
  expect(small.join(' ')).toMatch(/limits\.person\.usd_per_day.*BUDGET_PER_DAY_USD/);
});
