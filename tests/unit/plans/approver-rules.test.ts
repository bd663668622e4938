import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ApproverPolicy } from '#domain/plan/plan.ts';
import {
  approvalsThatSuffice,
  isSatisfied,
  judge,
  type People,
  rulesOf,
  samePolicy,
} from '#plans/authority/approver-rules.ts';
import { describeAllMissing } from '#plans/authority/approver-words.ts';

const people: People = {
  requester: 'ana',
  configured: [],
  known: null,
  vouched: () => true,
  requesterVouched: true,
};
const named = (...names: string[]): ApproverPolicy => ({ kind: 'named', people: names });

describe('the rules of a plan', () => {
  it('are its own and those of the operations it uses; equal ones are one', () => {
    const guarded = {
      http_request: named('ben', 'cleo'),
      gmail_send: named('cleo', 'ben', 'ben'),
      workspace_delete: { kind: 'requester' } as const,
      not_used: named('dan'),
    };
    const used = ['http_request', 'gmail_send', 'workspace_delete', 'constructor', 'toString'];
    expect(rulesOf({ kind: 'requester' }, used, guarded)).toEqual([
      { policy: { kind: 'requester' }, operations: [] },
      { policy: guarded.gmail_send, operations: ['gmail_send', 'http_request'] },
    ]);
  });

  it('compare N of M by what it comes to', () => {
    const of = (n: number, ...names: string[]): ApproverPolicy => ({
      kind: 'n_of',
      people: names,
      n,
    });
    expect(samePolicy(of(2, 'ana', 'ben', '@Ben'), of(2, 'ben', 'ana'))).toBe(true);
    expect(samePolicy(of(1, 'ana', 'ben'), of(2, 'ana', 'ben'))).toBe(false);
  });

  it('say in words what they still ask for', () => {
    const of = (n: number): ApproverPolicy => ({
      kind: 'n_of',
      people: ['ana', 'ben', 'cleo'],
      n,
    });
    const words = (policy: ApproverPolicy, ...approved: string[]) =>
      describeAllMissing(judge(rulesOf(policy, [], {}), people, approved), people);
    expect(words(of(2))).toBe('2 of ana, ben and cleo');
    expect(words(of(2), 'ben')).toBe('one of ana or cleo');
    expect(words(of(3), 'ben')).toBe('ana and cleo');
    expect(words(of(3), 'ben', 'ana')).toBe('cleo');
    expect(words(of(2), 'ben', 'ana')).toBe('');
  });
});

describe('a guest', () => {
  const gus = (more: Partial<People> = {}): People => ({
    ...people,
    guests: new Set(['gus']),
    ...more,
  });
  it.each<[string, ApproverPolicy, Partial<People>, boolean]>([
    ['anyone', { kind: 'anyone' }, {}, false],
    ['anyone there', { kind: 'anyone' }, { known: new Set(['gus']) }, false],
    ['anyone, who asked', { kind: 'anyone' }, { requester: 'gus' }, true],
    ['anyone, guests included', { kind: 'anyone', guests: true }, {}, true],
    ['anybody but the requester', { kind: 'not_requester' }, {}, false],
    ['the same, guests included', { kind: 'not_requester', guests: true }, {}, true],
    ['a configured approver', { kind: 'not_requester' }, { configured: ['gus'] }, true],
    ['by name', named('gus'), {}, true],
  ])('counts where the rule says so: %s', (_, policy, more, expected) => {
    const [standing] = judge(rulesOf(policy, [], {}), gus(more), ['gus']);
    expect(standing?.given.length === 1).toBe(expected);
  });
});

describe('approvals', () => {
  const someone = fc.constantFrom('ana', 'ben', 'cleo', 'dan');
  const some = fc.uniqueArray(someone, { minLength: 1 });
  const policy: fc.Arbitrary<ApproverPolicy> = fc.oneof(
    fc.constant({ kind: 'requester' as const }),
    fc.constant({ kind: 'anyone' as const }),
    fc.constant({ kind: 'not_requester' as const }),
    some.map((names) => named(...names)),
    some.chain((names) =>
      fc.record({
        kind: fc.constant('n_of' as const),
        people: fc.constant(names),
        n: fc.integer({ min: 1, max: names.length }),
      }),
    ),
  );
  const plan = fc.record({
    own: policy,
    guarded: fc.dictionary(fc.constantFrom('a', 'b', 'c'), policy),
    approved: fc.uniqueArray(someone),
  });

  it('that suffice are enough, and never fewer than any rule needs', () => {
    fc.assert(
      fc.property(plan, ({ own, guarded, approved }) => {
        const rules = rulesOf(own, ['a', 'b', 'c'], guarded);
        const n = approvalsThatSuffice(rules, people, approved);
        for (const standing of judge(rules, people, approved)) {
          expect(n - approved.length).toBeGreaterThanOrEqual(
            standing.needed - standing.given.length,
          );
        }
        const given: string[] = approved;
        const all = ['ana', 'ben', 'cleo', 'dan'].filter((name) => !given.includes(name));
        const more = n - approved.length;
        const choices: string[][] = [[]];
        for (const name of all) choices.push(...choices.map((set) => [...set, name]));
        const enough = choices.some(
          (set) =>
            set.length <= more && judge(rules, people, [...approved, ...set]).every(isSatisfied),
        );
        expect(enough).toBe(true);
      }),
    );
  });

  it('once enough stay enough whoever else approves', () => {
    fc.assert(
      fc.property(plan, someone, ({ own, guarded, approved }, other) => {
        const rules = rulesOf(own, ['a', 'b', 'c'], guarded);
        const done = (names: string[]) => judge(rules, people, names).every(isSatisfied);
        if (done(approved)) expect(done([...approved, other])).toBe(true);
      }),
    );
  });
});
