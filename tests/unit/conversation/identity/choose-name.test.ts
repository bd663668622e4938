import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { systemRandom } from '#domain/clock.ts';
import { readLinkCommand } from '#domain/people/link.ts';
import { needsPlatform } from '#domain/people/names.ts';
import { chooseName, drawCode, hashCode, leavePerson } from '#people/link.ts';

test('a code has ten letters and digits that are not taken for each other', () => {
  for (let i = 0; i < 200; i++) {
    expect(drawCode(systemRandom)).toMatch(/^[2-9A-HJKMNP-TV-Z]{5}-[2-9A-HJKMNP-TV-Z]{5}$/);
  }
});

test('codes differ, and so do their hashes', () => {
  const codes = Array.from({ length: 200 }, () => drawCode(systemRandom));
  expect(new Set(codes.map(hashCode)).size).toBe(200);
});

test.each([
  ['', { do: 'ask' }],
  ['  ', { do: 'ask' }],
  ['show', { do: 'show' }],
  [' Remove ', { do: 'remove' }],
  ['k7m2p 9qx4r', { do: 'use', code: 'k7m2p 9qx4r' }],
])('“link %s” is read', (input, command) => {
  expect(readLinkCommand(input)).toEqual(command);
});

test.each([
  ['ana@example.com', true],
  ['slack:T1:U1', true],
  ['teams:X:O', true],
  ['@ana@example.com', true],
  [' ANA@Example.com ', true],
  ['@slack:T1:U1', true],
  ['SLACK:T1:U1', true],
  ['Teams:X:O', true],
  ['ana@localhost', true],
  ['@@ana', true],
  ['ana＠example.com', true],
  ['corp:Ab-1|x', true],
  [' @CORP:Ab-1|x', true],
  ['slack', false],
  ['group:finance', false],
  ['Ben: finance', false],
  ['my slack:T1', false],
  ['ana', false],
  ['@ana', false],
  ['local', false],
])('whether only a platform can say that somebody is %s: %s', (name, needed) => {
  expect(needsPlatform(name)).toBe(needed);
});

test('a name that is somebody only a platform can vouch for needs it, however it is written', () => {
  const known = fc.constantFrom('ana@example.com', 'slack:T1:U1', 'teams:X:O', 'corp:S');
  const blanks = fc.constantFrom('', ' ', '\t', '\u00a0');
  fc.assert(
    fc.property(known, blanks, blanks, fc.boolean(), fc.boolean(), (name, a, b, at, upper) => {
      const written = `${a}${at ? '@' : ''}${upper ? name.toUpperCase() : name}${b}`;
      expect(needsPlatform(written)).toBe(true);
    }),
  );
});

test('an account goes by no name that somebody merely typed', () => {
  for (const id of ['corp:A-1', 'slack:T1:U1']) {
    expect(chooseName('bob', id)).toBe(id);
    expect(chooseName(id, 'ana@example.com')).toBe('ana@example.com');
  }
});

describe('When an account leaves', () => {
  const names = fc.uniqueArray(
    fc.constantFrom('ana@x.org', 'b@x.org', 'slack:T:U', 'slack:T:V', 'teams:X:O', 'local'),
    { minLength: 2 },
  );

  test('nobody goes by its name who is not it, and whoever is left goes by one of their own', () => {
    fc.assert(
      fc.property(names, fc.nat(), fc.nat(), (accounts, a, b) => {
        const at = (n: number) => accounts[n % accounts.length] ?? '';
        const left = leavePerson(accounts, at(a), at(b));
        expect([...left.free, ...left.stay].toSorted()).toEqual(accounts.toSorted());
        expect(left.free).toContain(at(b));
        if (left.stay.length > 0) {
          expect(left.person).not.toBe(at(b));
          expect(left.stay).toContain(left.person);
        }
      }),
    );
  });
});
