import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Called, chooseShown, foldName } from '#domain/people/names.ts';
import { readCalled } from '#people/people-named.ts';
import { rounds } from '../../../rounds.ts';

const one = (name: string, called: string | null, person = name, shared = false): Called => ({
  ...{ name, person, called, shared },
});

describe('Who is shown as what', () => {
  test('is what they are called, and who is called nothing is not in it', () => {
    expect(chooseShown([one('ana@example.com', 'Ana García'), one('ben', null)])).toEqual(
      new Map([['ana@example.com', 'Ana García']]),
    );
  });

  test('two who are called the same are told apart, however they write it', () => {
    const shown = chooseShown([one('slack:T1:U1', 'Ana'), one('slack:T1:U2', 'ＡＮＡ')]);
    expect([...shown.values()]).toEqual(['Ana (slack:T1:U1)', 'ＡＮＡ (slack:T1:U2)']);
  });

  test('who takes the name another is known by is told apart from them', () => {
    const shown = chooseShown([one('slack:T1:U1', 'Ben'), one('@ben', null)]);
    expect([...shown]).toEqual([['slack:T1:U1', 'Ben (slack:T1:U1)']]);
  });

  test('who is called as somebody is who is not among them is told apart as well', () => {
    expect([...chooseShown([one('slack:T1:U1', 'Ana', 'slack:T1:U1', true)]).values()]).toEqual([
      'Ana (slack:T1:U1)',
    ]);
  });

  test.each(['You', 'ｙｏｕ', 'y\u200dou', 'Somebody', 'Countersign', 'The system'])(
    'a name that reads as a word of the card, %j, has its account beside it',
    (called) => {
      expect([...chooseShown([one('slack:T1:U1', called)]).values()]).toEqual([
        `${called} (slack:T1:U1)`,
      ]);
    },
  );

  test('of a long name beside an account the account stays, and no letter is cut in two', () => {
    const [shown] = chooseShown([
      one('slack:T1:U1', '😀'.repeat(40), 'slack:T1:U1', true),
    ]).values();
    expect(shown).toBe(`${'😀'.repeat(30)}… (slack:T1:U1)`);
  });

  test('accounts of one person may have one name', () => {
    const accounts = [one('ana@example.com', 'Ana'), one('teams:X1:O1', 'Ana', 'ana@example.com')];
    expect(new Set(chooseShown(accounts).values())).toEqual(new Set(['Ana']));
  });

  /** `said`: the platform's name for one. Accounts that read the same count once. */
  const accountsOfInstance = fc.uniqueArray(
    fc.record({
      name: fc.constantFrom('ana', '@ben', 'cleo@example.com', 'slack:T1:U1', 'teams:X1:O1', 'dan'),
      owner: fc.integer({ min: 1, max: 4 }),
      said: fc.option(
        fc
          .tuple(
            fc.constantFrom('', ' ', '\u200b', '\u2800', '“', '*'),
            fc.constantFrom('Ana', 'ＡＮＡ', 'Ben', 'B\u00aden', 'Dan', 'Cleo', 'You'),
            fc.constantFrom('', '.', ' \u3164', ' (ana)', '（ben）', ' ❨dan❩', ' [ben]', ' (dan'),
          )
          .map((parts) => parts.join('')),
      ),
    }),
    { selector: ({ name }) => name },
  );
  type Instance = { name: string; owner: number; said: string | null }[];
  /** As the database returns the people on one card. */
  const describeInstance = (instance: Instance): Called[] => {
    const all = instance.map(({ name, owner, said }) => ({
      name,
      // A person is known by their first account.
      person: instance.find((one) => one.owner === owner)?.name ?? name,
      called: said === null ? null : readCalled(said),
    }));
    return all.map((one) => {
      const { person, called } = one;
      const isShared = (other: (typeof all)[number]) =>
        called !== null &&
        other.called !== null &&
        other.person !== person &&
        foldName(other.called) === foldName(called);
      return { ...one, shared: all.some(isShared) };
    });
  };
  const glance = (text: string) =>
    text
      .normalize('NFKC')
      .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
      .replace(/\p{Ps}/gu, '(')
      .replace(/\p{Pe}/gu, ')')
      .replace(/[^\p{L}\p{N}():]/gu, '')
      .toLowerCase();
  const readers = (people: Called[], shown: Map<string, string>) =>
    people.map(({ name, person }) => ({ person, text: glance(shown.get(name) ?? name) }));

  test('no two persons on one card are shown as the same, whatever they are called and however many accounts they have', () => {
    fc.assert(
      fc.property(accountsOfInstance, (instance) => {
        const people = describeInstance(instance);
        const shown = readers(people, chooseShown(people));
        for (const one of shown)
          for (const other of shown)
            if (one.person !== other.person) expect(one.text).not.toBe(other.text);
      }),
      { numRuns: rounds(3000) },
    );
  });

  test('no two persons who are called something are shown as the same, on one card or on two', () => {
    fc.assert(
      fc.property(accountsOfInstance, (instance) => {
        const people = describeInstance(instance).filter(({ called }) => called !== null);
        const alone = people.flatMap((one) => readers([one], chooseShown([one])));
        for (const one of alone)
          for (const other of alone)
            if (one.person !== other.person) expect(one.text).not.toBe(other.text);
      }),
      { numRuns: rounds(3000) },
    );
  });
});

describe('What a platform calls somebody', () => {
  test.each([
    ['Ana García', 'Ana García'],
    [' Ana\n  García ', 'Ana García'],
    ['Ana\u202egro', 'Anagro'],
    ['a'.repeat(80), 'a'.repeat(80)],
    // Persian and emoji need joiners.
    ['علی\u200cرضا', 'علی\u200cرضا'],
    ['👩\u200d🚀 Ana', '👩\u200d🚀 Ana'],
    ['Иван (Ivan)', 'Иван (Ivan)'],
    ['*Ana* <!channel>', '*Ana* <!channel>'],
  ])('%j is shown as %j', (input, shown) => {
    expect(readCalled(input)).toBe(shown);
  });

  test.each([
    '',
    ' \u200b ',
    'ben@example.com',
    'ben＠example.com',
    'Ana (slack:T1:U1)',
    'TEAMS:X1:O1',
    '\u3164\u115f',
    '…',
    'Аna',
    'Ben Αna',
    'a'.repeat(81),
  ])('%j is not shown', (input) => {
    expect(readCalled(input)).toBeNull();
  });
});

test.each([
  ['Ana and Ben'],
  ['Ana, 14:02. Approved by Ben'],
  ['Ana García (ana)'],
  ['Ana García（ana）'],
  ['Ana García ❨ana❩'],
  ['Ana， Ben'],
  ['“you”'],
  ['anyone but Ben'],
  ['the planner'],
])('what could be read as somebody else or as several does not stand alone: %s', (called) => {
  const shown = chooseShown([
    { name: 'slack:T1:U2', person: 'slack:T1:U2', called, shared: false },
  ]);
  expect(shown.get('slack:T1:U2')).toMatch(/\(slack:T1:U2\)$/);
});

test.each([
  ['Ana García', 'Ana García\u2800'],
  ['Jean-Luc', 'Jean\u2010Luc'],
  ["O'Neil", 'O’Neil'],
])('names that differ by signs and blanks alone are one name: %s', (one, other) => {
  const shown = chooseShown([
    { name: 'u1', person: 'u1', called: one, shared: false },
    { name: 'u2', person: 'u2', called: other, shared: false },
  ]);
  expect([shown.get('u1'), shown.get('u2')]).toEqual([`${one} (u1)`, `${other} (u2)`]);
});
